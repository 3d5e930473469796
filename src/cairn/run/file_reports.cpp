#include "cairn/run/file_reports.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/parameters/units.hpp"
#include "cairn/store/files/model_file.hpp"
#include "cairn/task/classification/classifier_report.hpp"
#include "cairn/task/gaussian/process_report.hpp"
#include "cairn/task/gaussian/vecchia/vecchia_training.hpp"
#include "cairn/task/regression/model_report.hpp"
#include "cairn/task/tasks.hpp"

namespace cairn {

namespace {

std::string type_name(hdf5::ElementType type) {
  using enum hdf5::ElementType::Kind;
  switch (type.kind) {
    case float32:
      return "float32";
    case float64:
      return "float64";
    case int32:
      return "int32";
    case int64:
      return "int64";
    case uint16:
      return "uint16";
    case uint32:
      return "uint32";
    case text:
      return fmt::format("texts of at most {} bytes", type.text_bytes);
  }
  return {};
}

}  // namespace

TaskReport report_of(const StoredEmbedding& stored) {
  const EmbeddingDescription& description = stored.description;
  TaskReport report;
  report.text.metric("objects", fmt::format("{} ({})", grouped(stored.rows), description.object_kind))
      .metric("dimensions", std::to_string(stored.dimension))
      .metric("method", description.method)
      .metric("labels", stored.has_labels ? "yes" : "none");
  for (std::size_t j = 0; j < description.eigenvalues.size(); ++j) {
    report.text.metric(fmt::format("eigenvalue {}", j + 1),
                       fmt::format("{:.6g}, residual {:.1g}", description.eigenvalues[j], description.residuals[j]));
  }
  report.metrics = {{"n", stored.rows},
                    {"dimension", stored.dimension},
                    {"method", description.method},
                    {"object_kind", description.object_kind},
                    {"has_labels", stored.has_labels},
                    {"data_digest", fmt::format("{:016x}", description.data_digest)},
                    {"eigenvalues", description.eigenvalues},
                    {"residuals", description.residuals}};
  for (const auto& [name, value] : description.metrics) {
    report.text.metric(name, fmt::format("{:.6g}", value));
    report.metrics.emplace_back(name, value);
  }
  return report;
}

TaskReport report_of(const StoredOperator& stored) {
  TaskReport report;
  const std::string digest = fmt::format("{:016x}", stored.origin.data_digest);
  report.text.metric("operator", stored.kind)
      .metric("vertices", grouped(stored.vertices))
      .metric("edges", grouped(stored.arcs / 2))
      .metric("scaling of the data", stored.origin.scaling)
      .metric("digest of the data", digest);
  Metric::Record parameters;
  for (const auto& [name, value] : stored.origin.parameters) {
    report.text.metric(name, fmt::format("{}", value));
    parameters.emplace_back(name, value);
  }
  report.metrics = {{"operator", stored.kind},
                    {"n", stored.vertices},
                    {"edges", stored.arcs / 2},
                    {"scaling", stored.origin.scaling},
                    {"data_digest", digest}};
  if (!parameters.empty()) report.metrics.emplace_back("parameters", parameters);
  return report;
}

TaskReport report_of(const StoredFields& stored) {
  TaskReport report;
  report.text.metric("vertices", grouped(stored.vertices)).metric("landmarks", grouped(stored.landmarks));
  Metric::List fields;
  for (const Field& field : stored.fields) {
    report.text.metric(field.name, field.title + (field.vertex < 0 ? "" : fmt::format(" (vertex {})", field.vertex)));
    fields.emplace_back(
        Metric::Record{{"name", field.name}, {"title", field.title}, {"unit", field.unit}, {"vertex", field.vertex}});
  }
  report.metrics = {
      {"cells", stored.cells}, {"n", stored.vertices}, {"landmarks", stored.landmarks}, {"fields", std::move(fields)}};
  return report;
}

TaskReport report_of(const std::string& path, const std::vector<StoredTable>& tables) {
  const auto named = [&](const char* name) {
    return std::ranges::find(tables, name, &StoredTable::name) != tables.end();
  };
  TaskReport report;
  report.text.heading(
      fmt::format("{}: {}", path, named("cluster") && named("merges") ? "clusters of cairn" : "tables"));
  Metric::List list;
  for (const auto& [name, shape] : tables) {
    const std::string size =
        shape.columns < 0 ? grouped(shape.rows) : fmt::format("{} x {}", grouped(shape.rows), grouped(shape.columns));
    report.text.metric(name, fmt::format("{}, {}", size, type_name(shape.type)));
    Metric::Record one{{"name", name}, {"rows", shape.rows}, {"type", type_name(shape.type)}};
    if (shape.columns >= 0) one.emplace_back("columns", shape.columns);
    list.emplace_back(std::move(one));
  }
  report.metrics = {{"file", path}, {"tables", std::move(list)}};
  return report;
}

std::string evaluations_line(Index evaluations, double entries, const std::vector<PhaseSummary>& phases) {
  const auto setup = std::ranges::find(phases, "similarity setup", &PhaseSummary::name);
  const Index before = setup == phases.end() ? 0 : std::min(setup->evaluations, evaluations);
  const double share = static_cast<double>(evaluations - before) / entries;
  std::string text = fmt::format("  evaluations                 {}", grouped(evaluations));
  if (before > 0)
    text += fmt::format(": {} in the similarity setup, {}", grouped(before), grouped(evaluations - before));
  text += fmt::format("{} {:.3g} % of the matrix{}\n", before > 0 ? " of entries," : ",", 100 * share,
                      share > 1 ? " (some entries were evaluated for more than one purpose)" : "");
  return text;
}

std::string near_line(const ResultShape& shape) {
  if (shape.near == 0) return {};
  return fmt::format(
      "  near entries                {} exact ones, of the {} nearest objects of each and the diagonal\n",
      grouped(shape.near_entries), shape.near);
}

ModelDescription describe_model(const Communicator& communicator, const std::string& path) {
  ModelDescription model{.task = read_model_task(communicator, path), .report = {}, .provenance = {}};
  const ModelKind kind = model_kind(communicator, path);
  ReportText& text = model.report.text;
  if (kind == ModelKind::classes) {
    const ClassifierFile classifier = read_classifier(communicator, path);
    if (!classifier.candidates.empty()) text.add(candidate_report(classifier.candidates)).gap();
    text.add(classifier_report(classifier));
    model.report.metrics = classifier_metrics(classifier);
    model.provenance = classifier.provenance;
  } else if (kind == ModelKind::distributions && is_vecchia_file(communicator, path)) {
    Index rows = 0;
    const VecchiaFile process = read_vecchia_description(communicator, path, rows);
    text = vecchia_report(process, rows);
    model.report.metrics = vecchia_metrics(process, rows);
    model.provenance = process.provenance;
  } else if (kind == ModelKind::distributions) {
    const ProcessFile process = read_process(communicator, path);
    text = process_report(process);
    model.report.metrics = process_metrics(process);
    model.provenance = process.provenance;
  } else {
    const ModelFile values = read_model(communicator, path);
    text = model_file_report(values);
    model.report.metrics = model_file_metrics(values);
    model.provenance = values.provenance;
  }
  for (const auto& [name, value] : model.provenance) text.metric(name, value);
  return model;
}

}  // namespace cairn
