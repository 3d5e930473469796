// Moments from which coefficients of a polynomial of inner products are chosen.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "cairn/base/buffer.hpp"
#include "cairn/base/schedule/execution.hpp"
#include "cairn/linalg/tall/row_block.hpp"

namespace cairn {

/// Points x_i with weights w_i, for K_ij = w_i w_j f(x_i·x_j); |x_i·x_j| <= 1.
struct WeightedPoints {
  RowBlock<double> points;
  std::vector<double> weights;          ///< of own rows
  std::function<double(double)> value;  ///< f
};

/// Representative rows: row i stands for shares[i] rows.
struct StandingRows {
  std::vector<Index> rows;  ///< ascending
  std::vector<double> shares;
  double distance = 0.0;  ///< sum over all rows of the distance from the row that represents it; for centers
};

/// All rows. Local.
[[nodiscard]] StandingRows all_rows(Index rows);
/// `count` rows, or all if there are fewer, drawn uniformly without replacement by (seed, Stream::validation_probe).
/// Local.
[[nodiscard]] StandingRows uniform_rows(Index rows, Index count, std::uint64_t seed);
/// Greedy k-center: the first row is drawn, each other one is the farthest from those before it; it represents the rows
/// that are nearest to it.                                                                    [paper, algorithm 3]
/// @return fewer than `count` if no more rows are different. Collective.
[[nodiscard]] StandingRows center_rows(const Execution& execution, const RowBlock<double>& points, Index count,
                                       std::uint64_t seed);
/// Sum of the lengths of all rows. Collective.
[[nodiscard]] double sum_of_lengths(const Communicator& communicator, const RowBlock<double>& points);

/// Some of the representative rows, replicated.
struct StandingPoints {
  Index count = 0;
  Buffer<double> points;  ///< one after another
  std::vector<double> weights, shares;
};

/// The representative rows; every rank holds one block at a time. Refers to the points.
class Standing {
 public:
  static constexpr Index rows_of_block = 1024;

  /// @param of  the points that the rows represent
  Standing(const Execution& execution, const WeightedPoints& of, StandingRows rows)
      : execution_(execution), of_(of), rows_(std::move(rows)) {}

  [[nodiscard]] Index count() const { return static_cast<Index>(rows_.rows.size()); }
  /// The sum of the results of `work` for each block. The same on any number of ranks, if those results are.
  /// Collective.
  [[nodiscard]] std::vector<double> sum_over_blocks(
      const std::function<std::vector<double>(const StandingPoints&)>& work) const;

 private:
  [[nodiscard]] StandingPoints block(Index begin) const;

  const Execution& execution_;
  const WeightedPoints& of_;
  StandingRows rows_;
};

/// Sums over pairs of a representative row i and a row j, each times share_i (w_i w_j)², of degrees up to r.
struct ProductMoments {
  Index degree = 0;
  std::vector<double> gram;   ///< of T_p T_q, (r + 1)²: Chebyshev polynomials of x_i·x_j
  std::vector<double> right;  ///< of T_p f
  double squares = 0.0;       ///< of f²
  /// The variance of a TensorSketch of degree p in m columns: first[p] / m + k(m) second[p] / m², k = 1 for odd m, else
  /// 2. With a = (x·y)², q = sum of x_l² y_l², b = |x|²|y|² - q, c = a - q: of (a + b)^p + (a + c)^p - 2 a^p, and of
  /// (a + b + c)^p - (a + b)^p - (a + c)^p + a^p.
  std::vector<double> first, second;
  /// The variance of trees of sketches, for each degree and each of these numbers of columns.
  std::vector<Index> tree_columns{};
  std::vector<double> trees{};
  std::vector<double> norms;  ///< sum over all rows of |x|^(2 p), p = 0 .. r + 1, without weights; for two sides its
                              ///< geometric mean

  [[nodiscard]] double sketch_variance(Index degree, Index columns) const;
  /// The variance of a tree. Between the numbers of columns it is interpolated as a power of them, and a little too
  /// large.
  /// @pre there are tree_columns
  [[nodiscard]] double tree_variance(Index degree, Index columns) const;
  /// The variance of products of complex projections.
  [[nodiscard]] double complex_variance(Index power, Index columns) const {
    return first[power] / static_cast<double>(columns);
  }
};

/// The same on any number of ranks. @param standing  of the same points, or of those of the rows of K if `weighted` are
/// those of its columns @param tree_columns  ascending: numbers of columns for which the variances of trees are
/// computed @throws Error(numeric) that names the rows for which f is not finite. Collective.
[[nodiscard]] ProductMoments product_moments(const Execution& execution, const WeightedPoints& weighted,
                                             const Standing& standing, Index degree,
                                             const std::vector<Index>& tree_columns = {});

/// sum over all rows of |x|^(2 p), p = 0 .. degree + 1. Collective.
[[nodiscard]] std::vector<double> norm_sums(const Execution& execution, const RowBlock<double>& points, Index degree);

/// sum over rows of w² x xᵀ, d x d, the same on every rank. Collective.
[[nodiscard]] std::vector<double> second_moments(const Execution& execution, const WeightedPoints& weighted);

}  // namespace cairn
