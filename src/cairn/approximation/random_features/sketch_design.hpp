// Distribution of columns over degrees, and the polynomial that they represent.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "cairn/approximation/random_features/product_moments.hpp"
#include "cairn/base/mpi/collective_guard.hpp"

namespace cairn {

/// Kind of the columns of a degree.
enum class DegreeKind { tensor, complex, tree, monomials, projection };
/// True if it is a random sketch.
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
  double variance = 0.0;             ///< predicted contribution of the sketches to that sum
};

/// Penalty that keeps the coefficients small.
enum class SketchPenalty {
  exact,   ///< the variance of the sketches
  degree,  ///< the bound of the paper's theorem 1
  printed  ///< the same with exponents one higher, as printed in its definition 3
};

/// Input of a design.
struct DesignInput {
  const ProductMoments& moments;
  Index dimension = 0;
  /// Eigenvalues of the second moments, descending: they give the part dropped by a projection on principal components.
  /// Empty: degree 1 is not projected.
  std::vector<double> eigenvalues{};
  double unit = 1.0;      ///< x = points times its square root: the bounds refer to the original points
  bool positive = false;  ///< no coefficient may be below 0
  DegreeKind sketch = DegreeKind::tensor;  ///< kind of the sketched degrees
  std::vector<double> given{};             ///< c_0 .. of a given polynomial; empty: it is fitted
};

/// The polynomial of degree r = moments.degree with `columns` columns for each degree, all sketched: minimizes bias and
/// penalty.                                                                   [paper, equations 3.5 and 3.9]
[[nodiscard]] SketchDesign equal_design(const DesignInput& input, Index degree, Index columns, SketchPenalty penalty);

/// Among all degrees up to moments.degree, numbers of columns whose sum is at most `columns`, and coefficients: the
/// design with the smallest predicted bias and variance. Low degrees are exact if their monomials fit into the
/// remaining columns; degree 1 is projected on principal components if it has fewer columns than coordinates; the
/// columns of the other degrees are proportional to |c_j| times the root of their variance in one column.
[[nodiscard]] SketchDesign best_design(const DesignInput& input, Index columns);

/// Coefficients of powers of f's Chebyshev series on [-1, 1], up to a degree below `nodes`, from f's values at `nodes`
/// nodes. With degree + 1 nodes the polynomial interpolates these values. Local.
[[nodiscard]] std::vector<double> powers_of(const std::function<double(double)>& value, Index degree, int nodes = 64);

/// Broadcasts the design of rank 0, so that all ranks use the same one. @param compute  a function without arguments.
/// Collective.
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

/// z that minimizes zᵀ G z - 2 zᵀ b + s, and that minimum; if not unique, the shortest z.
struct LeastSquares {
  std::vector<double> solution;
  double residual = 0.0;
};
/// @param gram  G, row-major @param right  b @param squares  s. Local.
[[nodiscard]] LeastSquares solve_least_squares(std::span<const double> gram, std::span<const double> right,
                                               double squares);

/// The same for z without negative entries (Lawson and Hanson 1974, chapter 23). Local.
[[nodiscard]] LeastSquares solve_nonnegative(std::span<const double> gram, std::span<const double> right,
                                             double squares);

/// Converts coefficients of a polynomial in T_p to those of powers. Local.
[[nodiscard]] std::vector<double> powers_of_chebyshev(const std::vector<double>& chebyshev);

}  // namespace cairn
