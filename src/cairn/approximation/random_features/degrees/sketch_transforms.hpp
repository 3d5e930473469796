// Fourier transforms of sketches, and CountSketches. Private to this folder.
#pragma once

#include <fftw3.h>

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "cairn/base/index.hpp"
#include "cairn/base/random.hpp"

namespace cairn {

/// Of real rows of one length: to length / 2 + 1 complex numbers and back, unscaled. Plans are estimated and do not
/// depend on the time that they take, nor results on the alignment of rows. Thread-safe but for making one.
class SketchTransforms {
 public:
  using Complex = std::complex<double>;

  explicit SketchTransforms(Index length);
  ~SketchTransforms();
  SketchTransforms(const SketchTransforms&) = delete;
  SketchTransforms& operator=(const SketchTransforms&) = delete;

  [[nodiscard]] Index complex_length() const { return complex_length_; }
  void forward(double* row, Complex* out) const;
  /// Destroys its input.
  void backward(Complex* row, double* out) const;

 private:
  Index complex_length_;
  fftw_plan forward_ = nullptr, backward_ = nullptr;
};

/// product[k] *= factor[k]. Local.
void multiply(std::span<SketchTransforms::Complex> product, std::span<const SketchTransforms::Complex> factor);

/// Hashes of coordinates to columns, one after another.
struct SketchHashes {
  std::vector<std::int32_t> places;
  std::vector<float> signs;
};

/// Adds hash `number` of `dimension` coordinates to `columns` columns: coordinate i is at (number, 2 i) and (number, 2
/// i
/// + 1). Local.
void draw_hash(SketchHashes& hashes, Index dimension, Index columns, const Random& random, std::uint64_t number);

/// Whether there are `count` numbers, all in range. Local.
[[nodiscard]] bool are_sound(const SketchHashes& hashes, Index count, Index columns);

/// out = sum_i s(i) x_i e_h(i) by the hash whose first number is at `first`. Local.
void count_sketch(const SketchHashes& hashes, Index first, std::span<const double> x, std::span<double> out);

}  // namespace cairn
