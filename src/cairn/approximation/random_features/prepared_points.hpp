// Points, prepared for sketches. Private to this folder.
#pragma once

#include <optional>
#include <vector>

#include "cairn/approximation/random_features/product_moments.hpp"
#include "cairn/approximation/random_features/sketch_features.hpp"
#include "cairn/data/points/point_set.hpp"
#include "cairn/parameters/values.hpp"
#include "cairn/similarity/points/point_function.hpp"

namespace cairn {

/// Largest number of rows that drawn rows are compared with.
inline constexpr Index most_sampled = 8192;

/// Points of the rows of K, or of its columns.
struct PreparedSide {
  PointChange change;       ///< the transformation of the points: none is longer than 1
  WeightedPoints weighted;  ///< the transformed points, and f of their products
};

struct PreparedPoints {
  ProductFunction function;  ///< of the products of the original points
  PreparedSide rows;
  std::optional<PreparedSide> columns;  ///< empty: they are the rows

  [[nodiscard]] const PreparedSide& of_columns() const { return columns ? *columns : rows; }
  [[nodiscard]] Index dimension() const { return rows.weighted.points.columns(); }
};

/// Shifts points to their mean if the values request it (center) and the similarity is invariant, and scales each side.
/// @param columns  points of the columns of K, or null: they are its rows
/// @throws Error(numeric) if all are 0, or f is not finite in the range of the products; Error(input) if one has no
/// direction. Collective.
template <class T>
[[nodiscard]] PreparedPoints prepare_points(const Execution& execution, const PointSet<T>& rows,
                                            const PointSet<T>* columns, ProductFunction function, const Values& values);

/// Rows that represent all rows in sums over pairs: all, unless coefficients are computed from drawn rows; then at most
/// 8,192. Collective.
[[nodiscard]] WeightedPoints sample_of(const Execution& execution, WeightedPoints weighted, const Values& values);
/// The rows from which coefficients are computed.
struct StandingSide {
  StandingRows rows;
  bool of_columns = false;  ///< true: rows of V, else of U
};
/// The rows requested by the values. With two sides, centers are computed on both, and those with the smaller bound
/// represent their side: the sum of the distances from them, times the sum of the lengths of the other side's rows
/// [paper, algorithm 4]. @throws Error(usage) if neither side has as many different rows. Collective.
[[nodiscard]] StandingSide standing_rows(const Execution& execution, const RowBlock<double>& points,
                                         const RowBlock<double>* columns, const Values& values);

/// Principal components of the second moments A = sum of w² x xᵀ. For two sides, with moments A and B: vectors t_k and
/// r_k with t_k·A t_l and r_k·B r_l equal to values_k if k = l, else 0, and sum_k t_k r_kᵀ = 1. Then x·y = sum_k
/// (t_k·x) (r_k·y), whose first terms are the best ones, because the values are the singular values of the matrix of
/// all w_i w_j x_i·y_j (balanced coordinates, Moore 1981).
struct PrincipalComponents {
  double rows = 0.0;                  ///< number of rows in the sums; for two sides the geometric mean
  std::vector<double> values;         ///< descending
  std::vector<double> vectors;        ///< one per row, each with a positive entry of largest magnitude
  std::vector<double> right_vectors;  ///< r_k; empty: there is one side, and t_k are orthonormal

  [[nodiscard]] const std::vector<double>& of_right() const { return right_vectors.empty() ? vectors : right_vectors; }
};
/// Empty for more than 4,096 coordinates. @param columns  null: there is one side. Collective.
[[nodiscard]] PrincipalComponents components_of(const Execution& execution, const WeightedPoints& rows,
                                                const WeightedPoints* columns = nullptr);
/// The first `kept` of the vectors as the columns of a matrix, dimension x kept, row-major. Local.
[[nodiscard]] std::vector<double> basis_of(const std::vector<double>& vectors, Index dimension, Index kept);

}  // namespace cairn
