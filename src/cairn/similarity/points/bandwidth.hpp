// Words for gamma, resolved from the data.
#pragma once

#include <vector>

#include "cairn/base/schedule/execution.hpp"
#include "cairn/data/points/point_set.hpp"
#include "cairn/similarity/similarity_descriptor.hpp"

namespace cairn {

enum class PointMetric { squared_euclidean, manhattan };

/// gamma of a similarity of points: a number, or one of the words below.
[[nodiscard]] Parameter gamma_parameter();
/// @throws Error(usage) unless gamma is a number >= 0 or one of the words below. Local.
void check_gamma(const SimilarityChoice& choice);
/// Points in the input of a similarity. @throws Error(usage) for other objects. Local.
template <class T>
[[nodiscard]] const PointSet<T>& points_in(const SimilarityInput<T>& input);
/// gamma as a number. @throws as the functions below. Collective.
template <class T>
[[nodiscard]] double resolved_gamma(const SimilarityInput<T>& input, PointMetric metric);

/// 1 / median distance (in `metric`) between different points among 1000 drawn uniformly without replacement (all, if
/// there are fewer): the median heuristic. Addressed by (execution.seed, Stream::scaling), so the same on every rank
/// and for any number of ranks. @throws Error(numeric) if the median is 0, Error(usage) for fewer than 2 points.
/// Collective.
template <class T>
[[nodiscard]] double median_gamma(const Execution& execution, const PointSet<T>& points, PointMetric metric);

/// Objects whose mutual distances give the median if a distance takes microseconds.
inline constexpr Index median_objects = 200;

/// 1 / median distance between different objects among median_objects drawn uniformly without replacement (all, if
/// there are fewer). Each rank evaluates its share of the pairs, in blocks. The same for any number of ranks.
/// @param distance  symmetric distance of the objects @throws as above. Collective.
[[nodiscard]] double median_gamma(const Execution& execution, const Similarity<double>& distance,
                                  const ObjectSet& objects);
/// Checks a gamma that may be a number or `median`. @throws Error(usage) for other values. Local.
void check_median_gamma(const SimilarityChoice& choice);
/// Evaluations that median_gamma takes. Local.
[[nodiscard]] Index evaluations_for_median_gamma(const Values& values, Index objects);

/// 1 / (d * variance of all coordinates), as scikit-learn's gamma="scale". Sums are taken by RowPartition::unit in
/// global order: the same for any number of ranks. @param origin  subtracted from the points, one number per
/// coordinate; empty: none @throws Error(numeric) if the variance is 0. Collective.
template <class T>
[[nodiscard]] double scale_gamma(const Execution& execution, const PointSet<T>& points,
                                 const std::vector<double>& origin = {});

}  // namespace cairn
