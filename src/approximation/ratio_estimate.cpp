#include "approximation/ratio_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"

namespace cairn {

namespace {

// W² (1 - f) / m times the sample variance of e - ratio * k.
double variance_of_total(const Stratum& stratum, double ratio) {
  const RatioSums& sums = stratum.sums;
  const double m = sums.units;
  const double unsampled = stratum.with_replacement ? 1.0 : 1.0 - m / stratum.population;
  if (unsampled <= 0.0) return 0.0;
  if (m < 2.0) return std::numeric_limits<double>::quiet_NaN();
  const double squares = sums.ee - 2.0 * ratio * sums.ek + ratio * ratio * sums.kk;
  const double mean = (sums.e - ratio * sums.k) / m;
  const double variance = std::max(0.0, squares - m * mean * mean) / (m - 1.0);  // rounding may leave it below 0
  return stratum.population * stratum.population * unsampled * variance / m;
}

}  // namespace

ErrorEstimate estimate_ratio(std::span<const Stratum> strata) {
  double error_total = 0.0;
  double reference_total = 0.0;
  for (const Stratum& stratum : strata) {
    if (stratum.population == 0.0) continue;
    error_total += stratum.population * stratum.sums.e / stratum.sums.units;
    reference_total += stratum.population * stratum.sums.k / stratum.sums.units;
  }
  if (!(reference_total > 0.0)) {
    throw Error(ErrorKind::numeric,
                "all entries of K that the error was to be measured on are 0: it has no relative error");
  }
  ErrorEstimate estimate;
  const double ratio = error_total / reference_total;
  if (ratio == 0.0) return estimate;
  double variance = 0.0;
  for (const Stratum& stratum : strata) {
    if (stratum.population > 0.0) variance += variance_of_total(stratum, ratio);
  }
  estimate.relative_squared_error = ratio;
  estimate.relative_squared_error_standard_error = std::sqrt(variance) / reference_total;
  estimate.relative_error = std::sqrt(ratio);
  estimate.relative_error_standard_error =
      estimate.relative_squared_error_standard_error / (2.0 * estimate.relative_error);
  return estimate;
}

}  // namespace cairn
