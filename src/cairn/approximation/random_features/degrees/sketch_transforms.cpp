#include "cairn/approximation/random_features/degrees/sketch_transforms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "cairn/base/buffer.hpp"
#include "cairn/base/error.hpp"
#include "cairn/linalg/library_limits.hpp"

namespace cairn {

namespace {

std::mutex& planner() {  // FFTW makes plans on one thread at a time
  static std::mutex mutex;
  return mutex;
}

fftw_complex* raw(SketchTransforms::Complex* values) { return reinterpret_cast<fftw_complex*>(values); }

}  // namespace

SketchTransforms::SketchTransforms(Index length) : complex_length_(length / 2 + 1) {
  const int n = to_library_int(length, "columns of a sketch");
  Buffer<double> real(length);
  Buffer<Complex> half(complex_length_);
  const std::lock_guard lock(planner());
  constexpr unsigned options = FFTW_ESTIMATE | FFTW_UNALIGNED;
  forward_ = fftw_plan_dft_r2c_1d(n, real.data(), raw(half.data()), options);
  backward_ = fftw_plan_dft_c2r_1d(n, raw(half.data()), real.data(), options | FFTW_DESTROY_INPUT);
  if (forward_ == nullptr || backward_ == nullptr) {
    throw Error(ErrorKind::internal, fmt::format("FFTW has no transform of length {}", length));
  }
}

SketchTransforms::~SketchTransforms() {
  const std::lock_guard lock(planner());
  fftw_destroy_plan(forward_);
  fftw_destroy_plan(backward_);
}

void SketchTransforms::forward(double* row, Complex* out) const { fftw_execute_dft_r2c(forward_, row, raw(out)); }
void SketchTransforms::backward(Complex* row, double* out) const { fftw_execute_dft_c2r(backward_, raw(row), out); }

// As pairs of numbers: the compiler then takes several at once.
void multiply(std::span<SketchTransforms::Complex> product, std::span<const SketchTransforms::Complex> factor) {
  auto* x = reinterpret_cast<double*>(product.data());
  const auto* y = reinterpret_cast<const double*>(factor.data());
  for (std::size_t k = 0; k < 2 * product.size(); k += 2) {
    const double real = x[k] * y[k] - x[k + 1] * y[k + 1], imaginary = x[k] * y[k + 1] + x[k + 1] * y[k];
    x[k] = real;
    x[k + 1] = imaginary;
  }
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

void count_sketch(const SketchHashes& hashes, Index first, std::span<const double> x, std::span<double> out) {
  std::ranges::fill(out, 0.0);
  const std::int32_t* places = hashes.places.data() + first;
  const float* signs = hashes.signs.data() + first;
  for (std::size_t i = 0; i < x.size(); ++i) {
    out[static_cast<std::size_t>(places[i])] += static_cast<double>(signs[i]) * x[i];
  }
}

}  // namespace cairn
