// The table of selections of landmarks, and the parameters that choose one.
#pragma once

#include <string>
#include <vector>

#include "cairn/landmark/landmark_selection.hpp"

namespace cairn {

/// All selections, the default first. Local.
[[nodiscard]] const std::vector<const LandmarkSelection*>& landmark_selections();

/// The selection of that name. @throws Error(usage) if there is none; it suggests the nearest. Local.
[[nodiscard]] const LandmarkSelection& landmark_selection_named(const std::string& name);

/// Puts a selection in the table: one of a program that uses this library. It outlives all use of the table. Call it
/// before anything else does. @throws Error(usage) if there is one of that name. Local.
void add_landmark_selection(const LandmarkSelection& selection);

/// The names of the parameters beside those of the selections.
namespace landmark_names {
inline const std::string prefix = "landmarks.";    ///< of all of them, beside the parameters of a method
inline const std::string count = "count";          ///< s1
inline const std::string fraction = "fraction";    ///< s1 as a share of the objects
inline const std::string selection = "selection";  ///< how landmarks are chosen
}  // namespace landmark_names

/// count and fraction, which all methods have, and selection, of methods that take landmarks. Local.
[[nodiscard]] std::vector<Parameter> landmark_count_parameters();
[[nodiscard]] Parameter landmark_selection_parameter();

/// All of these and the parameters of all selections, each name once. Local.
[[nodiscard]] std::vector<Parameter> landmark_parameters();

}  // namespace cairn
