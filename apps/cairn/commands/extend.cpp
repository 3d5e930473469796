// cairn extend: factor rows for objects that were not in the data.
#include "cairn/approximation/extend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "cairn/base/error.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/similarity/similarities.hpp"
#include "cairn/store/result/known_objects.hpp"
#include "cairn/task/extension_report.hpp"
#include "commands/commands.hpp"
#include "keys/data_keys.hpp"
#include "keys/idle_keys.hpp"
#include "pipeline/context.hpp"
#include "pipeline/pipeline.hpp"
#include "pipeline/stored.hpp"
#include "report/data_report.hpp"
#include "report/report.hpp"
#include "report/task_report.hpp"
#include "report/version.hpp"

namespace cairn::app {

namespace {

void require_extendable(const ResultDescription& description, const std::string& path) {
  const DataKind& kind = data_kind_named(description.object_kind);
  if (kind.extendable) return;
  throw Error(ErrorKind::usage,
              fmt::format("{} was made from data of the kind {}; its similarities are not defined for other objects{}",
                          path, kind.name, kind.operators.empty() ? "" : ". Approximate the new one by itself"));
}

// The new objects are of the kind that the result's are.
void take_kind(Settings& settings, const ResultDescription& description, const std::string& path) {
  const std::string& kind = description.object_kind;
  if (settings.given("data.kind") && settings.text("data.kind") != kind) {
    throw Error(ErrorKind::usage, fmt::format("{} = {}: {} was made from {}", settings.where("data.kind"),
                                              settings.text("data.kind"), path, kind));
  }
  settings.set("data.kind", kind, path);
}

// The new objects; landmarks that are documents get the numbers that words have in these.
template <class T>
Data<T> load_new(const Execution& execution, const Settings& settings, const ResultDescription& description,
                 const std::string& path, Approximation<T>& approximation) {
  const KnownObjects known = known_for_new_objects(description, path, approximation);
  Data<T> data = load_data<T>(execution, settings, &known);
  match_landmarks(*data.objects, approximation);
  return data;
}

std::string notes_text(const std::vector<std::string>& notes) {
  std::string text;
  for (const std::string& note : notes) text += fmt::format("  note: {}\n", note);
  return text;
}

template <class T>
void extend_as(Job& job, ResultDescription description) {
  const std::string& path = job.arguments.front();
  const std::string& output = job.settings.required("output.path");
  Context context(job.communicator, static_cast<int>(job.settings.integer("run.threads")),
                  static_cast<std::uint64_t>(stored_number(description, "seed")));
  const Execution& execution = context.execution();
  constexpr Index no_tiles = 0;  // factors with tiles are refused
  StoredResult<T> stored = read_result<T>(job.communicator, path, no_tiles);
  if (!stored.approximation.left_origin) {
    throw Error(ErrorKind::usage,
                fmt::format("the factors in {} do not come from similarities with landmarks (method {}); "
                            "they cannot be extended",
                            path, stored.approximation.report.method));
  }
  const Data<T> data = load_new<T>(execution, job.settings, description, path, stored.approximation);
  const auto similarity = make_similarity<T>(execution, stored_similarity(description, job.settings), *data.objects);
  if (!similarity->traits().defined_for_unseen) {
    throw Error(ErrorKind::usage, fmt::format("the similarity {} is not defined for objects that were not in the data",
                                              similarity->traits().name));
  }
  announce_other_scorer(job.communicator, description, job.settings);
  Approximation<T> extended = std::move(stored.approximation);  // under the joining matrix of the old objects
  extend_factors(execution, *similarity, *data.objects, extended);
  const Index evaluations = job.communicator.sum(similarity->evaluations());
  const Index pairs =
      job.settings.given("pairs") ? job.settings.integer("pairs") : default_extension_pairs(evaluations);
  std::vector<std::string> warnings = data.warnings;
  ExtensionError error{{}, description.error};
  if (is_extension(description)) error.base = extension_error(description).base;
  error.rows = measure_extension(execution, extended, *similarity, *data.objects, pairs, warnings);
  description.evaluations = evaluations;
  description.data_digest = data.digest;
  describe_extension(description, error);
  description.provenance["kind"] = "extension";
  description.provenance["extended_from"] = path;
  description.provenance["command_line"] = job.command_line;
  description.provenance["date"] = now_text();
  description.provenance["version"] = version();
  description.provenance["commit"] = commit();
  description.provenance["ranks"] = std::to_string(job.communicator.size());
  const std::vector<std::string> notes = notes_of(data.notes, data.numbers);
  extended.report.notes = notes;  // those of the old objects are in their file
  description.phases = context.phases().summarize(job.communicator);
  extended.report.warnings = warnings;
  const StoredDistances<T>* no_distances = nullptr;
  write_result(execution, {output, "output.path"}, extended, description, data.objects->labels(), Compression::none,
               data.objects->splits(), no_distances, data.numbers.of(data.objects->range()));

  std::ranges::move(extension_warnings(description, output), std::back_inserter(warnings));
  TaskReport measured;
  add_extension(measured, error, path);
  const auto phases = context.phases().summarize(job.communicator);
  const double total = context.seconds();
  print(job.communicator, data_report(data.facts) +
                              fmt::format("  new objects                 {}\n  evaluations                 {}\n",
                                          grouped(data.objects->size()), grouped(evaluations)) +
                              text_of(measured.text) + fmt::format("  result                      {}\n\n", output) +
                              warning_lines(warnings) + notes_text(notes) + phase_report(phases, total));
  nlohmann::ordered_json json = header_json(job, execution.threads);
  json["file"] = path;
  json["output"] = output;
  json["n"] = data.objects->size();
  json[data.facts_name] = data_json(data.facts);
  json["evaluations"] = evaluations;
  json["probe_evaluations"] = error.rows ? error.rows->evaluations : 0;
  json.update(json_of(measured.figures));
  json["warnings"] = warnings;
  json["notes"] = notes;
  json.update(phases_json(phases, total));
  write_json(job, json);
}

// Keys that would have no effect whatever the objects of the result are.
void refuse_keys_of_no_kind(const Settings& settings) {
  if (settings.given(data_key)) return refuse_idle_data_keys(settings);
  std::optional<Error> first;
  for (const DataKind* kind : data_kinds()) {
    if (!kind->extendable) continue;
    Settings of_kind = settings;
    of_kind.set(data_key, kind->name, "");
    try {
      return refuse_idle_data_keys(of_kind);
    } catch (const Error& error) {
      if (!first) first = error;
    }
  }
  if (first) throw *first;
}

}  // namespace

// Which keys of [data] have an effect depends on the kind of objects, which the result states if no key does.
void check_extend(const Settings& settings, const std::vector<std::string>& /*arguments*/) {
  settings.required("output.path");
  if (settings.given("pairs") && settings.integer("pairs") == 1) {
    throw Error(ErrorKind::usage, "--pairs 1: an error with a standard error needs at least 2 pairs; 0 measures none");
  }
  refuse_keys_of_no_kind(settings);
}

void run_extend(Job& job) {
  check_output(job, "output.path");
  check_output(job, "json");
  const std::string& path = job.arguments.front();
  const ResultDescription description = read_result_description(job.communicator, path);
  require_extendable(description, path);
  take_kind(job.settings, description, path);
  refuse_idle_data_keys(job.settings);
  print(job.communicator, header(job, static_cast<int>(job.settings.integer("run.threads"))));
  with_precision(description.precision, [&](auto number) { extend_as<decltype(number)>(job, description); });
}

}  // namespace cairn::app
