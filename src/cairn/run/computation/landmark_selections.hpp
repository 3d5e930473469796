// The table of landmark selections, and the parameters that choose one.
#pragma once

#include <string>
#include <vector>

#include "cairn/landmark/landmark_selection.hpp"

namespace cairn {

/// All selections, the default first. Local.
[[nodiscard]] const std::vector<const LandmarkSelection*>& landmark_selections();

/// The selection of that name. @throws Error(usage) if there is none; the message suggests the nearest. Local.
[[nodiscard]] const LandmarkSelection& landmark_selection_named(const std::string& name);

/// Adds a selection of a program that uses this library to the table. The selection must outlive all use of the table.
/// Call this first. @throws Error(usage) if the name exists already. Local.
void add_landmark_selection(const LandmarkSelection& selection);

/// Names of the parameters other than those of the selections.
namespace landmark_names {
inline const std::string prefix = "landmarks.";            ///< prefix of all of them among the parameters of a method
inline const std::string count = "count";                  ///< s1
inline const std::string fraction = "fraction";            ///< s1 as a share of the objects
inline const std::string selection = "selection";          ///< how landmarks are chosen
inline const std::string error = "error";                  ///< the relative error for which there are enough of them
inline const std::string confidence = "confidence";        ///< the probability with which it holds
inline const std::string require_error = "require-error";  ///< to fail without it
}  // namespace landmark_names

/// count and fraction, for all methods; error, confidence and require-error, and selection, for methods that need
/// landmarks. Local.
[[nodiscard]] std::vector<Parameter> landmark_count_parameters();
[[nodiscard]] std::vector<Parameter> landmark_error_parameters();
[[nodiscard]] Parameter landmark_selection_parameter();

/// All of these and the parameters of all selections, each name once. Local.
[[nodiscard]] std::vector<Parameter> landmark_parameters();

}  // namespace cairn
