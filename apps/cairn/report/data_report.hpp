// Description of the data that were read, for the report and the JSON object.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cairn/data/data_kind.hpp"

namespace cairn::app {

/// Lines for the facts about the data that have a label. Local.
[[nodiscard]] std::string data_report(const std::vector<DataFact>& facts);
/// A JSON object of the facts that have a key. Local.
[[nodiscard]] nlohmann::ordered_json data_json(const std::vector<DataFact>& facts);

}  // namespace cairn::app
