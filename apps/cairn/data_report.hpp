// What was read, for the report and the JSON object.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "pipeline.hpp"

namespace cairn::app {

/// Lines about the data as they were read: columns, header, labels, ignored columns and skipped rows of points; size
/// and lengths of a graph; size of a mesh. Empty for other data. Local.
template <class T>
[[nodiscard]] std::string data_report(const Data<T>& data);
/// The same as an object: format, columns, header, label, ... of points; vertices, edges, ... of a graph or mesh.
/// Local.
template <class T>
[[nodiscard]] nlohmann::ordered_json data_json(const Data<T>& data);

/// The lines and the object of points, and of a graph with so many vertices. Local.
[[nodiscard]] std::string data_report(const PointReport& report);
[[nodiscard]] std::string data_report(const GraphReport& report, Index vertices, bool weighted);
[[nodiscard]] nlohmann::ordered_json data_json(const PointReport& report);
[[nodiscard]] nlohmann::ordered_json data_json(const GraphReport& report, Index vertices, bool weighted);

/// What reading points left out, in sentences for the user. Local.
[[nodiscard]] std::vector<std::string> notes_of(const PointReport& report);

/// Names with commas, shortened if there are many; a column without a name as ''. Local.
[[nodiscard]] std::string name_list(const std::vector<std::string>& names);

}  // namespace cairn::app
