// cairn extend: factor rows for objects that were not in the data.
#include "cairn/approximation/extend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "cairn/base/error.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/similarity/similarities.hpp"
#include "command.hpp"
#include "context.hpp"
#include "data_report.hpp"
#include "document_data.hpp"
#include "extension_error.hpp"
#include "idle_keys.hpp"
#include "pipeline.hpp"
#include "problem.hpp"
#include "report.hpp"
#include "stored.hpp"
#include "version.hpp"
#include "vertex_data.hpp"

namespace cairn::app {

namespace {

void require_extendable(const ResultDescription& description, const std::string& path) {
  if (description.object_kind == "points" || description.object_kind == "documents") return;
  throw Error(ErrorKind::usage,
              fmt::format("{} was made from data of the kind {}; its similarities are not defined for other objects{}",
                          path, description.object_kind,
                          description.object_kind == "matrix" ? "" : ". Approximate the new one by itself"));
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

// Columns are chosen as they were for the result, unless keys say how. Columns that were ignored there may be missing.
void take_columns(Settings& settings, const ResultDescription& description, const std::string& path) {
  if (!description.columns || settings.text("data.path").empty()) return;
  if (settings.given("data.columns") || settings.given("data.ignore")) return;
  if (!description.columns->chosen.empty()) settings.set("data.columns", description.columns->chosen, path);
  if (!description.columns->ignored.empty()) settings.set("data.ignore", description.columns->ignored, path);
}

// The coordinates of the new points are the same columns in the same order, as far as both files name them.
// @throws Error(input) that names the first one that is not
void compare_columns(const KnownPoints& known, const std::string& new_path, PointReport& report) {
  if (!known.columns || known.columns->names.empty() || report.file_columns == 0) return;
  const std::vector<std::string>& before = known.columns->names;
  const std::vector<std::string>& now = report.columns.names;
  if (now.empty()) {
    report.notes.push_back(fmt::format("{} names no columns; they are taken to be those of {}, in the same order: {}",
                                       new_path, known.path, name_list(before)));
    return;
  }
  const auto different = std::ranges::mismatch(before, now);
  if (different.in1 == before.end()) return;
  const bool elsewhere = contains(now, *different.in1);
  throw Error(ErrorKind::input,
              fmt::format("{}: coordinate {} is the column '{}', and in {} it is '{}'{}", new_path,
                          different.in1 - before.begin() + 1, *different.in2, known.path, *different.in1,
                          elsewhere ? "; data.columns chooses columns and their order" : ""));
}

// The new objects; landmarks that are documents get the numbers that words have in these.
template <class T>
Data<T> load_new(const Execution& execution, const Settings& settings, const ResultDescription& description,
                 const std::string& path, Approximation<T>& approximation) {
  if (description.object_kind != "documents") {
    const KnownPoints known = known_points(description, path);
    Data<T> data = load_data<T>(execution, settings, &known);
    compare_columns(known, settings.text("data.path"), data.point_report);
    return data;
  }
  const auto phase = execution.phases.enter("read");
  const KnownDocuments known = known_documents(description.tokenization.value_or(Tokenization()), approximation);
  Data<T> data = load_documents<T>(execution, settings, &known);
  renumber_landmarks(*data.documents, approximation);
  return data;
}

std::string notes_text(const std::vector<std::string>& notes) {
  std::string text;
  for (const std::string& note : notes) text += fmt::format("  note: {}\n", note);
  return text;
}

template <class T>
std::string texts_read(const Data<T>& data) {
  return data.documents != nullptr ? document_lines(data.document_report, data.objects->size()) : std::string();
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
  if (!similarity->defined_for_unseen()) {
    throw Error(ErrorKind::usage, fmt::format("the similarity {} is not defined for objects that were not in the data",
                                              similarity->name()));
  }
  announce_other_scorer(job.communicator, description, job.settings);
  Approximation<T> extended = std::move(stored.approximation);  // under the joining matrix of the old objects
  extend_factors(execution, *similarity, *data.objects, extended);
  const Index evaluations = job.communicator.sum(similarity->evaluations());
  const Index pairs =
      job.settings.given("pairs") ? job.settings.integer("pairs") : default_extension_pairs(evaluations);
  std::vector<std::string> warnings = warnings_of(data);
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
  extended.report.notes = notes_of(data);  // those of the old objects are in their file
  description.phases = context.phases().summarize(job.communicator);
  extended.report.warnings = warnings;
  const StoredDistances<T>* no_distances = nullptr;
  write_result(execution, {output, "output.path"}, extended, description, data.labels(), Compression::none,
               data.splits(), no_distances, data.numbers.of(data.objects->range()));

  std::ranges::move(extension_warnings(description, output), std::back_inserter(warnings));
  const auto phases = context.phases().summarize(job.communicator);
  const double total = context.seconds();
  print(job.communicator, data_report(data) +
                              fmt::format("  new objects                 {}\n  evaluations                 {}\n",
                                          grouped(data.objects->size()), grouped(evaluations)) +
                              texts_read(data) + extension_report(error, path) +
                              fmt::format("  result                      {}\n\n", output) + warning_lines(warnings) +
                              notes_text(notes_of(data)) + phase_report(phases, total));
  nlohmann::ordered_json json = header_json(job, execution.threads);
  json["file"] = path;
  json["output"] = output;
  json["n"] = data.objects->size();
  json["data"] = data_json(data);
  json["evaluations"] = evaluations;
  json["probe_evaluations"] = error.rows ? error.rows->evaluations : 0;
  json.update(extension_json(error));
  if (data.documents != nullptr) json["documents"] = document_json(data.document_report);
  json["warnings"] = warnings;
  json["notes"] = notes_of(data);
  json.update(phases_json(phases, total));
  write_json(job, json);
}

}  // namespace

// Which keys of [data] do something depends on the kind of objects, which the result tells: where they may be documents
// run_extend looks again.
void check_extend(const Settings& settings, const std::vector<std::string>& /*arguments*/) {
  settings.required("output.path");
  if (settings.given("pairs") && settings.integer("pairs") == 1) {
    throw Error(ErrorKind::usage, "--pairs 1: an error with a standard error needs at least 2 pairs; 0 measures none");
  }
  const std::vector<std::string> formats = {"tsv", "lines", "jsonl", "json", "folder"};
  bool documents = contains(formats, settings.text("data.format"));
  for (const char* key : {"data.test-path", "data.text", "data.split", "data.classes", "data.empty", "data.vectors",
                          "data.words", "data.vectors-format"}) {
    documents = documents || settings.given(key);
  }
  if (!documents) refuse_idle_data_keys(settings);
}

void run_extend(Job& job) {
  check_output(job, "output.path");
  check_output(job, "json");
  const std::string& path = job.arguments.front();
  const ResultDescription description = read_result_description(job.communicator, path);
  require_extendable(description, path);
  take_kind(job.settings, description, path);
  take_columns(job.settings, description, path);
  refuse_idle_data_keys(job.settings);
  print(job.communicator, header(job, static_cast<int>(job.settings.integer("run.threads"))));
  with_precision(description.precision, [&](auto number) { extend_as<decltype(number)>(job, description); });
}

}  // namespace cairn::app
