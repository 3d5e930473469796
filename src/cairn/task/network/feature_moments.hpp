// Sums over rows of features and targets. Private to this folder.
#pragma once

#include <functional>
#include <vector>

#include "cairn/task/network/feature_tuning.hpp"

namespace cairn {

/// Sums over rows: x features, y targets.
struct FeatureMoments {
  double rows = 0;
  std::vector<double> x, y;    ///< sums
  std::vector<double> xx, xy;  ///< of x xᵀ, features², and of x yᵀ, features x outputs; symmetric ones are full
  double yy = 0;               ///< of |y|²

  void add(const FeatureMoments& other);
};

/// Of rows that `taken` says. @param products  whether xx, xy and yy are wanted, too. The same on every rank.
/// Collective.
template <class T>
[[nodiscard]] FeatureMoments feature_moments(const TuningInput<T>& input, const std::function<bool(Index)>& taken,
                                             bool products);

/// Means and the inverse of standard deviations: 0 for features that do not vary. Local.
struct FeatureScale {
  std::vector<double> mean, inverse;
};
/// @param squares  sums of squares of each feature. Local.
[[nodiscard]] FeatureScale feature_scale(const std::vector<double>& sums, const std::vector<double>& squares,
                                         double rows);

}  // namespace cairn
