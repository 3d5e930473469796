#include "cairn/approximation/random_features/degrees/sketch_transforms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "cairn/base/each_level.hpp"
#include "cairn/base/error.hpp"
#include "cairn/linalg/library_limits.hpp"

namespace cairn {

namespace {

std::mutex& planner() {  // FFTW makes plans on one thread at a time
  static std::mutex mutex;
  return mutex;
}

fftw_complex* raw(std::complex<double>* values) { return reinterpret_cast<fftw_complex*>(values); }
fftwf_complex* raw(std::complex<float>* values) { return reinterpret_cast<fftwf_complex*>(values); }

constexpr unsigned forward_options = FFTW_ESTIMATE, backward_options = FFTW_ESTIMATE | FFTW_DESTROY_INPUT;

void make_plans(int n, double* real, std::complex<double>* half, fftw_plan& forward, fftw_plan& backward) {
  forward = fftw_plan_dft_r2c_1d(n, real, raw(half), forward_options);
  backward = fftw_plan_dft_c2r_1d(n, raw(half), real, backward_options);
}
void make_plans(int n, float* real, std::complex<float>* half, fftwf_plan& forward, fftwf_plan& backward) {
  forward = fftwf_plan_dft_r2c_1d(n, real, raw(half), forward_options);
  backward = fftwf_plan_dft_c2r_1d(n, raw(half), real, backward_options);
}

void destroy(fftw_plan plan) { fftw_destroy_plan(plan); }
void destroy(fftwf_plan plan) { fftwf_destroy_plan(plan); }

// Complex products of pairs of numbers, in a form that the compiler vectorizes.
template <class T>
[[gnu::always_inline]] inline void multiply_pairs(T* x, const T* y, std::size_t count) {
  for (std::size_t k = 0; k < 2 * count; k += 2) {
    const T real = x[k] * y[k] - x[k + 1] * y[k + 1], imaginary = x[k] * y[k + 1] + x[k + 1] * y[k];
    x[k] = real;
    x[k + 1] = imaginary;
  }
}
CAIRN_EACH_LEVEL void multiply_numbers(double* x, const double* y, std::size_t count) { multiply_pairs(x, y, count); }
CAIRN_EACH_LEVEL void multiply_numbers(float* x, const float* y, std::size_t count) { multiply_pairs(x, y, count); }

// sums(h(i), ·) += s(i) x(i, ·).
template <class T>
[[gnu::always_inline]] inline void add_coordinates(const T* x, const std::int32_t* places, const float* signs,
                                                   Index coordinates, T* sums) {
  constexpr Index lanes = CountSketches<T>::most_points;
  for (Index i = 0; i < coordinates; ++i) {
    const T sign = static_cast<T>(signs[i]);
    const T* from = x + i * lanes;
    T* to = sums + Index{places[i]} * lanes;
#pragma omp simd
    for (Index a = 0; a < lanes; ++a) to[a] += sign * from[a];
  }
}
CAIRN_EACH_LEVEL void add_all(const double* x, const std::int32_t* places, const float* signs, Index coordinates,
                              double* sums) {
  add_coordinates(x, places, signs, coordinates, sums);
}
CAIRN_EACH_LEVEL void add_all(const float* x, const std::int32_t* places, const float* signs, Index coordinates,
                              float* sums) {
  add_coordinates(x, places, signs, coordinates, sums);
}

}  // namespace

template <class T>
SketchTransforms<T>::SketchTransforms(Index length) : complex_length_(length / 2 + 1) {
  const int n = to_library_int(length, "columns of a sketch");
  Buffer<T> real(length);
  Buffer<Complex> half(complex_length_);
  const std::lock_guard lock(planner());
  make_plans(n, real.data(), half.data(), forward_, backward_);
  if (forward_ == nullptr || backward_ == nullptr) {
    throw Error(ErrorKind::internal, fmt::format("FFTW has no transform of length {}", length));
  }
}

template <class T>
SketchTransforms<T>::~SketchTransforms() {
  const std::lock_guard lock(planner());
  destroy(forward_);
  destroy(backward_);
}

template <>
void SketchTransforms<double>::forward(double* row, Complex* out) const {
  fftw_execute_dft_r2c(forward_, row, raw(out));
}
template <>
void SketchTransforms<float>::forward(float* row, Complex* out) const {
  fftwf_execute_dft_r2c(forward_, row, raw(out));
}
template <>
void SketchTransforms<double>::backward(Complex* row, double* out) const {
  fftw_execute_dft_c2r(backward_, raw(row), out);
}
template <>
void SketchTransforms<float>::backward(Complex* row, float* out) const {
  fftwf_execute_dft_c2r(backward_, raw(row), out);
}

void multiply(std::span<std::complex<float>> product, std::span<const std::complex<float>> factor) {
  multiply_numbers(reinterpret_cast<float*>(product.data()), reinterpret_cast<const float*>(factor.data()),
                   product.size());
}
void multiply(std::span<std::complex<double>> product, std::span<const std::complex<double>> factor) {
  multiply_numbers(reinterpret_cast<double*>(product.data()), reinterpret_cast<const double*>(factor.data()),
                   product.size());
}

void draw_hash(SketchHashes& hashes, Index dimension, Index columns, const Random& random, std::uint64_t number) {
  for (Index i = 0; i < dimension; ++i) {
    const auto place = static_cast<std::uint64_t>(2 * i);
    hashes.places.push_back(static_cast<std::int32_t>(random.below(columns, number, place)));
    hashes.signs.push_back((random.bits(number, place + 1) & 1U) != 0 ? 1.0F : -1.0F);
  }
}

bool are_sound(const SketchHashes& hashes, Index count, Index columns) {
  return std::ssize(hashes.places) == count && hashes.signs.size() == hashes.places.size() &&
         std::ranges::all_of(hashes.places, [&](std::int32_t place) { return place >= 0 && place < columns; }) &&
         std::ranges::all_of(hashes.signs, [](float sign) { return sign == 1.0F || sign == -1.0F; });
}

template <class T>
CountSketches<T>::CountSketches(Index dimension, Index columns)
    : dimension_(dimension), columns_(columns), points_(dimension * most_points), sums_(columns * most_points) {}

template <class T>
void CountSketches<T>::take(MatrixView<const T> points) {
  std::ranges::fill(points_.span(), T(0));
  for (Index a = 0; a < points.rows; ++a) {
    const T* from = points.row(a);
    for (Index i = 0; i < dimension_; ++i) points_[i * most_points + a] = from[i];
  }
}

template <class T>
void CountSketches<T>::apply(const SketchHashes& hashes, Index first, MatrixView<T> out) {
  std::ranges::fill(sums_.span(), T(0));
  add_all(points_.data(), hashes.places.data() + first, hashes.signs.data() + first, dimension_, sums_.data());
  for (Index a = 0; a < out.rows; ++a) {
    T* to = out.row(a);
    for (Index k = 0; k < columns_; ++k) to[k] = sums_[k * most_points + a];
  }
}

template class SketchTransforms<float>;
template class SketchTransforms<double>;
template class CountSketches<float>;
template class CountSketches<double>;

}  // namespace cairn
