// Parameters and rules that several tasks share.
#pragma once

#include <string>
#include <vector>

#include "cairn/parameters/values.hpp"

namespace cairn::task_parameters {

/// The first list and the second. Local.
[[nodiscard]] std::vector<Parameter> with(std::vector<Parameter> own, const std::vector<Parameter>& more);

/// Which rows are trained on: train-fraction, train-rows, split. training_rows.hpp reads them.
[[nodiscard]] std::vector<Parameter> rows();
/// @throws Error(usage) if they exclude each other. Local.
void check_rows(const Values& values);
/// "without NAME" where they draw no rows at random; else empty. Local.
[[nodiscard]] std::string undrawn_rows(const Values& values);

/// The values that a task learns: targets, targets-key. regression/targets.hpp reads them.
[[nodiscard]] std::vector<Parameter> targets();
/// @throws Error(usage) for a key without targets. Local.
void check_targets(const Values& values);

/// Folds of cross-validation.
[[nodiscard]] Parameter folds();
/// How near the optimum `library` stops.
[[nodiscard]] Parameter tolerance(const std::string& library, const std::string& fallback);
/// @throws Error(usage) unless it is above 0. Local.
void check_tolerance(const Values& values);

/// The numbers of a list with commas. @throws Error(usage) if one is not a number above 0. Local.
[[nodiscard]] std::vector<double> positive_numbers(const Values& values, const std::string& name);

}  // namespace cairn::task_parameters
