// The parameters by which landmarks are chosen. Configs and programs know them by the same names.
#pragma once

#include <string>
#include <vector>

#include "cairn/parameters/key_names.hpp"
#include "cairn/parameters/parameter.hpp"

namespace cairn::landmark_parameters {

inline const std::string prefix = "landmarks.";
inline const std::string count = prefix + "count";          ///< s1
inline const std::string fraction = prefix + "fraction";    ///< s1 as a share of the objects
inline const std::string selection = prefix + "selection";  ///< how they are chosen: one of the names below
inline const std::string path = prefix + "path";            ///< of the file that lists them

inline const std::string uniform = "uniform";
inline const std::string farthest = "farthest";
inline const std::string rpcholesky = "rpcholesky";
inline const std::string file = "file";

/// count and fraction, which all methods have, and selection and path, of methods that take landmarks. Local.
[[nodiscard]] std::vector<Parameter> of_all_methods();
[[nodiscard]] std::vector<Parameter> of_selections();

}  // namespace cairn::landmark_parameters
