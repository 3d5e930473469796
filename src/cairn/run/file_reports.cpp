#include "cairn/run/file_reports.hpp"

#include <fmt/format.h>

#include "cairn/parameters/units.hpp"

namespace cairn {

TaskReport report_of(const StoredEmbedding& stored) {
  const EmbeddingDescription& description = stored.description;
  TaskReport report;
  report.text.figure("objects", fmt::format("{} ({})", grouped(stored.rows), description.object_kind))
      .figure("dimensions", std::to_string(stored.dimension))
      .figure("method", description.method)
      .figure("labels", stored.has_labels ? "yes" : "none");
  for (std::size_t j = 0; j < description.eigenvalues.size(); ++j) {
    report.text.figure(fmt::format("eigenvalue {}", j + 1),
                       fmt::format("{:.6g}, residual {:.1g}", description.eigenvalues[j], description.residuals[j]));
  }
  report.figures = {{"n", stored.rows},
                    {"dimension", stored.dimension},
                    {"method", description.method},
                    {"object_kind", description.object_kind},
                    {"has_labels", stored.has_labels},
                    {"data_digest", fmt::format("{:016x}", description.data_digest)},
                    {"eigenvalues", description.eigenvalues},
                    {"residuals", description.residuals}};
  for (const auto& [name, value] : description.figures) {
    report.text.figure(name, fmt::format("{:.6g}", value));
    report.figures.emplace_back(name, value);
  }
  return report;
}

TaskReport report_of(const StoredOperator& stored) {
  TaskReport report;
  const std::string digest = fmt::format("{:016x}", stored.origin.data_digest);
  report.text.figure("operator", stored.kind)
      .figure("vertices", grouped(stored.vertices))
      .figure("edges", grouped(stored.arcs / 2))
      .figure("scaling of the data", stored.origin.scaling)
      .figure("digest of the data", digest);
  Figure::Record parameters;
  for (const auto& [name, value] : stored.origin.parameters) {
    report.text.figure(name, fmt::format("{}", value));
    parameters.emplace_back(name, value);
  }
  report.figures = {{"operator", stored.kind},
                    {"n", stored.vertices},
                    {"edges", stored.arcs / 2},
                    {"scaling", stored.origin.scaling},
                    {"data_digest", digest}};
  if (!parameters.empty()) report.figures.emplace_back("parameters", parameters);
  return report;
}

}  // namespace cairn
