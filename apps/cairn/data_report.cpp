#include "data_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cairn/parameters/units.hpp"

namespace cairn::app {

namespace {

using nlohmann::ordered_json;

std::string line(const char* name, const std::string& text) { return fmt::format("  {:<26}  {}\n", name, text); }

std::string plural(Index count, const char* one) {
  return fmt::format("{} {}{}", grouped(count), one, count == 1 ? "" : "s");
}

}  // namespace

std::string name_list(const std::vector<std::string>& names) {
  constexpr std::size_t shown = 12;
  std::string text;
  for (std::size_t k = 0; k < std::min(names.size(), shown); ++k) {
    text += (k == 0 ? "" : ", ") + (names[k].empty() ? "''" : names[k]);
  }
  if (names.size() > shown) text += fmt::format(", ... ({} names)", grouped(std::ssize(names)));
  return text;
}

std::string data_report(const PointReport& report) {
  if (report.file_columns == 0) return {};
  const PointColumns& columns = report.columns;
  std::string text = line("data", fmt::format("{}, {}", report.format, plural(report.file_columns, "column")));
  if (report.header || !columns.names.empty()) text += line("header", name_list(columns.names));
  if (report.text && !report.header) text += line("header", "none, the first line is a point");
  if (!columns.label.empty()) text += line("label column", columns.label);
  if (!report.ignored.empty()) text += line("ignored columns", name_list(report.ignored));
  if (report.skipped > 0) text += line("skipped", plural(report.skipped, "row") + " with missing values");
  return text;
}

std::string data_report(const GraphReport& report, Index vertices, bool weighted) {
  return line("graph", fmt::format("{} {}, {}, {}", grouped(vertices), vertices == 1 ? "vertex" : "vertices",
                                   plural(report.edges, "edge"), plural(report.components, "component"))) +
         line("lengths of edges",
              weighted ? fmt::format("{:.6g} to {:.6g}", report.shortest, report.longest) : "none, each counts 1");
}

ordered_json data_json(const PointReport& report) {
  ordered_json json = ordered_json::object();
  if (report.file_columns == 0) return json;
  json["format"] = report.format;
  json["columns"] = report.file_columns;
  if (report.text) json["has_header"] = report.header;
  json["names"] = report.columns.names;
  json["label"] = report.columns.label;
  json["ignored"] = report.ignored;
  json["skipped_rows"] = report.skipped;
  json["warnings"] = report.warnings;
  return json;
}

ordered_json data_json(const GraphReport& report, Index vertices, bool weighted) {
  ordered_json json = {{"vertices", vertices},
                       {"edges", report.edges},
                       {"components", report.components},
                       {"has_lengths", weighted},
                       {"repeated_edges", report.repeated_edges},
                       {"different_lengths", report.different_lengths}};
  if (weighted) {
    json["shortest"] = report.shortest;
    json["longest"] = report.longest;
  }
  return json;
}

std::vector<std::string> notes_of(const PointReport& report) {
  std::vector<std::string> notes = report.notes;
  std::vector<std::string> names = report.columns.names;
  std::ranges::sort(names);
  const auto repeated = std::ranges::adjacent_find(names);
  if (repeated != names.end()) notes.push_back(fmt::format("several coordinates are columns called {}", *repeated));
  if (report.skipped > 0) {
    notes.push_back(fmt::format("{} with missing values {} skipped", plural(report.skipped, "row"),
                                report.skipped == 1 ? "was" : "were"));
  }
  return notes;
}

template <class T>
std::string data_report(const Data<T>& data) {
  if (data.points != nullptr) return data_report(data.point_report);
  if (data.graph != nullptr) return data_report(data.graph->report(), data.graph->size(), data.graph->weighted());
  if (data.mesh != nullptr) {
    return line("mesh", fmt::format("{} vertices, {}", grouped(data.mesh->size()),
                                    plural(data.mesh->triangle_count(), "triangle")));
  }
  return {};
}

template <class T>
ordered_json data_json(const Data<T>& data) {
  if (data.points != nullptr) return data_json(data.point_report);
  if (data.graph != nullptr) return data_json(data.graph->report(), data.graph->size(), data.graph->weighted());
  if (data.mesh != nullptr) return {{"vertices", data.mesh->size()}, {"triangles", data.mesh->triangle_count()}};
  return ordered_json::object();
}

template std::string data_report(const Data<float>&);
template std::string data_report(const Data<double>&);
template ordered_json data_json(const Data<float>&);
template ordered_json data_json(const Data<double>&);

}  // namespace cairn::app
