// cairn approximate: config -> result file.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/corpus/word_set.hpp"
#include "cairn/data/data_size.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/run/computation/reused_rows.hpp"
#include "cairn/run/request/request_rules.hpp"
#include "cairn/similarity/shortest_paths/path_length.hpp"
#include "cairn/store/files/word_vector_file.hpp"
#include "commands/commands.hpp"
#include "keys/idle_keys.hpp"
#include "pipeline/checkpointing.hpp"
#include "pipeline/context.hpp"
#include "pipeline/pipeline.hpp"
#include "report/data_report.hpp"
#include "report/report.hpp"

namespace cairn::app {

namespace {

// Of the result file, with what it takes to be on the disk.
double bytes_a_second(const RunTotals& totals) {
  for (const PhaseSummary& phase : totals.phases) {
    if (phase.name == "write" && phase.seconds > 0) return static_cast<double>(totals.result_bytes) / phase.seconds;
  }
  return 0.0;
}

// Co-occurrences that the result keeps, or null.
template <class T>
const CooccurrenceCounts* kept_counts(const Settings& settings, const Data<T>& data) {
  const auto* words = data.template as<WordSet>();
  return words != nullptr && settings.flag("output.counts") ? &words->counts() : nullptr;
}

// The points for other programs, if they are asked for: a line about them, or nothing.
template <class T>
std::string write_vectors(const Execution& execution, const Settings& settings, const Approximation<T>& approximation,
                          const ObjectSet& objects) {
  const std::string& path = settings.text("output.vectors");
  if (path.empty()) return "";
  const RowBlock<T>& rows = approximation.left.dense();
  const Index columns = approximation.report.rank;
  write_word_vectors(execution, {path, "output.vectors"}, rows, columns, objects.labels());
  return fmt::format("  vectors                     {}, {} x {}\n", path, grouped(rows.rows()), columns);
}

template <class T>
void approximate_as(Job& job, Index baseline) {
  const Settings& settings = job.settings;
  const std::string& path = settings.required("output.path");
  Context context(job.communicator, settings);
  const Execution& execution = context.execution();

  const RunRequest request = request_of(settings);
  const MethodChoice& method = request.method;
  if (method.reuses_landmarks()) {  // before data are read
    static_cast<void>(reused_shape(job.communicator, method, request.similarity.name()));
  }
  auto size = peek_size(job.communicator, request);
  if (size && size->tokens > 0)
    size.reset();  // what is expected of a generated corpus: a plan's, not a reason to refuse
  const auto check_plan = [&](const DataSize& known) {
    require_memory(job.communicator, request,
                   plan_of(job.communicator, request, known, job.communicator.size(), baseline));
  };
  if (size) check_plan(*size);
  const Data<T> data = read<T>(execution, request);
  print(job.communicator, data_report(data.facts));
  if (!size) check_plan(size_of(job.communicator, data));

  const bool selects = method.method->needs.landmarks && !method.reuses_landmarks();
  const auto checkpoint = make_checkpoint(job, context, data.digest, selects ? method.selection().name : "");
  Outcome<T> outcome = to_the_end_or_a_stop(job.communicator, checkpoint.get(), [&] {
    return compute(execution, request, settings.as_config(), data, context.start());
  });
  auto& [approximation, description, kept, restored, hierarchy, near] = outcome.computed;
  description.provenance.merge(run_provenance(job, execution.threads));
  description.phases = context.phases().summarize(job.communicator);
  std::optional<StoredDistances<T>> distances;
  if (kept) {
    distances =
        collectively(job.communicator, [&] { return kept->take(data.objects->partition(), job.communicator.rank()); });
    kept.reset();
  }
  write_result(
      execution, {path, "output.path"}, approximation, description, *data.objects,
      settings.text("output.compression") == "none" ? Compression::none : Compression::deflate,
      data.numbers.of(data.objects->range()),
      {distances ? &*distances : nullptr, kept_counts(settings, data), hierarchy ? &*hierarchy : nullptr, near.get()},
      data.right_labels());
  const std::string vectors = write_vectors(execution, settings, approximation, *data.objects);
  if (checkpoint) {
    outcome.figures.checkpoint = checkpoint_summary(job.communicator, *checkpoint);
    checkpoint->remove();
  }
  std::error_code unknown;  // what rank 0 prints
  const auto bytes = std::filesystem::file_size(path, unknown);
  RunTotals& totals = outcome.figures.totals;
  if (!unknown) totals.result_bytes = static_cast<Index>(bytes);
  finish(context, totals);

  print(job.communicator, report(outcome.figures) +
                              fmt::format("  result                      {}, {}\n", path,
                                          format_bytes(static_cast<double>(totals.result_bytes))) +
                              fmt::format("  written at                  {:.0f} MB/s\n", bytes_a_second(totals) / 1e6) +
                              vectors);
  nlohmann::ordered_json json = header_json(job, execution.threads);
  json.update(figures_json(outcome.figures));
  json[data.facts_name] = data_json(data.facts);
  json["output"] = path;
  json["result_bytes"] = totals.result_bytes;
  json["write_bytes_per_second"] = bytes_a_second(totals);
  write_json(job, json);
}

}  // namespace

void check_approximate(const Settings& settings, const std::vector<std::string>& /*arguments*/) {
  const RunRequest request = checked_request(settings);
  require_whole(request);
  settings.required("output.path");
  if (settings.given("output.hierarchy") && settings.flag("output.hierarchy") &&
      !may_use_hierarchy(request.similarity.values)) {
    throw Error(ErrorKind::usage, fmt::format("{} has no effect if similarity.search is {}",
                                              settings.where("output.hierarchy"), settings.text("similarity.search")));
  }
  refuse_idle_checkpoint_keys(settings);
}

void run_approximate(Job& job) {
  const Settings& settings = job.settings;
  const Index baseline = job.communicator.maximum(resident_bytes());
  check_output(job, "output.path");
  check_output(job, "output.operator");
  check_output(job, "output.vectors");
  check_output(job, "run.checkpoint");
  check_output(job, "json");
  require_usable_checkpoint(job);
  print(job.communicator, header(job, static_cast<int>(settings.integer("run.threads"))));
  if (settings.text("run.precision") == "single") {
    approximate_as<float>(job, baseline);
  } else {
    approximate_as<double>(job, baseline);
  }
}

}  // namespace cairn::app
