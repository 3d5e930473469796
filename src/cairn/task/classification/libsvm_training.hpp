// LIBSVM's training, as all tasks call it. Private to this folder.
#pragma once

#include <libsvm/svm.h>

#include <memory>

namespace cairn {

struct FreeSupportModel {
  void operator()(svm_model* trained) const { svm_free_and_destroy_model(&trained); }
};

using SupportModel = std::unique_ptr<svm_model, FreeSupportModel>;

/// C-SVC with LIBSVM's own cache and with shrinking.
/// @param rows  outlive the model @param kernel  LINEAR or PRECOMPUTED @param tolerance  of its stopping criterion
/// @throws Error(internal) if LIBSVM refuses them. Local.
[[nodiscard]] SupportModel train_support_vectors(const svm_problem& rows, int kernel, double cost, double tolerance);

}  // namespace cairn
