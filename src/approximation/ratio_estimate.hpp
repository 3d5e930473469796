// The ratio of two totals from samples of both.
#pragma once

#include <array>
#include <span>

#include "approximation/probe.hpp"

namespace cairn {

/// Sums of e^a k^b, a + b <= 4, over sampled units of one stratum: e is a unit's share of ||K~ - K||_F², k its share of
/// ||K||_F².
struct RatioSums {
  std::array<std::array<double, 5>, 5> powers{};  ///< [a][b]

  [[nodiscard]] double units() const { return powers[0][0]; }
  [[nodiscard]] double e() const { return powers[1][0]; }
  [[nodiscard]] double k() const { return powers[0][1]; }
  void add(double error, double reference);
  void add(const RatioSums& other);
};

/// What was drawn from a stratum of `population` units.
struct Stratum {
  RatioSums sums;
  double population = 0.0;
  bool with_replacement = false;  ///< else the variance has the factor 1 - units / population
};

/// R = sum of the strata's e totals / sum of their k totals, each total estimated by population * mean, and sqrt(R).
///
/// Standard errors by the delta method (Cochran 1977, sections 6.4 and 6.11, the combined ratio estimator):
/// var R = 1 / D² * sum over strata of W² (1 - f) s²(e - R k) / m, and se(sqrt R) = se(R) / (2 sqrt R). Both are 0
/// where R is. Squared errors are skewed, and a sample that misses the large ones sees a small variance, too: the
/// standard error is multiplied by 1 + 7/6 rho3² - rho4/12, rho the standardized cumulants of the estimated total, with
/// which two of them cover as often as for normal data to second order (Hall 1992, section 2.4, at z = 2). A stratum of
/// one unit out of many has no variance to estimate: the standard errors are then NaN.
/// @return with relative_error, relative_squared_error and their standard errors set
/// @throws Error(numeric) where D is 0
[[nodiscard]] ErrorEstimate estimate_ratio(std::span<const Stratum> strata);

}  // namespace cairn
