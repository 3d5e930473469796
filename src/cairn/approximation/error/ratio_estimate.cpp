#include "cairn/approximation/error/ratio_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cairn/approximation/error/entry_squares.hpp"
#include "cairn/base/error.hpp"

namespace cairn {

namespace {

// Second to fourth cumulant of an estimated total; those of independent parts add up.
struct Cumulants {
  double second = 0.0, third = 0.0, fourth = 0.0;

  void add(const Cumulants& other) {
    second += other.second;
    third += other.third;
    fourth += other.fourth;
  }
};

// The contribution of a unit to a total, to first order.
struct Influence {
  double error = 0.0, reference = 0.0, value = 0.0;

  double operator()(const Unit& unit) const {
    return error * unit.error + reference * unit.reference + value * unit.value;
  }
};

double mean_of(const Stratum& stratum, const Influence& influence) {
  double sum = 0.0;
  for (const Unit& unit : stratum.units) sum += influence(unit);
  return sum / static_cast<double>(stratum.units.size());
}

double total_of(std::span<const Stratum> strata, const Influence& influence) {
  double total = 0.0;
  for (const Stratum& stratum : strata) {
    if (stratum.population > 0.0) total += stratum.population * mean_of(stratum, influence);
  }
  return total;
}

// Calls take(first, end) for each run of the stratum.
template <class Take>
void for_each_run(const Stratum& stratum, const Take& take) {
  const auto length = static_cast<std::size_t>(stratum.run);
  for (std::size_t first = 0; first < stratum.units.size(); first += length) {
    take(first, std::min(first + length, stratum.units.size()));
  }
}

double weight_of(const Stratum& stratum, std::size_t unit) {
  return stratum.weights.empty() ? 1.0 : stratum.weights[unit];
}

// Cumulants of population * mean of the influence for independently drawn runs.
Cumulants cumulants_between_runs(const Stratum& stratum, const Influence& influence) {
  const auto units = static_cast<double>(stratum.units.size());
  const double unsampled = stratum.with_replacement ? 1.0 : 1.0 - units / stratum.population;
  if (unsampled <= 0.0) return {};
  const double mean = mean_of(stratum, influence);
  double runs = 0.0, square = 0.0, cube = 0.0, fourth = 0.0;
  for_each_run(stratum, [&](std::size_t first, std::size_t end) {
    double deviation = 0.0;
    for (std::size_t u = first; u < end; ++u) deviation += influence(stratum.units[u]) - mean;
    runs += 1.0;
    square += deviation * deviation;
    cube += deviation * deviation * deviation;
    fourth += deviation * deviation * deviation * deviation;
  });
  if (runs < 2.0) return {std::numeric_limits<double>::quiet_NaN(), 0.0, 0.0};
  const double weight = stratum.population * std::sqrt(unsampled) / units;
  return {weight * weight * square * runs / (runs - 1.0), weight * weight * weight * cube,
          std::pow(weight, 4) * (fourth - 3.0 * square * square / runs)};
}

// Mean of the influence for a unit of weight 1, over strata that have members if `members`, else over those without.
double mean_by_weight(std::span<const Stratum> strata, const Influence& influence, bool members) {
  double sum = 0.0, weights = 0.0;
  for (const Stratum& stratum : strata) {
    if (stratum.members.empty() == members) continue;
    const double share = stratum.population / static_cast<double>(stratum.units.size());
    for (std::size_t u = 0; u < stratum.units.size(); ++u) {
      sum += share * influence(stratum.units[u]);
      weights += share * weight_of(stratum, u);
    }
  }
  return weights > 0.0 ? sum / weights : 0.0;
}

// Cumulants of the sum of all strata, due to the choice of objects. The contribution of the draws of entries is
// subtracted; the result is at least that of the diagonal alone.
Cumulants cumulants_between_objects(std::span<const Stratum> strata, double objects, const Influence& influence) {
  const Stratum& diagonal = strata.back();
  const auto m = static_cast<double>(diagonal.units.size());
  const double unsampled = 1.0 - m / objects;
  if (unsampled <= 0.0) return {};
  const double mean = mean_by_weight(strata, influence, true), own_mean = mean_by_weight(strata, influence, false);
  std::vector<double> contributions(diagonal.units.size());
  double least = 0.0;
  for (std::size_t i = 0; i < contributions.size(); ++i) {
    contributions[i] = diagonal.population / m * (influence(diagonal.units[i]) - weight_of(diagonal, i) * own_mean);
    least += contributions[i] * contributions[i];
  }
  double square = 0.0, cube = 0.0;
  const auto subtract = [&](double deviation) {
    square -= deviation * deviation;
    cube -= deviation * deviation * deviation;
  };
  for (const Stratum& stratum : strata) {
    if (stratum.members.empty()) continue;
    const double share = stratum.population / static_cast<double>(stratum.units.size());
    for_each_run(stratum, [&](std::size_t first, std::size_t end) {
      double of_run = 0.0;
      for (std::size_t u = first; u < end; ++u) {
        const double deviation = share * (influence(stratum.units[u]) - weight_of(stratum, u) * mean);
        for (const Index i : stratum.members[u]) contributions[i] += deviation;
        subtract(deviation);  // the draw of the column
        of_run += deviation;
      }
      subtract(of_run);
    });
  }
  for (const double contribution : contributions) {
    square += contribution * contribution;
    cube += contribution * contribution * contribution;
  }
  return {unsampled * std::max(square, least) * m / (m - 1.0), std::pow(unsampled, 1.5) * cube, 0.0};
}

// Bounded like the skewness of a sample: if all units are equal, the cumulants are rounding errors.
double skewness_correction(const Cumulants& total) {
  if (!(total.second > 0.0) || !std::isfinite(total.third) || !std::isfinite(total.fourth)) return 1.0;
  const double skewness_squared = std::min(1.0, total.third * total.third / std::pow(total.second, 3));
  const double kurtosis = std::clamp(total.fourth / (total.second * total.second), 0.0, 1.0);
  return std::max(1.0, 1.0 + 7.0 / 6.0 * skewness_squared - kurtosis / 12.0);
}

double standard_error(std::span<const Stratum> strata, std::optional<double> objects, const Influence& influence) {
  Cumulants total;
  for (const Stratum& stratum : strata) {
    const bool with_objects = objects && &stratum == &strata.back();
    if (stratum.population > 0.0 && !with_objects) total.add(cumulants_between_runs(stratum, influence));
  }
  if (objects) total.add(cumulants_between_objects(strata, *objects, influence));
  return skewness_correction(total) * std::sqrt(total.second);
}

// The strata with the weights of their units in place of their errors.
std::vector<Stratum> weights_of(std::span<const Stratum> strata) {
  std::vector<Stratum> weighted(strata.begin(), strata.end());
  for (Stratum& stratum : weighted) {
    for (std::size_t u = 0; u < stratum.units.size(); ++u) {
      stratum.units[u].error = weight_of(stratum, u);
    }
  }
  return weighted;
}

// The square is the part of K that a constant matrix does not explain: 0, up to rounding, if K is constant.
void add_constant_error(std::span<const Stratum> errors, std::optional<double> objects, double entries,
                        double reference, ErrorEstimate& estimate) {
  const std::vector<Stratum> strata = weights_of(errors);
  double population = 0.0;
  for (const Stratum& stratum : strata) population += stratum.population;
  const double sum = total_of(strata, {0.0, 0.0, 1.0}), count = total_of(strata, {1.0, 0.0, 0.0});
  const double explained = sum / reference * (sum / entries) * (population / count);
  const double square = std::max(0.0, 1.0 - explained);
  estimate.constant_error = std::sqrt(square);
  estimate.constant_error_standard_error = 0.0;
  if (square == 0.0 || sum == 0.0) return;
  const Influence influence{explained / count, explained / reference, -2.0 * explained / sum};
  estimate.constant_error_standard_error = standard_error(strata, objects, influence) / (2.0 * estimate.constant_error);
}

}  // namespace

ErrorEstimate estimate_ratio(std::span<const Stratum> strata, double entries, std::optional<double> objects) {
  const double error_total = total_of(strata, {1.0, 0.0, 0.0});
  const double reference_total = total_of(strata, {0.0, 1.0, 0.0});
  if (!std::isfinite(error_total) || !std::isfinite(reference_total)) {
    throw Error(
        ErrorKind::numeric,
        "the error cannot be measured: squares of entries of K or of the approximation overflow; scale the similarity");
  }
  if (!(reference_total > 0.0)) throw NoRelativeError();
  ErrorEstimate estimate;
  add_constant_error(strata, objects, entries, reference_total, estimate);
  double ratios = 0.0;
  for (const Stratum& stratum : strata) {
    if (stratum.units.empty()) continue;
    double sum = 0.0;
    for (const Unit& unit : stratum.units) sum += unit.ratio;
    ratios += stratum.population * sum / static_cast<double>(stratum.units.size());
  }
  if (std::isfinite(ratios)) estimate.mean_squared_ratio = ratios / entries;
  const double ratio = error_total / reference_total;
  if (ratio == 0.0) return estimate;
  const Influence influence{1.0 / reference_total, -ratio / reference_total, 0.0};
  estimate.relative_squared_error = ratio;
  estimate.relative_squared_error_standard_error = standard_error(strata, objects, influence);
  estimate.relative_error = std::sqrt(ratio);
  estimate.relative_error_standard_error =
      estimate.relative_squared_error_standard_error / (2.0 * estimate.relative_error);
  return estimate;
}

}  // namespace cairn
