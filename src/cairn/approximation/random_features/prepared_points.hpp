// Points as sketches take them. Private to this folder.
#pragma once

#include <optional>
#include <vector>

#include "cairn/approximation/random_features/product_moments.hpp"
#include "cairn/approximation/random_features/sketch_features.hpp"
#include "cairn/data/points/point_set.hpp"
#include "cairn/parameters/values.hpp"
#include "cairn/similarity/points/point_function.hpp"

namespace cairn {

/// Rows that drawn rows are compared with, at most.
inline constexpr Index most_sampled = 8192;

/// Points of the rows of K, or of its columns.
struct PreparedSide {
  PointChange change;       ///< how the points became what they are: none is longer than 1
  WeightedPoints weighted;  ///< the points as they are, and f of their products
};

struct PreparedPoints {
  ProductFunction function;  ///< of the products of the points as they were
  PreparedSide rows;
  std::optional<PreparedSide> columns;  ///< nothing: they are the rows

  [[nodiscard]] const PreparedSide& of_columns() const { return columns ? *columns : rows; }
  [[nodiscard]] Index dimension() const { return rows.weighted.points.columns(); }
};

/// Moves points to their mean if the values say so (center) and the similarity does not change with it, and scales
/// each side. @param columns  points of the columns of K, or null: they are its rows
/// @throws Error(numeric) if all are 0, or f is not finite where products may be; Error(input) if one has no direction.
/// Collective.
template <class T>
[[nodiscard]] PreparedPoints prepare_points(const Execution& execution, const PointSet<T>& rows,
                                            const PointSet<T>* columns, ProductFunction function, const Values& values);

/// Rows that stand for all in sums over pairs: all, unless coefficients are computed from rows that are drawn; then
/// 8,192 at most. Collective.
[[nodiscard]] WeightedPoints sample_of(const Execution& execution, WeightedPoints weighted, const Values& values);
/// The rows that coefficients are computed from.
struct StandingSide {
  StandingRows rows;
  bool of_columns = false;  ///< they are rows of V, else of U
};
/// Those that the values say. Centers are found among both sides, if there are two, and those with the smaller bound
/// stand for theirs: the sum of the distances from them, times the sum of the lengths of the other side's rows [paper,
/// algorithm 4]. @throws Error(usage) if there are not so many different ones on either side. Collective.
[[nodiscard]] StandingSide standing_rows(const Execution& execution, const RowBlock<double>& points,
                                         const RowBlock<double>* columns, const Values& values);

/// Of the second moments A = sum of w² x xᵀ. Of two sides, with moments A and B, vectors t_k and r_k of which t_k·A t_l
/// and r_k·B r_l are values_k if k = l, else 0, and sum_k t_k r_kᵀ = 1: x·y = sum_k (t_k·x) (r_k·y), whose first terms
/// are the best ones, since the values are the singular values of the matrix of all w_i w_j x_i·y_j (balanced
/// coordinates, Moore 1981).
struct PrincipalComponents {
  double rows = 0.0;                  ///< that the sums have; of two sides the geometric mean
  std::vector<double> values;         ///< falling
  std::vector<double> vectors;        ///< one a row, each with a positive entry of largest magnitude
  std::vector<double> right_vectors;  ///< r_k; empty: there is one side, and t_k are orthonormal

  [[nodiscard]] const std::vector<double>& of_right() const { return right_vectors.empty() ? vectors : right_vectors; }
};
/// None for more than 4,096 coordinates. @param columns  null: there is one side. Collective.
[[nodiscard]] PrincipalComponents components_of(const Execution& execution, const WeightedPoints& rows,
                                                const WeightedPoints* columns = nullptr);
/// The first `kept` of the vectors as the columns of a matrix, dimension x kept, row-major. Local.
[[nodiscard]] std::vector<double> basis_of(const std::vector<double>& vectors, Index dimension, Index kept);

}  // namespace cairn
