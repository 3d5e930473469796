#include "report/data_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace cairn::app {

std::string data_report(const std::vector<DataFact>& facts) {
  std::string text;
  for (const DataFact& fact : facts) {
    if (!fact.label.empty()) text += fmt::format("  {:<26}  {}\n", fact.label, fact.text);
  }
  return text;
}

nlohmann::ordered_json data_json(const std::vector<DataFact>& facts) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const DataFact& fact : facts) {
    if (!fact.key.empty()) std::visit([&](const auto& value) { json[fact.key] = value; }, fact.value);
  }
  return json;
}

}  // namespace cairn::app
