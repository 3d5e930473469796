#include "approximation/ratio_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"

namespace cairn {

namespace {

// Second to fourth cumulant of an estimated total; those of independent strata add up.
struct Cumulants {
  double second = 0.0, third = 0.0, fourth = 0.0;
};

// Mean of (e - ratio k)^power.
double mean_power(const RatioSums& sums, double ratio, int power) {
  double sum = 0.0;
  double coefficient = 1.0;  // binomial(power, b) (-ratio)^b
  for (int b = 0; b <= power; ++b) {
    sum += coefficient * sums.powers[static_cast<std::size_t>(power - b)][static_cast<std::size_t>(b)];
    coefficient *= -ratio * (power - b) / (b + 1);
  }
  return sum / sums.units();
}

// Of W times the mean of e - ratio k.
Cumulants cumulants_of_total(const Stratum& stratum, double ratio) {
  const double m = stratum.sums.units();
  const double unsampled = stratum.with_replacement ? 1.0 : 1.0 - m / stratum.population;
  if (unsampled <= 0.0) return {};
  if (m < 2.0) return {std::numeric_limits<double>::quiet_NaN(), 0.0, 0.0};
  const double mean = mean_power(stratum.sums, ratio, 1);
  const double square = mean_power(stratum.sums, ratio, 2);
  const double cube = mean_power(stratum.sums, ratio, 3);
  const double variance = std::max(0.0, square - mean * mean);  // rounding may leave it below 0
  const double third = cube - 3.0 * mean * square + 2.0 * mean * mean * mean;
  const double fourth = mean_power(stratum.sums, ratio, 4) - 4.0 * mean * cube + 6.0 * mean * mean * square -
                        3.0 * mean * mean * mean * mean - 3.0 * variance * variance;
  const double weight = stratum.population * std::sqrt(unsampled);
  return {weight * weight * variance / (m - 1.0), weight * weight * weight * third / (m * m),
          weight * weight * weight * weight * fourth / (m * m * m)};
}

// Bounded as the skewness of a sample is: where all units are alike the cumulants are rounding.
double skewness_correction(const Cumulants& total) {
  if (!(total.second > 0.0) || !std::isfinite(total.third) || !std::isfinite(total.fourth)) return 1.0;
  const double skewness_squared = std::min(1.0, total.third * total.third / std::pow(total.second, 3));
  const double kurtosis = std::clamp(total.fourth / (total.second * total.second), 0.0, 1.0);
  return std::max(1.0, 1.0 + 7.0 / 6.0 * skewness_squared - kurtosis / 12.0);
}

}  // namespace

void RatioSums::add(double error, double reference) {
  double power_of_error = 1.0;
  for (std::size_t a = 0; a <= 4; ++a) {
    double term = power_of_error;
    for (std::size_t b = 0; a + b <= 4; ++b) {
      powers[a][b] += term;
      term *= reference;
    }
    power_of_error *= error;
  }
}

void RatioSums::add(const RatioSums& other) {
  for (std::size_t a = 0; a <= 4; ++a)
    for (std::size_t b = 0; a + b <= 4; ++b) powers[a][b] += other.powers[a][b];
}

ErrorEstimate estimate_ratio(std::span<const Stratum> strata) {
  double error_total = 0.0;
  double reference_total = 0.0;
  for (const Stratum& stratum : strata) {
    if (stratum.population == 0.0) continue;
    error_total += stratum.population * stratum.sums.e() / stratum.sums.units();
    reference_total += stratum.population * stratum.sums.k() / stratum.sums.units();
  }
  if (!(reference_total > 0.0)) {
    throw Error(ErrorKind::numeric,
                "all entries of K that the error was to be measured on are 0: it has no relative error");
  }
  ErrorEstimate estimate;
  if (!std::isfinite(error_total) || !std::isfinite(reference_total)) {
    throw Error(
        ErrorKind::numeric,
        "the squares of the entries that the error was to be measured on are beyond the range of numbers; scale the "
        "similarity");
  }
  const double ratio = error_total / reference_total;
  if (ratio == 0.0) return estimate;
  Cumulants total;
  for (const Stratum& stratum : strata) {
    if (stratum.population == 0.0) continue;
    const Cumulants part = cumulants_of_total(stratum, ratio);
    total = {total.second + part.second, total.third + part.third, total.fourth + part.fourth};
  }
  estimate.relative_squared_error = ratio;
  estimate.relative_squared_error_standard_error =
      skewness_correction(total) * std::sqrt(total.second) / reference_total;
  estimate.relative_error = std::sqrt(ratio);
  estimate.relative_error_standard_error =
      estimate.relative_squared_error_standard_error / (2.0 * estimate.relative_error);
  return estimate;
}

}  // namespace cairn
