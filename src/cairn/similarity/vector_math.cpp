#include "cairn/similarity/vector_math.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "cairn/base/each_level.hpp"

// Powers, sines and tanh come from libmvec, a part of glibc. GCC calls it from a simd loop if a function is declared
// simd. (<cmath> declares them so only under -ffast-math, which would break the tests for NaN.)
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__)
#pragma omp declare simd notinbranch
extern "C" double pow(double, double) noexcept;
#pragma omp declare simd notinbranch
extern "C" float powf(float, float) noexcept;
#pragma omp declare simd notinbranch
extern "C" double cos(double) noexcept;
#pragma omp declare simd notinbranch
extern "C" float cosf(float) noexcept;
#pragma omp declare simd notinbranch
extern "C" double sin(double) noexcept;
#pragma omp declare simd notinbranch
extern "C" float sinf(float) noexcept;
#if __GLIBC_PREREQ(2, 35)
#pragma omp declare simd notinbranch
extern "C" double tanh(double) noexcept;
#pragma omp declare simd notinbranch
extern "C" float tanhf(float) noexcept;
#endif
#endif

#define CAIRN_INLINE [[gnu::always_inline]] inline

namespace cairn::vector_math {

namespace {

CAIRN_INLINE double power(double x, double y) { return ::pow(x, y); }
CAIRN_INLINE float power(float x, float y) { return ::powf(x, y); }
CAIRN_INLINE double cosine_of(double x) { return ::cos(x); }
CAIRN_INLINE float cosine_of(float x) { return ::cosf(x); }
CAIRN_INLINE double sine_of(double x) { return ::sin(x); }
CAIRN_INLINE float sine_of(float x) { return ::sinf(x); }
CAIRN_INLINE double hyperbolic_tangent(double x) { return ::tanh(x); }
CAIRN_INLINE float hyperbolic_tangent(float x) { return ::tanhf(x); }

// exp(-t) for t >= 0, at least about the smallest normal number: exp(-708), in single precision exp(-87). NaN stays
// NaN. With k the integer nearest to -t / ln 2 and r = -t - k ln 2: exp(-t) = 2^k (1 + r + r^2 q(r)), where the
// polynomial q interpolates (exp(r) - 1 - r) / r^2 at Chebyshev nodes of |r| <= ln 2 / 2.
//
// Advantages over a library: it is inlined into the loop of its caller, and has no slow path for large t, which
// dominate kernels with a small bandwidth. On an AVX-512 core, arrays in L1, ns per entry in double and largest error
// in units of the last place: this 0.36 and 1.2; libmvec of glibc 2.36 0.47 and 3.0 (7 to 55 beyond 708); SLEEF 3.5
// 0.75 and 0.9.
CAIRN_INLINE double decaying(double t) {
  constexpr double largest = 708.0;
  constexpr double inverse_ln2 = 0x1.71547652b82fep+0;
  constexpr double ln2_high = 0x1.62e42fefa0000p-1;  // its low bits are 0: k * ln2_high is exact
  constexpr double ln2_low = 0x1.cf79abc9e3b3ap-40;
  constexpr double shift = 0x1.8p52 + 1023;  // adding it rounds to integers; the low bits are the biased exponent
  t = t > largest ? largest : t;
  const double shifted = shift - t * inverse_ln2;
  const double k = shifted - shift;
  const double r = (-t - k * ln2_high) - k * ln2_low;
  const double r2 = r * r;
  const double q89 = 0x1.af38d53857513p-26 * r + 0x1.2891a8c1d838dp-22;
  const double q67 = 0x1.71de0d9c145d0p-19 * r + 0x1.a019b8ef67c6cp-16;
  const double q45 = 0x1.a01a01a7c8d47p-13 * r + 0x1.6c16c17893833p-10;
  const double q23 = 0x1.11111111109adp-7 * r + 0x1.5555555553d4fp-5;
  const double q01 = 0x1.5555555555556p-3 * r + 0.5;
  const double q = (((q89 * r2 + q67) * r2 + q45) * r2 + q23) * r2 + q01;
  const double power_of_2 = std::bit_cast<double>(std::bit_cast<std::uint64_t>(shifted) << 52);
  return (q * r2 + r) * power_of_2 + power_of_2;
}

CAIRN_INLINE float decaying(float t) {
  constexpr float largest = 87.0F;
  constexpr float inverse_ln2 = 0x1.715476p+0F;
  constexpr float ln2_high = 0x1.62e400p-1F;
  constexpr float ln2_low = 0x1.7f7d1cp-20F;
  constexpr float shift = 0x1.8p23F + 127.0F;
  t = t > largest ? largest : t;
  const float shifted = shift - t * inverse_ln2;
  const float k = shifted - shift;
  const float r = (-t - k * ln2_high) - k * ln2_low;
  const float r2 = r * r;
  const float q23 = 0x1.120ba1a05966cp-7F * r + 0x1.55551914b31dcp-5F;
  const float q01 = 0x1.5554dcc72f691p-3F * r + 0.5F;
  const float q = (0x1.6d113c8ed96b6p-10F * r2 + q23) * r2 + q01;
  const float power_of_2 = std::bit_cast<float>(std::bit_cast<std::uint32_t>(shifted) << 23);
  return (q * r2 + r) * power_of_2 + power_of_2;
}

template <class T, class F>
CAIRN_INLINE T sum_over(Index n, F f) {
  T sum = 0;
#pragma omp simd reduction(+ : sum)
  for (Index k = 0; k < n; ++k) sum += f(k);
  return sum;
}

// values[b] = f(values[b], b). The sum of v * 0 is 0 if all v are finite, else NaN.
template <class T, class F>
CAIRN_INLINE bool transform(T* __restrict values, Index n, F f) {
  T check = 0;
#pragma omp simd reduction(+ : check)
  for (Index b = 0; b < n; ++b) {
    const T v = f(values[b], b);
    values[b] = v;
    check += v * T(0);
  }
  return check == T(0);
}

// The comparison keeps NaN, which std::max would turn into 0.
template <class T>
CAIRN_INLINE T clamped(T v) {
  return v < T(0) ? T(0) : v;
}

// Tests the squared distances: f of a finite one is finite, and the test costs less here, before the compiler separates
// the cases of f. f of an infinite one may be finite.
template <class T, class F>
CAIRN_INLINE bool transform_squared(T row_norm, const T* __restrict norms, T* __restrict values, Index n, F f) {
  T check = 0;
#pragma omp simd reduction(+ : check)
  for (Index b = 0; b < n; ++b) {
    const T d2 = row_norm + norms[b] + values[b];
    check += d2 * T(0);
    values[b] = f(clamped(d2));
  }
  return check == T(0) || sum_over<T>(n, [=](Index b) { return values[b] * T(0); }) == T(0);
}

// exp(e), with e capped at the limit of decaying().
template <class T>
CAIRN_INLINE T exponential(T e) {
  constexpr T largest = sizeof(T) == 8 ? T(700) : T(87);
  return decaying(-(e > largest ? largest : e));
}

template <class T>
CAIRN_INLINE bool rbf_of(T row_norm, const T* norms, T gamma, T* values, Index n) {
  return transform_squared(row_norm, norms, values, n, [=](T d2) { return decaying(gamma * d2); });
}

template <class T>
CAIRN_INLINE bool squared_of(T row_norm, const T* norms, T* values, Index n) {
  return transform_squared(row_norm, norms, values, n, [](T d2) { return d2; });
}

template <class T>
CAIRN_INLINE bool distance_of(T row_norm, const T* norms, T* values, Index n) {
  return transform_squared(row_norm, norms, values, n, [](T d2) { return std::sqrt(d2); });
}

template <class T>
CAIRN_INLINE bool matern_1_2_of(T row_norm, const T* norms, T scale, T* values, Index n) {
  return transform_squared(row_norm, norms, values, n, [=](T d2) { return decaying(scale * std::sqrt(d2)); });
}

template <class T>
CAIRN_INLINE bool matern_3_2_of(T row_norm, const T* norms, T scale, T* values, Index n) {
  return transform_squared(row_norm, norms, values, n, [=](T d2) {
    const T t = scale * std::sqrt(d2);
    return (T(1) + t) * decaying(t);
  });
}

template <class T>
CAIRN_INLINE bool matern_5_2_of(T row_norm, const T* norms, T scale, T* values, Index n) {
  return transform_squared(row_norm, norms, values, n, [=](T d2) {
    const T t = scale * std::sqrt(d2);
    return (T(1) + t + t * t / T(3)) * decaying(t);
  });
}

template <class T>
CAIRN_INLINE Index count_cancelled_of(T row_norm, const T* __restrict norms, const T* __restrict values, T fraction,
                                      Index n) {
  T count = 0;  // exact below 2^24; rows are shorter
#pragma omp simd reduction(+ : count)
  for (Index b = 0; b < n; ++b) {
    const T scale = row_norm + norms[b];
    count += scale + values[b] < fraction * scale ? T(1) : T(0);
  }
  return static_cast<Index>(count);
}

template <class T>
CAIRN_INLINE bool circle_by_library(T scale, T* values, T* sines, Index n) {
  std::copy_n(values, n, sines);
  const bool finite = transform(values, n, [=](T v, Index) { return scale * cosine_of(v); });
  return transform(sines, n, [=](T v, Index) { return scale * sine_of(v); }) && finite;
}

CAIRN_INLINE bool circle_of(float scale, float* values, float* sines, Index n) {
  return circle_by_library(scale, values, sines, n);
}

// Cosine and sine share the reduction v = q pi / 2 + r, |r| <= pi / 4. pi / 2 is split into three parts; q times the
// first or the second is exact up to the limit. The first terms of both series follow. At most 1.7 units in the last
// place, and 2 to 2.5 times as fast as the two functions of libmvec, for arrays in L1 on an AVX-512 core.
CAIRN_INLINE bool circle_of(double scale, double* __restrict values, double* __restrict sines, Index n) {
  constexpr double limit = 1e6, shift = 6755399441055744.0;  // shift: 1.5 2^52; sums with it are integers
  constexpr double first = 1.5707963267341256, second = 6.077100506303966e-11, third = 2.0222662487959506e-21;
  bool small = true;
#pragma omp simd reduction(&& : small)
  for (Index b = 0; b < n; ++b) small = small && std::abs(values[b]) <= limit;
  if (!small) return circle_by_library(scale, values, sines, n);
#pragma omp simd
  for (Index b = 0; b < n; ++b) {
    const double v = values[b], shifted = v * 0.63661977236758134 + shift, q = shifted - shift;
    const auto quarter = std::bit_cast<std::int64_t>(shifted);
    const double r = ((v - q * first) - q * second) - q * third, z = r * r;
    double odd = -7.647163731819816e-13;  // of the sine: r - r³ / 3! + ...
    odd = odd * z + 1.6059043836821613e-10;
    odd = odd * z - 2.505210838544172e-08;
    odd = odd * z + 2.7557319223985893e-06;
    odd = odd * z - 0.0001984126984126984;
    odd = odd * z + 0.008333333333333333;
    odd = odd * z - 0.16666666666666666;
    double even = 4.779477332387385e-14;  // of the cosine: 1 - r² / 2 + r⁴ / 4! - ...
    even = even * z - 1.1470745597729725e-11;
    even = even * z + 2.08767569878681e-09;
    even = even * z - 2.755731922398589e-07;
    even = even * z + 2.48015873015873e-05;
    even = even * z - 0.001388888888888889;
    even = even * z + 0.041666666666666664;
    const double sine = r + r * z * odd, cosine = 1.0 - (0.5 * z - z * z * even);
    const bool swapped = (quarter & 1) != 0;
    values[b] = (((quarter + 1) & 2) != 0 ? -scale : scale) * (swapped ? sine : cosine);
    sines[b] = ((quarter & 2) != 0 ? -scale : scale) * (swapped ? cosine : sine);
  }
  return std::isfinite(scale);
}

// values[b] = (gamma values[b] + coef0)^degree for integer degrees: repeated squaring, one pass over a piece of the row
// for each bit of the degree. pow takes several times as long.
template <class T>
CAIRN_INLINE bool whole_power(T gamma, T coef0, int degree, T* __restrict values, Index n) {
  constexpr Index piece = 128;
  bool finite = true;
  for (Index begin = 0; begin < n; begin += piece) {
    const Index count = std::min(piece, n - begin);
    T* __restrict product = values + begin;
    T base[piece];
#pragma omp simd
    for (Index b = 0; b < count; ++b) base[b] = gamma * product[b] + coef0;
    transform(product, count, [](T, Index) { return T(1); });
    for (int left = degree; left > 0; left >>= 1) {
      if ((left & 1) != 0) finite = transform(product, count, [&](T v, Index b) { return v * base[b]; }) && finite;
      transform(base, count, [](T v, Index) { return v * v; });
    }
  }
  return finite;
}

template <class T>
CAIRN_INLINE bool polynomial_of(T gamma, T coef0, T degree, T* values, Index n) {
  constexpr int largest_whole = 32;
  const int whole = degree <= T(largest_whole) ? static_cast<int>(degree) : -1;
  if (static_cast<T>(whole) == degree) return whole_power(gamma, coef0, whole, values, n);
  return transform(values, n, [=](T v, Index) { return power(gamma * v + coef0, degree); });
}

}  // namespace

// Public functions: each body for both number types, because target_clones does not work for templates.
#define CAIRN_FOR_BOTH(define) define(double) define(float)

#define CAIRN_DEFINE(T)                                                                                             \
  CAIRN_EACH_LEVEL bool rbf(T row_norm, const T* column_norms, T gamma, T* values, Index n) {                       \
    return rbf_of(row_norm, column_norms, gamma, values, n);                                                        \
  }                                                                                                                 \
  CAIRN_EACH_LEVEL bool squared(T row_norm, const T* column_norms, T* values, Index n) {                            \
    return squared_of(row_norm, column_norms, values, n);                                                           \
  }                                                                                                                 \
  CAIRN_EACH_LEVEL bool distance(T row_norm, const T* column_norms, T* values, Index n) {                           \
    return distance_of(row_norm, column_norms, values, n);                                                          \
  }                                                                                                                 \
  CAIRN_EACH_LEVEL bool matern_1_2(T row_norm, const T* column_norms, T scale, T* values, Index n) {                \
    return matern_1_2_of(row_norm, column_norms, scale, values, n);                                                 \
  }                                                                                                                 \
  CAIRN_EACH_LEVEL bool matern_3_2(T row_norm, const T* column_norms, T scale, T* values, Index n) {                \
    return matern_3_2_of(row_norm, column_norms, scale, values, n);                                                 \
  }                                                                                                                 \
  CAIRN_EACH_LEVEL bool matern_5_2(T row_norm, const T* column_norms, T scale, T* values, Index n) {                \
    return matern_5_2_of(row_norm, column_norms, scale, values, n);                                                 \
  }                                                                                                                 \
  CAIRN_EACH_LEVEL Index count_cancelled(T row_norm, const T* column_norms, const T* values, T fraction, Index n) { \
    return count_cancelled_of(row_norm, column_norms, values, fraction, n);                                         \
  }
CAIRN_FOR_BOTH(CAIRN_DEFINE)
#undef CAIRN_DEFINE

#define CAIRN_DEFINE(T)                                                                                              \
  CAIRN_EACH_LEVEL bool decay(T gamma, T* values, Index n) {                                                         \
    return transform(values, n, [=](T v, Index) { return decaying(gamma * v); });                                    \
  }                                                                                                                  \
  CAIRN_EACH_LEVEL void exponentials(T shift, const T* shifts, T scale, T* values, Index n) {                        \
    transform(values, n, [=](T v, Index b) { return exponential(shift + shifts[b] + scale * v); });                  \
  }                                                                                                                  \
  CAIRN_EACH_LEVEL T sum_exp(T shift, const T* shifts, T scale, const T* values, Index n) {                          \
    return sum_over<T>(n, [=](Index b) { return exponential(shift + shifts[b] + scale * values[b]); });              \
  }                                                                                                                  \
  CAIRN_EACH_LEVEL bool polynomial(T gamma, T coef0, T degree, T* values, Index n) {                                 \
    return polynomial_of(gamma, coef0, degree, values, n);                                                           \
  }                                                                                                                  \
  CAIRN_EACH_LEVEL bool sigmoid(T gamma, T coef0, T* values, Index n) {                                              \
    return transform(values, n, [=](T v, Index) { return hyperbolic_tangent(gamma * v + coef0); });                  \
  }                                                                                                                  \
  CAIRN_EACH_LEVEL bool cosine(T scale, T* values, Index n) {                                                        \
    return transform(values, n, [=](T v, Index) { return scale * cosine_of(v); });                                   \
  }                                                                                                                  \
  CAIRN_EACH_LEVEL bool circle(T scale, T* values, T* sines, Index n) { return circle_of(scale, values, sines, n); } \
  CAIRN_EACH_LEVEL bool scale(T row_factor, const T* column_factors, T* values, Index n) {                           \
    return transform(values, n, [=](T v, Index b) { return v * (row_factor * column_factors[b]); });                 \
  }                                                                                                                  \
  CAIRN_EACH_LEVEL bool multiply(T weight, T* values, Index n) {                                                     \
    return transform(values, n, [=](T v, Index) { return weight * v; });                                             \
  }                                                                                                                  \
  CAIRN_EACH_LEVEL bool add(T weight, const T* terms, T* values, Index n) {                                          \
    return transform(values, n, [=](T v, Index b) { return v + weight * terms[b]; });                                \
  }                                                                                                                  \
  CAIRN_EACH_LEVEL bool multiply(const T* factors, T* values, Index n) {                                             \
    return transform(values, n, [=](T v, Index b) { return v * factors[b]; });                                       \
  }                                                                                                                  \
  CAIRN_EACH_LEVEL bool finite(const T* values, Index n) {                                                           \
    return sum_over<T>(n, [=](Index b) { return values[b] * T(0); }) == T(0);                                        \
  }
CAIRN_FOR_BOTH(CAIRN_DEFINE)
#undef CAIRN_DEFINE

#define CAIRN_DEFINE(T)                                                            \
  CAIRN_EACH_LEVEL T dot(const T* x, const T* y, Index n) {                        \
    return sum_over<T>(n, [=](Index k) { return x[k] * y[k]; });                   \
  }                                                                                \
  CAIRN_EACH_LEVEL T squared_distance(const T* x, const T* y, Index n) {           \
    return sum_over<T>(n, [=](Index k) { return (x[k] - y[k]) * (x[k] - y[k]); }); \
  }                                                                                \
  CAIRN_EACH_LEVEL T manhattan_distance(const T* x, const T* y, Index n) {         \
    return sum_over<T>(n, [=](Index k) { return std::abs(x[k] - y[k]); });         \
  }
CAIRN_FOR_BOTH(CAIRN_DEFINE)
#undef CAIRN_DEFINE

}  // namespace cairn::vector_math
