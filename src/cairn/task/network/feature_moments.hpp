// Sums of features and targets over rows. Private to this folder.
#pragma once

#include <functional>
#include <vector>

#include "cairn/task/network/feature_tuning.hpp"

namespace cairn {

/// Sums over rows, with x the features and y the targets.
struct FeatureMoments {
  double rows = 0;
  std::vector<double> x, y;    ///< sums
  std::vector<double> xx, xy;  ///< sums of x xᵀ (features²) and x yᵀ (features x outputs); symmetric ones are full
  double yy = 0;               ///< sum of |y|²

  void add(const FeatureMoments& other);
};

/// Sums over the rows for which `taken` is true. @param products  true: also computes xx, xy and yy. The same on every
/// rank. Collective.
template <class T>
[[nodiscard]] FeatureMoments feature_moments(const TuningInput<T>& input, const std::function<bool(Index)>& taken,
                                             bool products);

/// Means and inverse standard deviations; the inverse is 0 for constant features.
struct FeatureScale {
  std::vector<double> mean, inverse;
};
/// @param squares  sums of squares of each feature. Local.
[[nodiscard]] FeatureScale feature_scale(const std::vector<double>& sums, const std::vector<double>& squares,
                                         double rows);

}  // namespace cairn
