// Fourier transforms of sketches, and CountSketches. Private to this folder.
#pragma once

#include <fftw3.h>

#include <complex>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <type_traits>
#include <vector>

#include "cairn/base/buffer.hpp"
#include "cairn/base/index.hpp"
#include "cairn/base/matrix_view.hpp"
#include "cairn/base/random.hpp"

namespace cairn {

/// Transforms of real rows of one length to length / 2 + 1 complex numbers and back, unscaled. Plans are estimated and
/// do not depend on measured times. Thread-safe except for construction. T: float, double.
template <class T>
class SketchTransforms {
 public:
  using Complex = std::complex<T>;

  explicit SketchTransforms(Index length);
  ~SketchTransforms();
  SketchTransforms(const SketchTransforms&) = delete;
  SketchTransforms& operator=(const SketchTransforms&) = delete;

  [[nodiscard]] Index complex_length() const { return complex_length_; }
  /// Both arrays are aligned as a Buffer is, here and below: transforms of unaligned ones take four times as long.
  void forward(T* row, Complex* out) const;
  /// Destroys its input.
  void backward(Complex* row, T* out) const;

 private:
  using Plan = std::conditional_t<std::is_same_v<T, float>, fftwf_plan, fftw_plan>;

  Index complex_length_;
  Plan forward_ = nullptr, backward_ = nullptr;
};

/// Transforms of one length in both precisions, each created on first use. Thread-safe.
class TransformPair {
 public:
  /// @param length  0: none
  explicit TransformPair(Index length) : length_(length) {}

  /// Null for length 0.
  template <class T>
  [[nodiscard]] const SketchTransforms<T>* get() const {
    if constexpr (std::is_same_v<T, float>) {
      return made(single_once_, single_);
    } else {
      return made(double_once_, double_);
    }
  }

 private:
  template <class Made>
  const Made* made(std::once_flag& once, std::unique_ptr<const Made>& transforms) const {
    if (length_ > 0) std::call_once(once, [&] { transforms = std::make_unique<const Made>(length_); });
    return transforms.get();
  }

  Index length_;
  mutable std::once_flag single_once_, double_once_;
  mutable std::unique_ptr<const SketchTransforms<float>> single_;
  mutable std::unique_ptr<const SketchTransforms<double>> double_;
};

/// product[k] *= factor[k]. Local.
void multiply(std::span<std::complex<float>> product, std::span<const std::complex<float>> factor);
void multiply(std::span<std::complex<double>> product, std::span<const std::complex<double>> factor);

/// Hashes of coordinates to columns, one after another.
struct SketchHashes {
  std::vector<std::int32_t> places;
  std::vector<float> signs;
};

/// Appends hash `number` of `dimension` coordinates to `columns` columns: coordinate i is at (number, 2 i) and (number,
/// 2 i + 1). Local.
void draw_hash(SketchHashes& hashes, Index dimension, Index columns, const Random& random, std::uint64_t number);

/// True if there are `count` numbers, all in range. Local.
[[nodiscard]] bool are_sound(const SketchHashes& hashes, Index count, Index columns);

/// CountSketches of several points at once: coordinate by coordinate, for all points.
template <class T>
class CountSketches {
 public:
  static constexpr Index most_points = 16;

  /// For points with `dimension` coordinates, in `columns` columns.
  CountSketches(Index dimension, Index columns);

  /// Sets the points for the next sketches, most_points at most.
  void take(MatrixView<const T> points);
  /// out(a, ·) = sum_i s(i) x_a(i) e_h(i), for the points of take(), by the hash whose first number is at `first`.
  void apply(const SketchHashes& hashes, Index first, MatrixView<T> out);

 private:
  Index dimension_, columns_;
  Buffer<T> points_, sums_;  // coordinates and columns x most_points
};

/// Row length for transforms: each row is aligned as a Buffer is.
template <class T>
[[nodiscard]] constexpr Index aligned_length(Index columns) {
  constexpr Index numbers = 64 / static_cast<Index>(sizeof(T));
  return (columns + numbers - 1) / numbers * numbers;
}

}  // namespace cairn
