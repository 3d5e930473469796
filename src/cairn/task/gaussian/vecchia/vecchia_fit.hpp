// Parameters of Gaussian processes by Vecchia's likelihood, and predictions, over all ranks.
#pragma once

#include <string>
#include <vector>

#include "cairn/task/gaussian/gaussian_process.hpp"
#include "cairn/task/gaussian/vecchia/vecchia_likelihood.hpp"

namespace cairn {

/// Training rows of all ranks, in the order of the rows of the result, once per node. Coordinates are those of the
/// result minus `center`, over `unit`: of a column its mean and standard deviation, or, with one length for all
/// columns, the root of their mean variance.
struct VecchiaRows {
  OrderedPoints points{};
  std::vector<double> center{}, unit{};  ///< one per column
  bool one_length = false;

  [[nodiscard]] Index count() const { return points.count(); }
};

/// Puts the training rows of all ranks together. Columns that are constant on them have unit 1 and are 0.
/// @param own  this rank's rows x columns, row-major @param numbers  of these rows, which address the random order
/// @param seed  of this order @throws Error(resource), Error(numeric) for values that are not finite. Collective.
[[nodiscard]] VecchiaRows vecchia_rows(const Execution& execution, const std::vector<double>& own, Index columns,
                                       const std::vector<Index>& numbers, bool one_length);

/// Target of the training rows, standardized. @throws as vecchia_rows; Error(input) if it is constant. Collective.
struct VecchiaTarget {
  NodeArray<double> values;
  double mean = 0.0, scale = 1.0;
};
/// @param own  of this rank's training rows, rows x count; `target` is the column
[[nodiscard]] VecchiaTarget vecchia_target(const Execution& execution, const std::vector<double>& own, Index count,
                                           Index target, const std::string& name);

struct VecchiaOptions {
  Smoothness smoothness = Smoothness::five_halves;
  Index neighbors = 30;
  bool linear = true;  ///< the mean has a coefficient for each column
};

/// Fit of one target, in units of standardized rows and targets.
struct VecchiaFit {
  ColumnCovariance covariance;
  std::vector<double> coefficients;  ///< of the mean: constant, then one per column if it is linear
  double log_likelihood = 0.0;
  Index steps = 0, searches = 0;  ///< Fisher scoring and neighbor searches of all rows
  bool converged = false;
};

/// Bounds of the lengths in units of √(2 d), and of sigma and the noise.
inline constexpr double least_length = 1e-3, largest_length = 1e3;
inline constexpr double least_sigma = 1e-3, largest_sigma = 1e2, least_noise = 1e-4, largest_noise = 10.0;

/// Maximizes Vecchia's likelihood over the logarithms of the lengths, sigma and the noise, and over the coefficients of
/// the mean, by Fisher scoring: on about 1,000 rows, those that come first in the random order, from three starts; from
/// the best one on 4 times as many until all are in. Neighbors are found anew where lengths have changed by a tenth, by
/// their shares of the distances.
/// @throws Error(resource). Memory: as VecchiaLikelihood. Collective.
[[nodiscard]] VecchiaFit fit_vecchia(const Execution& execution, const VecchiaRows& rows, const VecchiaTarget& target,
                                     const VecchiaOptions& options);

/// Predicts new observations from the `neighbors` nearest training rows, with the parameters of a fit: the mean and
/// the variance of Conditional.
class VecchiaPredictor {
 public:
  /// Collective. @throws Error(resource)
  VecchiaPredictor(const Execution& execution, const VecchiaRows& rows, const NodeArray<double>& targets,
                   const ColumnCovariance& covariance, std::vector<double> coefficients, Index neighbors);

  /// For this rank's new rows (row-major, coordinates of the result), in units of the standardized target.
  /// @throws Error(numeric) on every rank if a covariance matrix is not positive definite to rounding. Collective.
  [[nodiscard]] std::vector<Normal> predict(std::span<const double> own) const;
  /// For the training rows, each from the nearest others: distributions by place in the tree, and the targets there.
  struct LeftOut {
    std::vector<Normal> distributions;
    std::vector<double> targets;
  };
  [[nodiscard]] LeftOut leave_one_out() const;

 private:
  template <class Fill>
  [[nodiscard]] std::vector<Normal> predict_each(Index count, const Fill& fill) const;

  const Execution& execution_;
  const VecchiaRows& rows_;
  ColumnCovariance covariance_;
  std::vector<double> coefficients_;
  ConditionalShape shape_;
  NeighborTree tree_;
  NodeArray<double> placed_targets_;
};

/// Lengths by which neighbors are found: rounded to a thousandth, so that rounding errors of sums over ranks do not
/// decide which of two equally distant ones is nearer. Local.
[[nodiscard]] std::vector<double> search_lengths(const ColumnCovariance& covariance, Index columns);

/// Bytes of a fit or a prediction: of a rank, and shared by the ranks of a node. Local.
struct VecchiaBytes {
  Index rank = 0, node = 0;
};
[[nodiscard]] VecchiaBytes vecchia_bytes(Index rows, Index columns, Index neighbors, Index targets, int ranks,
                                         int threads);

}  // namespace cairn
