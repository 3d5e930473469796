// What the tasks that train support vector machines are asked for.
#pragma once

#include <string>
#include <vector>

#include "cairn/parameters/values.hpp"
#include "cairn/task/classification/folds.hpp"
#include "cairn/task/classification/plane_rows.hpp"

namespace cairn {

/// The Cs to choose from, ascending. @throws Error(usage) if one is not a number above 0, or a duplicate. Local.
[[nodiscard]] std::vector<double> costs_of(const Values& values);

/// All parameters of the tasks. Local.
[[nodiscard]] std::vector<Parameter> svm_task_parameters();
[[nodiscard]] std::vector<Parameter> kernel_svm_task_parameters();

[[nodiscard]] FoldOrder fold_order_of(const Values& values);

/// The label that is positive: the one that is given; else of two the last; else none, which is empty.
/// @throws Error(input) if no row has the one that is given. Local, the same on every rank.
[[nodiscard]] std::string positive_label(const Values& values, const std::vector<std::string>& labels);

[[nodiscard]] SvmOptions svm_options(const Values& values);

/// True if something is to be chosen, or folds asks for the score of the one candidate. Local.
[[nodiscard]] bool wants_validation(const Values& values, std::size_t candidates);

/// The rules that they share, and why nothing is drawn (TaskDescriptor). @throws Error(usage). Local.
void check_svm(const Values& values, std::size_t results);
/// Of loss, bias, passes and tolerance beside multiclass and each other. @throws Error(usage). Local.
void check_multiclass(const Values& values);
/// Of class-weights beside multiclass. @throws Error(usage). Local.
void check_class_weights(const Values& values);
[[nodiscard]] std::string undrawn_svm(const Values& values, std::size_t results);

/// Sentences on labels of tested rows that no training row has, and the other way round. @param sizes  rows of each
/// label that are trained on @param tested  the same that are tested. Local.
[[nodiscard]] std::vector<std::string> label_notices(const std::vector<std::string>& labels,
                                                     const std::vector<Index>& sizes, const std::vector<Index>& tested);

}  // namespace cairn
