// How columns are spent on degrees, and which polynomial they stand for.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "cairn/approximation/random_features/product_moments.hpp"
#include "cairn/base/mpi/collective_guard.hpp"

namespace cairn {

/// How a degree has its columns.
enum class DegreeKind { tensor, complex, tree, monomials, projection };
/// Whether it is a random sketch.
[[nodiscard]] constexpr bool is_sketch(DegreeKind kind) {
  return kind == DegreeKind::tensor || kind == DegreeKind::complex || kind == DegreeKind::tree;
}

struct DegreeShare {
  Index degree = 0;
  DegreeKind kind = DegreeKind::tensor;
  Index columns = 0;
};

/// A polynomial and the columns of its degrees.
struct SketchDesign {
  std::vector<DegreeShare> shares;   ///< degrees 1 .. r, those with columns
  std::vector<double> coefficients;  ///< c_0 .. c_r, of powers of x_i·x_j
  double bias = 0.0;                 ///< predicted: sum over pairs of (w_i w_j)² (f - p)²
  double variance = 0.0;             ///< of what the sketches add to that
};

/// What the coefficients are kept small by.
enum class SketchPenalty {
  exact,   ///< the variance of the sketches
  degree,  ///< the bound of the paper's theorem 1
  printed  ///< the same with exponents one higher, as its definition 3 has it
};

/// What a design is made from.
struct DesignInput {
  const ProductMoments& moments;
  Index dimension = 0;
  /// Eigenvalues of the second moments, falling: what a projection on principal components leaves out. Empty: degree 1
  /// is not projected.
  std::vector<double> eigenvalues{};
  double unit = 1.0;      ///< x = points times its square root: the bounds are of the points themselves
  bool positive = false;  ///< no coefficient may be below 0
  DegreeKind sketch = DegreeKind::tensor;  ///< of degrees that are sketched
  std::vector<double> given{};             ///< c_0 .. of the polynomial, if it is not to be fitted
};

/// The polynomial of degree r = moments.degree with `columns` columns for each degree, all sketched: minimizes bias and
/// penalty.                                                                   [paper, equations 3.5 and 3.9]
[[nodiscard]] SketchDesign equal_design(const DesignInput& input, Index degree, Index columns, SketchPenalty penalty);

/// Of all degrees up to moments.degree, numbers of columns whose sum is at most `columns`, and coefficients the one
/// with the smallest predicted bias and variance. Low degrees are exact where their monomials are no more than columns
/// are left; degree 1 is projected on principal components if it has fewer columns than coordinates; the columns of the
/// other degrees are as |c_j| times the root of their variance in one column.
[[nodiscard]] SketchDesign best_design(const DesignInput& input, Index columns);

/// Coefficients of powers of f's Chebyshev series on [-1, 1], up to a degree below `nodes`, by f's values in so many
/// nodes. With degree + 1 nodes the polynomial is that which has these values. Local.
[[nodiscard]] std::vector<double> powers_of(const std::function<double(double)>& value, Index degree, int nodes = 64);

/// That of rank 0 on every rank, so that all go on alike. @param compute  a function without arguments. Collective.
template <class Compute>
[[nodiscard]] SketchDesign design_on_root(const Communicator& communicator, Compute compute) {
  SketchDesign design;
  collectively(communicator, [&] {
    if (communicator.is_root()) design = compute();
  });
  communicator.broadcast(design.shares, 0);
  communicator.broadcast(design.coefficients, 0);
  communicator.broadcast(std::span(&design.bias, 1), 0);
  communicator.broadcast(std::span(&design.variance, 1), 0);
  return design;
}

/// z that minimizes zᵀ G z - 2 zᵀ b + s, and that minimum; of several the shortest one.
struct LeastSquares {
  std::vector<double> solution;
  double residual = 0.0;
};
/// @param gram  G, row-major @param right  b @param squares  s. Local.
[[nodiscard]] LeastSquares solve_least_squares(std::span<const double> gram, std::span<const double> right,
                                               double squares);

/// The same of those z that have no entry below 0 (Lawson and Hanson 1974, chapter 23). Local.
[[nodiscard]] LeastSquares solve_nonnegative(std::span<const double> gram, std::span<const double> right,
                                             double squares);

/// Coefficients of a polynomial in T_p as those of powers. Local.
[[nodiscard]] std::vector<double> powers_of_chebyshev(const std::vector<double>& chebyshev);

}  // namespace cairn
