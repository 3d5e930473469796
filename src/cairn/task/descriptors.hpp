// The tasks, each defined in its own folder and listed in tasks.cpp.
#pragma once

#include "cairn/task/task.hpp"

namespace cairn {

/// krr: kernel ridge regression on the factors of stored results. Trains one model per result; predictions are the mean
/// over the models. docs/task-krr.md
[[nodiscard]] const TaskDescriptor& ridge_task();
/// gp: Gaussian process regression on the factor rows of a result, one process per target. docs/task-gp.md
[[nodiscard]] const TaskDescriptor& process_task();
/// svm: linear support vector machines on factors. Cross-validation chooses among several values of C and several
/// results. docs/task-svm.md
[[nodiscard]] const TaskDescriptor& svm_task();
/// kernel-svm: support vector machines on the matrix itself, for small sets. The model is scored, not stored.
/// docs/task-svm.md
[[nodiscard]] const TaskDescriptor& kernel_svm_task();
/// knn: the classes of the nearest objects by K itself; their number is chosen by cross-validation. docs/task-knn.md
[[nodiscard]] const TaskDescriptor& neighbor_task();
/// Clusters of the objects of a result by average linkage, and their scores against a given clustering.
[[nodiscard]] const TaskDescriptor& linkage_task();
/// Coordinates of the objects of a result: classical scaling and kernel principal component analysis.
[[nodiscard]] const TaskDescriptor& scaling_task();
/// A linear model on features of the inputs that replaces a network with one hidden layer. Reads the network
/// (TaskInput::results) and points, and writes a ClassifierFile that contains the features.
[[nodiscard]] const TaskDescriptor& linearize_task();

}  // namespace cairn
