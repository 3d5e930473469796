#include "cairn/task/classification/libsvm_training.hpp"

#include <fmt/format.h>

#include "cairn/base/error.hpp"

namespace cairn {

SupportModel train_support_vectors(const svm_problem& rows, const SupportOptions& options) {
  svm_parameter how{};
  how.svm_type = C_SVC;
  how.kernel_type = options.kernel;
  how.cache_size = 100;  // megabytes, LIBSVM's own default
  how.eps = options.tolerance;
  how.C = options.cost;
  int label = 1;
  double weight = options.positive_weight;
  if (weight != 1.0) {
    how.nr_weight = 1;
    how.weight_label = &label;
    how.weight = &weight;
  }
  how.shrinking = 1;
  if (const char* refused = svm_check_parameter(&rows, &how)) {
    throw Error(ErrorKind::internal, fmt::format("LIBSVM: {}", refused));
  }
  return SupportModel(svm_train(&rows, &how));
}

}  // namespace cairn
