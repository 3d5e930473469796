#include "cairn/linalg/dense/blas_threads.hpp"

#include <algorithm>

#include "cairn/linalg/dense/blas_symbols.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"

namespace cairn {

namespace {

int blas_threads() {
  static auto* const get = find_blas<int()>({"openblas_get_num_threads", "MKL_Get_Max_Threads"});
  return get != nullptr ? get() : 0;
}

}  // namespace

void set_blas_threads(int threads) {
  static auto* const set = find_blas<void(int)>({"openblas_set_num_threads", "MKL_Set_Num_Threads"});
  if (set != nullptr) set(std::max(threads, 1));
}

BlasThreads::BlasThreads(int threads) : before_(blas_threads()) { set_blas_threads(threads); }

BlasThreads::~BlasThreads() {
  if (before_ > 0) set_blas_threads(before_);
}

}  // namespace cairn
