#include "report/task_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/report.hpp"

namespace cairn::app {

namespace {

using nlohmann::ordered_json;

struct ToJson {
  ordered_json operator()(std::monostate) const { return nullptr; }
  ordered_json operator()(const Metric::List& list) const {
    ordered_json json = ordered_json::array();
    for (const Metric& one : list) json.push_back(json_of(one));
    return json;
  }
  ordered_json operator()(const Metric::Record& record) const {
    ordered_json json = ordered_json::object();
    for (const auto& [name, metric] : record) json[name] = json_of(metric);
    return json;
  }
  template <class T>
  ordered_json operator()(const T& value) const {
    return value;
  }
};

std::string text_of(const ReportText::Part& part) {
  switch (part.kind) {
    case ReportText::Kind::heading:
      return part.text + "\n";
    case ReportText::Kind::metric:
      return fmt::format("  {:<26}  {}\n", part.label, part.text);
    case ReportText::Kind::table:
      return table(part.rows);
    case ReportText::Kind::note:
      return fmt::format("  note: {}\n", part.text);
    case ReportText::Kind::warning:
      return warning_lines({part.text});
    case ReportText::Kind::gap:
      break;
  }
  return "\n";
}

}  // namespace

std::string text_of(const ReportText& text) {
  std::string lines;
  for (const ReportText::Part& part : text.parts()) lines += text_of(part);
  return lines;
}

ordered_json json_of(const Metric& metric) { return std::visit(ToJson{}, metric.value()); }

}  // namespace cairn::app
