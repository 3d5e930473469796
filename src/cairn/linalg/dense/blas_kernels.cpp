#include "cairn/linalg/dense/blas_kernels.hpp"

#include <cstdlib>

#include "cairn/linalg/dense/blas_symbols.hpp"

namespace cairn {

namespace {

// The name that OpenBLAS has for this processor's kernels; empty if it uses suitable ones already.
std::string better_kernels() {
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

}  // namespace

std::string blas_kernels() {
  auto* const name = find_blas<const char*()>({"openblas_get_corename"});
  return name != nullptr ? name() : "";
}

void choose_blas_kernels() {
  constexpr const char* variable = "OPENBLAS_CORETYPE";
  const std::string kernels = better_kernels();
  auto* const quit = find_blas<void()>({"gotoblas_dynamic_quit"});
  auto* const init = find_blas<void()>({"gotoblas_dynamic_init"});
  if (kernels.empty() || std::getenv(variable) != nullptr || quit == nullptr || init == nullptr) return;
  setenv(variable, kernels.c_str(), 1);
  quit();
  init();  // as when OpenBLAS is loaded: it reads the variable
  unsetenv(variable);
}

}  // namespace cairn
