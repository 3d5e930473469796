#include "cairn/task/classification/libsvm_training.hpp"

#include <fmt/format.h>

#include "cairn/base/error.hpp"

namespace cairn {

SupportModel train_support_vectors(const svm_problem& rows, int kernel, double cost, double tolerance) {
  svm_parameter how{};
  how.svm_type = C_SVC;
  how.kernel_type = kernel;
  how.cache_size = 100;  // megabytes, LIBSVM's own default
  how.eps = tolerance;
  how.C = cost;
  how.shrinking = 1;
  if (const char* refused = svm_check_parameter(&rows, &how)) {
    throw Error(ErrorKind::internal, fmt::format("LIBSVM: {}", refused));
  }
  return SupportModel(svm_train(&rows, &how));
}

}  // namespace cairn
