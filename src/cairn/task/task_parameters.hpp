// Parameters and rules that several tasks share.
#pragma once

#include <string>
#include <vector>

#include "cairn/parameters/values.hpp"

namespace cairn::task_parameters {

/// Concatenation of both lists. Local.
[[nodiscard]] std::vector<Parameter> with(std::vector<Parameter> own, const std::vector<Parameter>& more);

/// Parameters that choose the training rows: train-fraction, train-rows, split. Read by training_rows.hpp.
[[nodiscard]] std::vector<Parameter> rows();
/// @throws Error(usage) if the given ones exclude each other. Local.
void check_rows(const Values& values);
/// "without NAME" if no rows are drawn at random; else empty. Local.
[[nodiscard]] std::string undrawn_rows(const Values& values);

/// Parameters for the values that a task learns: targets, targets-key. Read by regression/targets.hpp.
[[nodiscard]] std::vector<Parameter> targets();
/// @throws Error(usage) for a key without targets. Local.
void check_targets(const Values& values);

/// Number of folds of cross-validation.
[[nodiscard]] Parameter folds();
/// Tolerance at which `library` stops near the optimum.
[[nodiscard]] Parameter tolerance(const std::string& library, const std::string& fallback);
/// @throws Error(usage) unless it is above 0. Local.
void check_tolerance(const Values& values);

/// Numbers of a comma-separated list. @throws Error(usage) if one is not a number above 0. Local.
[[nodiscard]] std::vector<double> positive_numbers(const Values& values, const std::string& name);

}  // namespace cairn::task_parameters
