// Points as sketches take them. Private to this folder.
#pragma once

#include <vector>

#include "cairn/approximation/random_features/product_moments.hpp"
#include "cairn/approximation/random_features/sketch_features.hpp"
#include "cairn/data/points/point_set.hpp"
#include "cairn/parameters/values.hpp"
#include "cairn/similarity/points/point_function.hpp"

namespace cairn {

/// Rows that drawn rows are compared with, at most.
inline constexpr Index most_sampled = 8192;

struct PreparedPoints {
  PointChange change;        ///< how the points became what they are: none is longer than 1
  ProductFunction function;  ///< of the products of the points as they were
  WeightedPoints weighted;   ///< of the points as they are
};

/// Moves points to their mean if the values say so (center) and the similarity does not change with it, and scales
/// them.
/// @throws Error(numeric) if all are 0, one has no direction, or f is not finite where products may be. Collective.
template <class T>
[[nodiscard]] PreparedPoints prepare_points(const Execution& execution, const PointSet<T>& points,
                                            ProductFunction function, const Values& values);

/// Rows that stand for all in sums over pairs: all, unless coefficients are computed from rows that are drawn; then
/// 8,192 at most. Collective.
[[nodiscard]] WeightedPoints sample_of(const Execution& execution, WeightedPoints weighted, const Values& values);
/// Those that coefficients are computed from, as the values say. @throws Error(usage) if there are not so many
/// different ones. Collective.
[[nodiscard]] StandingRows standing_rows(const Execution& execution, const RowBlock<double>& points,
                                         const Values& values);

/// Of w² x xᵀ.
struct PrincipalComponents {
  std::vector<double> values;   ///< of the sum over all rows, falling
  std::vector<double> vectors;  ///< one a row, each with a positive entry of largest magnitude
};
/// None for more than 4,096 coordinates. Collective.
[[nodiscard]] PrincipalComponents components_of(const Execution& execution, const WeightedPoints& weighted);

}  // namespace cairn
