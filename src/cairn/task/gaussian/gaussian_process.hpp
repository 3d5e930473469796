// Gaussian processes on a few rows: covariance, likelihood, predictions. Everything is local to one rank.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "cairn/base/buffer.hpp"
#include "cairn/base/matrix_view.hpp"
#include "cairn/task/regression/interval_score.hpp"

namespace cairn {

/// Parameters of the covariance of two observations with features x and y:
///
///   sigma² m(|x - y| / length) + noise² if they are the same,      m(t) = (1 + √5 t + 5 t² / 3) exp(-√5 t)
///
/// m is the Matérn function of smoothness 5/2 (Rasmussen and Williams 2006, equation 4.17).
struct CovarianceParameters {
  double sigma = 1.0;   ///< standard deviation of the function, in the units of the targets
  double length = 1.0;  ///< in the units of the features
  double noise = 0.1;   ///< standard deviation of a target about the function, in the units of the targets
};

/// Squared distances of all pairs of rows. Memory: n x n doubles, of which the lower triangle is used.
class PairDistances {
 public:
  /// @param rows  n x d @throws Error(numeric) if a distance is not finite, Error(resource) if memory is insufficient.
  /// Local.
  PairDistances(MatrixView<const double> rows, int threads);

  [[nodiscard]] Index rows() const { return rows_; }
  /// Squared distances between row j and rows j .. n - 1.
  [[nodiscard]] std::span<const double> from(Index j) const {
    return {squares_.data() + j * rows_ + j, static_cast<std::size_t>(rows_ - j)};
  }
  /// Median of the nonzero distances between at most 1,000 evenly spaced rows. If all these rows are equal: the largest
  /// distance between any rows; 0 if all rows are equal. Local.
  [[nodiscard]] double median() const;

 private:
  Index rows_;
  Buffer<double> squares_;  // column-major
};

/// log p(y | X) and its derivatives by log sigma, log length and log noise.
struct LogLikelihood {
  double value = 0.0;
  std::array<double, 3> gradient{};
};

/// The log marginal likelihood of targets at some rows, by one dense Cholesky factorization per evaluation. Memory:
/// n x n doubles. Local.
class MarginalLikelihood {
 public:
  /// @param distances  of the rows; must outlive this object @throws Error(resource) if memory is insufficient
  MarginalLikelihood(const PairDistances& distances, int threads);

  /// With K the covariance of the observations, K = C Cᵀ, alpha = K⁻¹ y:
  ///
  ///   log p = -yᵀ alpha / 2 - Σ log C_ii - n log(2π) / 2             (Rasmussen and Williams 2006, algorithm 2.1)
  ///   its derivative by log θ = tr((alpha alphaᵀ - K⁻¹) θ ∂K/∂θ) / 2                                (equation 5.9)
  ///
  /// @param targets  one per row, with mean 0 @return nothing if K is not positive definite to rounding
  [[nodiscard]] std::optional<LogLikelihood> at(const CovarianceParameters& parameters,
                                                std::span<const double> targets);

 private:
  const PairDistances& distances_;
  int threads_;
  Buffer<double> matrix_;
};

/// A process with known parameters, conditioned on observations. Memory: n x n doubles. Local.
class GaussianProcess {
 public:
  /// @param rows  features of the observations, n x d; must outlive this object @param targets  one per row,
  /// with mean 0
  /// @throws Error(numeric) if the covariance matrix is not positive definite to rounding; Error(resource)
  GaussianProcess(MatrixView<const double> rows, std::span<const double> targets,
                  const CovarianceParameters& parameters, int threads);

  [[nodiscard]] Index observations() const { return rows_.rows; }
  /// log p(y | X).
  [[nodiscard]] double log_likelihood() const { return log_likelihood_; }
  /// Predicts a new observation at each of `rows` (m x d). With k its covariances with the known observations:
  ///
  ///   mean = kᵀ alpha,   variance = sigma² + noise² - |C⁻¹ k|²       (Rasmussen and Williams 2006, algorithm 2.1)
  ///
  /// Memory: m x n doubles.
  [[nodiscard]] std::vector<Normal> predict(MatrixView<const double> rows) const;
  /// Predicts each observation from the others, with the same parameters: mean y_i - alpha_i / (K⁻¹)_ii, variance
  /// 1 / (K⁻¹)_ii (equations 5.10 to 5.12). Memory: n x n doubles.
  [[nodiscard]] std::vector<Normal> leave_one_out() const;

 private:
  MatrixView<const double> rows_;
  CovarianceParameters parameters_;
  int threads_;
  std::vector<double> targets_, weights_;  // y, alpha
  Buffer<double> factor_;                  // C, column-major, in the lower triangle
  double log_likelihood_ = 0.0;
};

}  // namespace cairn
