#include "cairn/run/outcome/run_outcome.hpp"

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "cairn/approximation/error/entry_squares.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/peak_memory.hpp"
#include "cairn/data/catalog/data_size.hpp"
#include "cairn/data/corpus/word_set.hpp"
#include "cairn/run/computation/kept_counts.hpp"
#include "cairn/run/computation/reused_rows.hpp"
#include "cairn/store/files/word_vector_file.hpp"

namespace cairn {

namespace {

// Co-occurrences that the result keeps, or null.
template <class T>
const CooccurrenceCounts* counts_to_keep(const RunRequest& request, const Data<T>& data) {
  const auto* words = data.template as<WordSet>();
  return words != nullptr && request.output.flag("counts") ? &words->counts() : nullptr;
}

template <class T>
void write_files(const Execution& execution, const RunRequest& request, const Data<T>& data, Outcome<T>& outcome) {
  const Communicator& communicator = execution.communicator;
  auto& [approximation, description, table, restored, hierarchy, near, goal] = outcome.computed;
  std::optional<StoredDistances<T>> distances;
  if (table) {
    distances = collectively(communicator, [&] { return table->take(data.objects->partition(), communicator.rank()); });
    table.reset();
  }
  write_result(
      execution, request.path, approximation, description, *data.objects,
      request.output.text("compression") == "none" ? Compression::none : Compression::deflate,
      data.numbers.of(data.objects->range()),
      {distances ? &*distances : nullptr, counts_to_keep(request, data), hierarchy ? &*hierarchy : nullptr, near.get()},
      data.right_labels());
  if (request.output.given("vectors")) {
    write_word_vectors(execution, {request.output.text("vectors"), request.output.keys()("vectors")},
                       approximation.left.dense(), approximation.report.rank, data.objects->labels());
  }
  std::error_code unknown;  // rank 0 prints the result
  const auto bytes = std::filesystem::file_size(request.path.file, unknown);
  if (!unknown) outcome.metrics.totals.result_bytes = static_cast<Index>(bytes);
}

}  // namespace

std::string note_of_numbers() {
  return "rows are counted from 0 and have other numbers in the file; these are printed beside them, and --by-number "
         "true takes them (as --by-label true does if there are no labels)";
}

std::vector<std::string> notes_of(const std::vector<std::string>& notes, const NumbersInFile& numbers) {
  std::vector<std::string> all = notes;
  if (numbers.differ_from_rows()) all.push_back(note_of_numbers());
  return all;
}

template <class T>
Outcome<T> compute(const Execution& execution, const RunRequest& request, const Data<T>& data) {
  reuse_counts(execution, data, request.reuse.text("reuse"), request.keys);
  const ExactMatrix<T> exact = make_exact_matrix(execution, data, request.similarity, request.method);
  Computed<T> computed = compute(execution, data, exact, request.method, computation_options(request));
  if (request.settings != nullptr) computed.description.provenance["config"] = request.settings->as_config();
  MethodReport& report = computed.approximation.report;
  report.notes = notes_of(report.notes, data.numbers);
  std::string off = no_estimate(request);
  std::optional<MeasuredError> error;
  if (off.empty()) {
    const EvaluatedRows<T> rows(execution.communicator, computed.approximation, exact, computed.description);
    try {
      error = measure_error(execution, request, computed.approximation, exact, estimated_share(request));
      take_error(*error, computed.description, report);
    } catch (const NoRelativeError& none) {  // thrown on all ranks
      off = none.what();
      report.warnings.push_back(off);
    }
  }
  RunMetrics metrics = metrics_of(execution.communicator, data, exact, computed);
  metrics.not_estimated = off;
  if (error) metrics.symmetric_error = error->symmetric;
  return {std::move(computed), std::move(metrics)};
}

template <class T>
Data<T> read_and_plan(const RunSurroundings& around, const RunRequest& request) {
  const Execution& execution = around.execution;
  const Communicator& communicator = execution.communicator;
  if (request.method.reuses_landmarks()) {  // before the data are read
    static_cast<void>(reused_shape(communicator, request.method, request.similarity.name()));
  }
  const auto check_plan = [&](const DataSize& size) {
    require_memory(communicator, request, plan_of(communicator, request, size, communicator.size(), around.baseline));
  };
  const auto size = peek_size(communicator, request);
  const bool known = size && size->tokens == 0;  // the size of a generated corpus is an estimate: no reason to refuse
  if (known) check_plan(*size);
  Data<T> data = read<T>(execution, request);
  if (around.tell_facts) around.tell_facts(data.facts);
  if (!known) check_plan(size_of(communicator, data));
  return data;
}

template <class T>
Outcome<T> run_request(const RunSurroundings& around, const RunRequest& request, const Data<T>& data) {
  const Execution& execution = around.execution;
  const Communicator& communicator = execution.communicator;
  const MethodChoice& method = request.method;
  const bool selects = method.method->needs.landmarks && !method.reuses_landmarks();
  std::unique_ptr<RunCheckpoint> checkpoint;
  if (request.settings != nullptr) {
    checkpoint = make_checkpoint(communicator, *request.settings, around.ledger, around.version(), around.start,
                                 data.digest, selects ? method.selection().name : "");
  }
  if (checkpoint && checkpoint->restarts_from_nothing() && around.tell) around.tell(no_checkpoint(*request.settings));
  Outcome<T> outcome =
      to_the_end_or_a_stop(communicator, checkpoint.get(), [&] { return compute(execution, request, data); });
  ResultDescription& description = outcome.computed.description;
  description.provenance.insert(around.provenance.begin(), around.provenance.end());
  description.phases = execution.phases.summarize(communicator);
  if (!request.path.file.empty()) write_files(execution, request, data, outcome);
  if (checkpoint) {
    outcome.metrics.checkpoint = checkpoint->summary(communicator);
    checkpoint->remove();
  }
  take_totals(execution, around.start, outcome.metrics.totals);
  return outcome;
}

void take_totals(const Execution& execution, std::chrono::steady_clock::time_point start, RunTotals& totals) {
  const Communicator& communicator = execution.communicator;
  totals.phases = execution.phases.summarize(communicator);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  totals.seconds = communicator.maximum(elapsed.count());
  totals.peak_bytes = communicator.maximum(peak_resident_bytes());
}

double write_rate(const RunTotals& totals) {
  for (const PhaseSummary& phase : totals.phases) {
    if (phase.name == "write" && phase.seconds > 0) return static_cast<double>(totals.result_bytes) / phase.seconds;
  }
  return 0.0;
}

#define CAIRN_INSTANTIATE(T)                                                        \
  template Outcome<T> compute(const Execution&, const RunRequest&, const Data<T>&); \
  template Data<T> read_and_plan(const RunSurroundings&, const RunRequest&);        \
  template Outcome<T> run_request(const RunSurroundings&, const RunRequest&, const Data<T>&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn
