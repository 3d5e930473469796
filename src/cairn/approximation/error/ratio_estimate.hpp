// The ratio of two totals from samples of both.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "cairn/approximation/error/error_estimate.hpp"

namespace cairn {

/// Contributions of a sampled unit (an entry of K, or a row), each times the unit's weight.
struct Unit {
  double error = 0.0;      ///< to ||K~ - K||_F²
  double reference = 0.0;  ///< to ||K||_F²
  double value = 0.0;      ///< to the sum of K's entries
  double ratio = 0.0;      ///< to the sum of ((K~ - K) / K)²; NaN: unknown
};

/// A sample from a stratum of `population` units.
struct Stratum {
  std::vector<Unit> units;
  double population = 0.0;
  bool with_replacement = false;  ///< false: the variance has the factor 1 - units / population
  std::vector<double> weights{};  ///< for each unit the weight that its contributions have, 1 on average; empty: 1
  Index run = 1;                  ///< runs of so many units are independent, the units of a run are not
  /// For each unit that is an entry of K: its row and column, as numbers of sampled objects; empty: they are no sample.
  std::vector<std::array<Index, 2>> members{};
};

/// R = sum of the strata's error totals / sum of their reference totals, each total estimated by population * mean, and
/// sqrt(R); the same for the matrix whose entries all are the mean of K: 1 - (sum of K)² / (entries * sum of K²). There
/// the number of entries is estimated by the weights, too (Hajek's estimator), so that it is never below 0, and near 0
/// for a nearly constant K, which the spread of the weights would hide otherwise. Weights are 1 on average over all
/// strata.
///
/// Standard errors by the delta method (Cochran 1977, sections 6.4 and 6.11, the combined ratio estimator): var R = 1 /
/// D² * sum over strata of W² (1 - f) s²(e - R k) / m, and se(sqrt R) = se(R) / (2 sqrt R). Both are 0 if R is. If the
/// objects of the entries are a sample themselves, the last stratum has their diagonal, in the order of the objects,
/// and entries vary with the objects, and jointly. The variance between objects is added: the sum over objects of the
/// squared contributions of their entries, minus the contribution of the draws of entries (Aronow, Samii and Assenova
/// 2015, the variance of a sum over pairs that share members), times 1 - objects / population.
///
/// Squared errors are skewed, and a sample that misses the large ones has a small variance, too: the standard error is
/// multiplied by 1 + 7/6 rho3² - rho4/12, rho the standardized cumulants of the estimated total; two of the resulting
/// standard errors cover as often as for normal data to second order (Hall 1992, section 2.4, at z = 2). A stratum with
/// one unit out of many has no variance to estimate: the standard errors are then NaN.
/// @param entries  of K in all strata together
/// @param objects  number of objects from which those of Stratum::members were drawn, infinity if with replacement;
///   nothing: the runs are drawn independently
/// The shares of all strata may have a common factor (factor_for_squares).
/// @return with the errors and their standard errors set
/// @throws NoRelativeError if D is 0, Error(numeric) if the totals are not finite
[[nodiscard]] ErrorEstimate estimate_ratio(std::span<const Stratum> strata, double entries,
                                           std::optional<double> objects = std::nullopt);

}  // namespace cairn
