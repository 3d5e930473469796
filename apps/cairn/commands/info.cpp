// cairn info: the contents of a file.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/data_kinds.hpp"
#include "cairn/data/documents/tokenization_parameters.hpp"
#include "cairn/data/points/point_keys.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/run/distances/reweighing.hpp"
#include "cairn/run/file_reports.hpp"
#include "cairn/run/transport/transport_report.hpp"
#include "cairn/store/checkpoint/checkpoint.hpp"
#include "cairn/store/files/fields_file.hpp"
#include "cairn/store/files/model_file.hpp"
#include "cairn/store/files/verify_file.hpp"
#include "cairn/store/hdf5/table_file.hpp"
#include "cairn/store/result/check_result.hpp"
#include "cairn/store/result/extension.hpp"
#include "cairn/store/result/result_file.hpp"
#include "cairn/task/tasks.hpp"
#include "commands/commands.hpp"
#include "report/report.hpp"
#include "report/task_report.hpp"

namespace cairn::app {

namespace {

std::string checkpoint_text(const std::string& path, const CheckpointContents& contents) {
  std::string text =
      fmt::format("{}: a checkpoint of cairn, {} {}, {}\n", path, contents.runs,
                  contents.runs == 1 ? "run so far" : "runs so far", format_bytes(static_cast<double>(contents.bytes)));
  for (const LoopProgress& loop : contents.loops) {
    text += fmt::format("  {:<26}  {} of {} tiles\n", loop.name, grouped(loop.finished), grouped(loop.tiles));
  }
  if (contents.loops.empty()) text += contents.notes.empty() ? "  no loop was begun\n" : "  no loop is known\n";
  for (const std::string& note : contents.notes) text += fmt::format("  note: {}\n", note);
  text += "\nOf\n";
  for (const auto& [name, value] : contents.identity) text += fmt::format("  {:<26}  {}\n", name, value);
  return text;
}

std::string provenance_text(const std::map<std::string, std::string>& provenance) {
  std::string text;
  for (const auto& [name, value] : provenance) {
    if (name != "config" && name != "new_config") text += fmt::format("  {:<26}  {}\n", name, value);
  }
  for (const auto& [name, heading] :
       {std::pair("config", "Config"), std::pair("new_config", "Config of the new objects")}) {
    const auto config = provenance.find(name);
    if (config != provenance.end()) text += fmt::format("\n{}\n{}", heading, config->second);
  }
  return text;
}

// Information that only documents and corpora have.
std::string document_text(const ResultDescription& description) {
  const bool documents = description.object_kind == document_data().name;
  std::string text;
  if (!description.tokenization) {
    return documents ? text + "  words                       none: the documents are texts\n" : text;
  }
  text += "  words                       " + description_of(*description.tokenization);
  if (description.dimension > 0) text += fmt::format(", vectors of {} numbers", description.dimension);
  return text + '\n';
}

// Columns of a file that became coordinates.
std::string column_text(const ResultDescription& description) {
  if (!description.columns) return {};
  const PointColumns& columns = *description.columns;
  std::string text;
  if (!columns.names.empty()) text += fmt::format("  columns                     {}\n", name_list(columns.names));
  if (!columns.label.empty()) text += fmt::format("  label column                {}\n", columns.label);
  if (!columns.ignored.empty()) text += fmt::format("  ignored columns             {}\n", columns.ignored);
  return text;
}

// What a dense factor is stored as, if not as numbers of its precision.
std::string integer_text(Index bytes) { return bytes > 0 ? fmt::format(", stored as {}-bit integers", 8 * bytes) : ""; }

std::string info_text(const std::string& path, const ResultShape& shape, const ResultDescription& description,
                      const MethodReport& method) {
  std::string text = fmt::format(
      "{}: a result of cairn, format {}\n"
      "  objects                     {} ({})\n"
      "  left factor                 {} x {}, {} precision{}\n"
      "  right factor                {}\n"
      "  core matrix                 {}\n"
      "  transform, meaning          {}, {}\n"
      "  symmetric                   {}\n"
      "  labels                      {}\n"
      "  splits, groups              {}, {}\n"
      "  numbers in the file         {}\n"
      "{}{}{}"
      "  similarity                  {}\n",
      path, shape.format_version, grouped(shape.rows), description.object_kind, grouped(shape.rows),
      grouped(shape.left_columns), shape.precision,
      shape.left_stored ? integer_text(shape.left_integer_bytes) : ", not kept: evaluated from the landmarks",
      shape.has_right ? fmt::format("{} x {}{}", grouped(shape.right_rows), grouped(shape.right_columns),
                                    integer_text(shape.right_integer_bytes))
                      : "the left one",
      shape.core_layout, shape.transform, shape.meaning, shape.symmetric ? "yes" : "no",
      shape.has_labels ? "yes" : "none", shape.has_splits ? "yes" : "none", shape.has_groups ? "yes" : "none",
      shape.has_numbers ? "other than the rows" : "the rows",
      shape.has_hierarchy()
          ? fmt::format("  hierarchy of paths          {} arcs: query and evaluate have exact lengths\n",
                        grouped(shape.hierarchy_arcs))
          : "",
      near_line(shape), document_text(description) + column_text(description), description.similarity);
  for (const auto& [key, value] : description.similarity_parameters) text += fmt::format("    {} = {}\n", key, value);
  text += fmt::format(
      "  method                      {}\n"
      "  landmark selection          {}\n"
      "  scaling                     {}\n"
      "  evaluations                 {}\n",
      method.method, description.landmark_selection,
      description.scaling == "none" && !description.scaling_shift.empty() ? "none, but the mean is subtracted"
                                                                          : description.scaling,
      grouped(description.evaluations));
  if (description.error) text += error_report(*description.error, error_over(description));
  text += promise_line(description);
  for (const auto& [name, value] : description.metrics) text += fmt::format("  {:<26}  {:.4g}\n", name, value);
  text += remarks(method);
  text += warning_lines(extension_warnings(description, path));
  return text + provenance_text(description.provenance);
}

nlohmann::ordered_json info_json(const std::string& path, const ResultShape& shape,
                                 const ResultDescription& description, const MethodReport& method) {
  nlohmann::ordered_json parameters = nlohmann::ordered_json::object();
  for (const auto& [key, value] : description.similarity_parameters) parameters[key] = value;
  nlohmann::ordered_json json = {{"format_version", shape.format_version},
                                 {"n", shape.rows},
                                 {"left_columns", shape.left_columns},
                                 {"left_stored", shape.left_stored},
                                 {"right_rows", shape.right_rows},
                                 {"right_columns", shape.right_columns},
                                 {"has_right", shape.has_right},
                                 {"symmetric", shape.symmetric},
                                 {"joining_layout", shape.core_layout},
                                 {"transform", shape.transform},
                                 {"meaning", shape.meaning},
                                 {"precision", shape.precision},
                                 {"left_integer_bits", 8 * shape.left_integer_bytes},
                                 {"right_integer_bits", 8 * shape.right_integer_bytes},
                                 {"has_labels", shape.has_labels},
                                 {"has_splits", shape.has_splits},
                                 {"has_groups", shape.has_groups},
                                 {"has_numbers", shape.has_numbers},
                                 {"near", shape.near},
                                 {"near_entries", shape.near_entries},
                                 {"hierarchy_arcs", std::max<Index>(0, shape.hierarchy_arcs)},
                                 {"object_kind", description.object_kind},
                                 {"dimension", description.dimension},
                                 {"similarity", description.similarity},
                                 {"similarity_parameters", parameters},
                                 {"landmark_selection", description.landmark_selection},
                                 {"scaling", description.scaling},
                                 {"evaluations", description.evaluations},
                                 {"data_digest", fmt::format("{:016x}", description.data_digest)},
                                 {"provenance", description.provenance}};
  if (description.tokenization) {
    json["tokens"] = description.tokenization->pieces;
    json["lower_case"] = description.tokenization->lower_case;
    json["stop_words"] = description.tokenization->stop_words.size();
  }
  if (description.columns) {
    json["columns"] = description.columns->names;
    json["label_column"] = description.columns->label;
    json["ignored_columns"] = description.columns->ignored;
  }
  json.update(method_json(method));
  for (const std::string& warning : extension_warnings(description, path)) json["warnings"].push_back(warning);
  if (description.error) json.update(error_json(*description.error, error_over(description)));
  for (const auto& [name, value] : description.metrics) json[name] = value;
  if (!description.growth.empty()) json["error_growth"] = growth_json(description);
  return json;
}

// Read by one rank: its files are small except for the tiles, which are skipped.
void info_of_checkpoint(const Job& job, const std::string& path) {
  std::string text;
  nlohmann::ordered_json json = {{"file", path}};
  collectively(job.communicator, [&] {
    if (!job.communicator.is_root()) return;
    const CheckpointContents contents = read_checkpoint(path);
    text = checkpoint_text(path, contents);
    json["runs"] = contents.runs;
    json["bytes"] = contents.bytes;
    json["identity"] = contents.identity;
    json["notes"] = contents.notes;
    json["loops"] = nlohmann::ordered_json::array();
    for (const LoopProgress& loop : contents.loops)
      json["loops"].push_back({{"name", loop.name}, {"tiles", loop.tiles}, {"finished", loop.finished}});
  });
  print_result(job.communicator, text);
  write_json(job, json);
}

// Shows the description of a file that is not a result.
void show(const Job& job, const std::string& path, const std::string& what, int format_version,
          const TaskReport& report, const std::map<std::string, std::string>* provenance = nullptr) {
  print_result(job.communicator, fmt::format("{}: {} of cairn, format {}\n", path, what, format_version) +
                                     text_of(report.text) +
                                     (provenance != nullptr ? provenance_text(*provenance) : ""));
  nlohmann::ordered_json json = {{"file", path}, {"format_version", format_version}};
  json.update(json_of(report.metrics));
  if (provenance != nullptr) json["provenance"] = *provenance;
  write_json(job, json);
}

void info_of_fields(const Job& job, const std::string& path) {
  const StoredFields stored = read_fields_description(job.communicator, path);
  const TaskReport report = report_of(stored);
  print_result(job.communicator, fmt::format("{}: fields of cairn on {}\n", path, stored.cells) + text_of(report.text));
  nlohmann::ordered_json json = {{"file", path}};
  json.update(json_of(report.metrics));
  write_json(job, json);
}

void info_of_model(const Job& job, const std::string& path) {
  const ModelDescription model = describe_model(job.communicator, path);
  print_result(job.communicator,
               fmt::format("{}: a model of cairn {}, task {}\n", path, task_named(model.task).command, model.task) +
                   text_of(model.report.text));
  nlohmann::ordered_json json = {{"file", path}};
  json.update(json_of(model.report.metrics));
  json["provenance"] = model.provenance;
  write_json(job, json);
}

void info_of_tables(const Job& job, const std::string& path, const std::vector<StoredTable>& tables) {
  const TaskReport report = report_of(path, tables);
  print_result(job.communicator, text_of(report.text));
  write_json(job, json_of(report.metrics));
}

// Detects missing parts, which checksums do not. Collective.
void check_parts(const Communicator& communicator, const std::string& path) {
  if (is_result(communicator, path)) check_result(communicator, path);
  if (is_embedding(communicator, path)) static_cast<void>(read_embedding_description(communicator, path));
  if (is_transport(communicator, path)) static_cast<void>(read_transport_description(communicator, path));
  if (is_model_file(communicator, path)) static_cast<void>(describe_model(communicator, path));
  if (is_operator(communicator, path)) static_cast<void>(read_operator_description(communicator, path));
  if (is_fields(communicator, path)) static_cast<void>(read_fields_description(communicator, path));
  if (is_completed_graph(communicator, path)) static_cast<void>(read_completed_graph(communicator, path));
}

// Verifies all data sets; the first damaged one is reported as an error.
void info_of_checksums(const Job& job, const std::string& path) {
  const VerifiedFile verified = verify_file(job.communicator, path);
  check_parts(job.communicator, path);  // throws for a missing part that is required
  if (verified.removed > 0) {
    throw Error(ErrorKind::input,
                fmt::format("{}: {} of its {} data sets are missing: another program has removed them; make it again",
                            path, verified.removed, verified.data_sets + verified.removed));
  }
  const bool none = verified.without == verified.data_sets;
  print_result(job.communicator, fmt::format("{}: {}\n"
                                             "  data sets                   {}, {} of them without a checksum\n"
                                             "  checked                     {}\n",
                                             path, none ? "has no checksums to verify" : "no damage was found",
                                             grouped(verified.data_sets), grouped(verified.without),
                                             format_bytes(static_cast<double>(verified.bytes))));
  write_json(job, {{"file", path},
                   {"data_sets", verified.data_sets},
                   {"without_checksum", verified.without},
                   {"checked_bytes", verified.bytes}});
}

}  // namespace

void run_info(Job& job) {
  check_output(job, "json");
  const std::string& path = job.arguments.front();
  bool checkpoint = job.communicator.is_root() && is_checkpoint(path);
  job.communicator.broadcast(std::span(&checkpoint, 1), 0);
  if (checkpoint && job.settings.flag("verify")) {
    throw Error(ErrorKind::usage, "--verify is for HDF5 files; what is damaged in a checkpoint is always reported");
  }
  if (checkpoint) return info_of_checkpoint(job, path);
  if (job.settings.flag("verify")) return info_of_checksums(job, path);
  if (is_embedding(job.communicator, path)) {
    const StoredEmbedding stored = read_embedding_description(job.communicator, path);
    return show(job, path, "an embedding", stored.format_version, report_of(stored), &stored.description.provenance);
  }
  if (is_transport(job.communicator, path)) {
    const StoredTransport stored = read_transport_description(job.communicator, path);
    return show(job, path, "a plan of transport", stored.format_version, report_of(stored),
                &stored.description.provenance);
  }
  if (is_model_file(job.communicator, path)) return info_of_model(job, path);
  if (is_operator(job.communicator, path)) {
    const StoredOperator stored = read_operator_description(job.communicator, path);
    return show(job, path, "a biharmonic operator", stored.format_version, report_of(stored));
  }
  if (is_fields(job.communicator, path)) return info_of_fields(job, path);
  if (is_completed_graph(job.communicator, path)) {
    const NumberedCompletion stored = read_completed_graph(job.communicator, path);
    return show(job, path, "a hierarchy", completed_graph_format_version, report_of(stored));
  }
  if (const auto tables = read_table_list(job.communicator, path); !tables.empty()) {
    return info_of_tables(job, path, tables);
  }
  const ResultShape shape = read_result_shape(job.communicator, path);
  const ResultDescription description = read_result_description(job.communicator, path);
  const MethodReport method = read_result_report(job.communicator, path);
  print_result(job.communicator, info_text(path, shape, description, method));
  nlohmann::ordered_json json = {{"file", path}};
  json.update(info_json(path, shape, description, method));
  write_json(job, json);
}

}  // namespace cairn::app
