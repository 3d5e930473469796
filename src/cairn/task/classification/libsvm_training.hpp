// LIBSVM's training, as used by all tasks. Private to this folder.
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
  double positive_weight = 1;  ///< factor of C for rows with the label 1
  double tolerance = 1e-3;     ///< of LIBSVM's stopping criterion
};

/// C-SVC with LIBSVM's cache and with shrinking.
/// @param rows  must outlive the model
/// @throws Error(internal) if LIBSVM rejects the parameters. Local.
[[nodiscard]] SupportModel train_support_vectors(const svm_problem& rows, const SupportOptions& options);

}  // namespace cairn
