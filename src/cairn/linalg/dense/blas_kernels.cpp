#include "cairn/linalg/dense/blas_kernels.hpp"

#include "cairn/linalg/dense/blas_symbols.hpp"

namespace cairn {

std::string blas_kernels() {
  auto* const name = find_blas<const char*()>({"openblas_get_corename"});
  return name != nullptr ? name() : "";
}

std::string better_blas_kernels() {
#ifdef __x86_64__
  if (blas_kernels() != "Prescott") return {};
  if (__builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
      __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512vl") != 0) {
    return "SkylakeX";
  }
  if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0) return "Haswell";
#endif
  return {};
}

}  // namespace cairn
