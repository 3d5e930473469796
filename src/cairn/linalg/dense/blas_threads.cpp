#include "cairn/linalg/dense/blas_threads.hpp"

#include <dlfcn.h>

#include <algorithm>

#include "cairn/linalg/dense/dense_algorithms.hpp"

namespace cairn {

namespace {

// The BLAS is chosen when the program is loaded (Debian's alternatives), so its own functions are looked up at run
// time.
template <class Signature>
Signature* find(std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (void* symbol = dlsym(RTLD_DEFAULT, name)) return reinterpret_cast<Signature*>(symbol);
  return nullptr;
}

int blas_threads() {
  static auto* const get = find<int()>({"openblas_get_num_threads", "MKL_Get_Max_Threads"});
  return get != nullptr ? get() : 0;
}

}  // namespace

void set_blas_threads(int threads) {
  static auto* const set = find<void(int)>({"openblas_set_num_threads", "MKL_Set_Num_Threads"});
  if (set != nullptr) set(std::max(threads, 1));
}

BlasThreads::BlasThreads(int threads) : before_(blas_threads()) { set_blas_threads(threads); }

BlasThreads::~BlasThreads() {
  if (before_ > 0) set_blas_threads(before_);
}

}  // namespace cairn
