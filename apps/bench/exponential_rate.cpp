#include "exponential_rate.hpp"

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

// GCC calls libmvec from a simd loop once the function is declared simd.
#pragma omp declare simd notinbranch
extern "C" double exp(double) noexcept;
#pragma omp declare simd notinbranch
extern "C" float expf(float) noexcept;

#ifdef CAIRN_BENCH_SLEEF
extern "C" {
__m512d Sleef_expd8_u10avx512f(__m512d);
__m512 Sleef_expf16_u10avx512f(__m512);
__m256d Sleef_expd4_u10avx2(__m256d);
__m256 Sleef_expf8_u10avx2(__m256);
}
#endif

#define CAIRN_EACH_LEVEL __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))

namespace cairn::bench {

namespace {

constexpr int count = 1024;
template <class T>
using Values = std::array<T, count>;

CAIRN_EACH_LEVEL void by_libmvec(const double* x, double* y) {
#pragma omp simd
  for (int i = 0; i < count; ++i) y[i] = ::exp(x[i]);
}
CAIRN_EACH_LEVEL void by_libmvec(const float* x, float* y) {
#pragma omp simd
  for (int i = 0; i < count; ++i) y[i] = ::expf(x[i]);
}

#ifdef CAIRN_BENCH_SLEEF
__attribute__((target("avx512f"))) void by_sleef_512(const double* x, double* y) {
  for (int i = 0; i < count; i += 8) _mm512_storeu_pd(y + i, Sleef_expd8_u10avx512f(_mm512_loadu_pd(x + i)));
}
__attribute__((target("avx512f"))) void by_sleef_512(const float* x, float* y) {
  for (int i = 0; i < count; i += 16) _mm512_storeu_ps(y + i, Sleef_expf16_u10avx512f(_mm512_loadu_ps(x + i)));
}
__attribute__((target("avx2"))) void by_sleef_256(const double* x, double* y) {
  for (int i = 0; i < count; i += 4) _mm256_storeu_pd(y + i, Sleef_expd4_u10avx2(_mm256_loadu_pd(x + i)));
}
__attribute__((target("avx2"))) void by_sleef_256(const float* x, float* y) {
  for (int i = 0; i < count; i += 8) _mm256_storeu_ps(y + i, Sleef_expf8_u10avx2(_mm256_loadu_ps(x + i)));
}
#endif

template <class T>
double rate(void (*exponentials)(const T*, T*)) {
  alignas(64) Values<T> x, y;
  for (int i = 0; i < count; ++i) x[i] = T(-10) * static_cast<T>(i) / static_cast<T>(count);
  double best = 1e300;
  for (int repetition = 0; repetition < 5; ++repetition) {
    constexpr int passes = 500;
    const auto start = std::chrono::steady_clock::now();
    for (int pass = 0; pass < passes; ++pass) exponentials(x.data(), y.data());
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    best = std::min(best, seconds.count() / passes);
  }
  return count / best;
}

template <class T>
double best_rate() {
  double best = rate<T>(&by_libmvec);
#ifdef CAIRN_BENCH_SLEEF
  if (__builtin_cpu_supports("avx512f"))
    best = std::max(best, rate<T>(&by_sleef_512));
  else if (__builtin_cpu_supports("avx2"))
    best = std::max(best, rate<T>(&by_sleef_256));
#endif
  return best;
}

}  // namespace

double exponentials_a_second(double /*precision*/) { return best_rate<double>(); }
double exponentials_a_second(float /*precision*/) { return best_rate<float>(); }

}  // namespace cairn::bench
