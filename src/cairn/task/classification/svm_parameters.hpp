// Parameters of the tasks that train support vector machines.
#pragma once

#include <string>
#include <vector>

#include "cairn/parameters/values.hpp"
#include "cairn/task/classification/folds.hpp"
#include "cairn/task/classification/plane_rows.hpp"

namespace cairn {

/// Values of C to choose from, ascending. @throws Error(usage) if one is not a number above 0, or a duplicate. Local.
[[nodiscard]] std::vector<double> costs_of(const Values& values);

/// All parameters of the tasks. Local.
[[nodiscard]] std::vector<Parameter> svm_task_parameters();
[[nodiscard]] std::vector<Parameter> kernel_svm_task_parameters();

[[nodiscard]] FoldOrder fold_order_of(const Values& values);
/// The parameter that it reads.
[[nodiscard]] Parameter fold_order_parameter();

/// The positive label: the given one; else the last of two; else none (empty).
/// @throws Error(input) if no row has the given label. Local, the same on every rank.
[[nodiscard]] std::string positive_label(const Values& values, const std::vector<std::string>& labels);

[[nodiscard]] SvmOptions svm_options(const Values& values);

/// True if there are several candidates to choose from, or if `folds` requests the score of a single candidate. Local.
[[nodiscard]] bool wants_validation(const Values& values, std::size_t candidates);

/// Checks the rules that both tasks share. @throws Error(usage). Local.
void check_svm(const Values& values, std::size_t results);
/// Checks loss, bias, passes and tolerance against multiclass and each other. @throws Error(usage). Local.
void check_multiclass(const Values& values);
/// Checks class-weights against multiclass. @throws Error(usage). Local.
void check_class_weights(const Values& values);
[[nodiscard]] std::string undrawn_svm(const Values& values, std::size_t results);

/// Sentences on labels that only test rows or only training rows have. @param sizes  number of training rows of each
/// label
/// @param tested  number of test rows of each label. Local.
[[nodiscard]] std::vector<std::string> label_notices(const std::vector<std::string>& labels,
                                                     const std::vector<Index>& sizes, const std::vector<Index>& tested);

}  // namespace cairn
