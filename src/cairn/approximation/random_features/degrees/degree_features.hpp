// Features of one degree: rows whose inner products are powers of those of points, exactly or in expectation.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cairn/base/buffer.hpp"
#include "cairn/base/matrix_view.hpp"
#include "cairn/base/random.hpp"
#include "cairn/data/object_arrays.hpp"

namespace cairn {

/// phi with phi(x)·phi(y) = (x·y)^degree, or close to it. Thread-safe.
class DegreeFeatures {
 public:
  virtual ~DegreeFeatures() = default;
  DegreeFeatures(const DegreeFeatures&) = delete;
  DegreeFeatures& operator=(const DegreeFeatures&) = delete;

  [[nodiscard]] Index degree() const { return degree_; }
  [[nodiscard]] Index dimension() const { return dimension_; }
  [[nodiscard]] Index columns() const { return columns_; }
  /// Name of the kind in a file, by which read_degree_features() identifies it.
  [[nodiscard]] virtual std::string kind() const = 0;
  /// out(a, ·) = phi(points(a, ·)). Local.
  virtual void apply(MatrixView<const float> points, MatrixView<float> out) const = 0;
  virtual void apply(MatrixView<const double> points, MatrixView<double> out) const = 0;
  /// Writes its data besides degree, dimension and columns, under names that begin with `place`.
  virtual void write(ArrayWriter& arrays, const std::string& place) const = 0;

 protected:
  DegreeFeatures(Index degree, Index dimension, Index columns)
      : degree_(degree), dimension_(dimension), columns_(columns) {}

 private:
  Index degree_, dimension_, columns_;
};

/// Number of monomials of the degree in `dimension` variables: C(dimension + degree - 1, degree), or most_monomials + 1
/// if there are more.
inline constexpr Index most_monomials = 1'000'000;
[[nodiscard]] Index count_monomials(Index dimension, Index degree);

/// All monomials, each times the square root of its coefficient in (x·y)^degree: exact.
[[nodiscard]] std::unique_ptr<DegreeFeatures> make_monomials(Index dimension, Index degree);

/// Some monomials. @param factors  coordinates, `degree` per monomial, ascending in each
[[nodiscard]] std::unique_ptr<DegreeFeatures> make_monomials(Index dimension, Index degree,
                                                             std::vector<std::int32_t> factors);
/// The multinomial coefficient of a product of these factors in a power of a sum: the number of their orders. @pre they
/// ascend. Local.
[[nodiscard]] double count_orders(std::span<const std::int32_t> factors);

/// x·B for `basis` B, dimension x columns, row-major: exact for points in the span of B if its columns are orthonormal.
/// Degree 1.
[[nodiscard]] std::unique_ptr<DegreeFeatures> make_projection(Index dimension, Buffer<double> basis);

/// TensorSketch: E phi(x)·phi(y) = (x·y)^degree. `degree` hashes h_k of the coordinates to the columns with signs s_k;
/// the circular convolution of the CountSketches sum_i s_k(i) x_i e_h_k(i), by real Fourier transforms (FFTW with
/// estimated plans, which do not depend on measured times).           [Pham and Pagh 2013; paper, algorithm 1]
/// @param random  hash k of coordinate i is at the addresses (first + k, 2 i) and (first + k, 2 i + 1)
[[nodiscard]] std::unique_ptr<DegreeFeatures> draw_tensor_sketch(Index dimension, Index degree, Index columns,
                                                                 const Random& random, Index first);

/// Products of complex projections: E phi(x)·phi(y) = (x·y)^degree, phi = √(2/m) (Re, Im) of prod_i w_ik · x for m / 2
/// independent w_ik whose entries are 1, -1, i or -i. By Hadamard transforms: rows of one matrix times random units, in
/// blocks of as many columns as it has rows. Its variance is the first part of that of a TensorSketch, first[p] / m
/// (ProductMoments), if all w_ik are independent: with w·x, E|w·x|²|w·y|² = a + b and E (w·x)² (w·y)*² = a + c.
///                                                                                              [Wacker et al. 2022]
/// @param columns  even @param random  units and rows i are at the addresses (first + i, ...)
[[nodiscard]] std::unique_ptr<DegreeFeatures> draw_complex_sketch(Index dimension, Index degree, Index columns,
                                                                  const Random& random, Index first);

/// A binary tree with `degree` leaves, the point at each, and at each node a TensorSketch of degree 2 of its children's
/// vectors, with hashes of its own. E phi(x)·phi(y) = (x·y)^degree; unlike that of a TensorSketch, its variance
/// (TreeMoments) does not grow by powers of 2 with the degree for nearly parallel points. The algorithm of the paper
/// sketches the leaves first; a TensorSketch accepts vectors of any length, and has less error on the points
/// themselves.
///                                                                                     [Ahle et al. 2020, algorithm 1]
/// @param random  hash k of coordinate or column i is at the addresses (first + k, 2 i) and (first + k, 2 i + 1): those
/// of the leaves, then one for each node but the root
[[nodiscard]] std::unique_ptr<DegreeFeatures> draw_tree_sketch(Index dimension, Index degree, Index columns,
                                                               const Random& random, Index first);
/// Number of these hashes.
[[nodiscard]] constexpr Index tree_hashes(Index degree) { return degree > 1 ? 2 * degree - 2 : 1; }

/// True if no prime factor is above 7: Fourier transforms of other lengths are slower. Local.
[[nodiscard]] bool is_smooth(Index length);

/// Reads the data of write(). @throws Error(input) if they are not valid. Local.
[[nodiscard]] std::unique_ptr<DegreeFeatures> read_degree_features(const std::string& kind, Index degree,
                                                                   Index dimension, Index columns,
                                                                   const ArrayReader& arrays, const std::string& place);

}  // namespace cairn
