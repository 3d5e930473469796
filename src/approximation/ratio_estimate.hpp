// The ratio of two totals from samples of both.
#pragma once

#include <span>

#include "approximation/probe.hpp"

namespace cairn {

/// Sums over sampled units of one stratum: e is a unit's share of ||K~ - K||_F², k its share of ||K||_F².
struct RatioSums {
  double units = 0.0;
  double e = 0.0, k = 0.0;
  double ee = 0.0, ek = 0.0, kk = 0.0;

  void add(double error, double reference) {
    units += 1.0;
    e += error, k += reference;
    ee += error * error, ek += error * reference, kk += reference * reference;
  }
  void add(const RatioSums& other) {
    units += other.units;
    e += other.e, k += other.k;
    ee += other.ee, ek += other.ek, kk += other.kk;
  }
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
/// where R is. A stratum of one unit out of many has no variance to estimate: the standard errors are then NaN.
/// @return with relative_error, relative_squared_error and their standard errors set
/// @throws Error(numeric) where D is 0
[[nodiscard]] ErrorEstimate estimate_ratio(std::span<const Stratum> strata);

}  // namespace cairn
