// LIBSVM's training, as all tasks call it. Private to this folder.
#pragma once

#include <libsvm/svm.h>

#include <memory>

namespace cairn {

struct FreeSupportModel {
  void operator()(svm_model* trained) const { svm_free_and_destroy_model(&trained); }
};

using SupportModel = std::unique_ptr<svm_model, FreeSupportModel>;

struct SupportOptions {
  int kernel = 0;              ///< LINEAR or PRECOMPUTED
  double cost = 1.0;           ///< C
  double positive_weight = 1;  ///< by which C is multiplied for rows with the label 1
  double tolerance = 1e-3;     ///< of LIBSVM's stopping criterion
};

/// C-SVC with LIBSVM's own cache and with shrinking.
/// @param rows  outlive the model
/// @throws Error(internal) if LIBSVM refuses them. Local.
[[nodiscard]] SupportModel train_support_vectors(const svm_problem& rows, const SupportOptions& options);

}  // namespace cairn
