// Gaussian process regression as the formulas say it, in plain loops: what the program is compared with.
#pragma once

#include <cmath>
#include <numbers>
#include <span>
#include <vector>

#include "cairn/base/random.hpp"
#include "cairn/task/gaussian/gaussian_process.hpp"

namespace cairn::test {

/// A small matrix, replicated, row-major.
struct Rows {
  Index count = 0, columns = 0;
  std::vector<double> values;

  [[nodiscard]] MatrixView<const double> view() const { return {values.data(), count, columns}; }
  [[nodiscard]] std::span<const double> row(Index i) const { return std::span(values).subspan(i * columns, columns); }
};

inline Rows random_rows(Index count, Index columns, std::uint64_t seed = 1) {
  const Random random(seed, Stream::test);
  Rows rows{count, columns, {}};
  for (Index e = 0; e < count * columns; ++e) rows.values.push_back(random.normal(static_cast<std::uint64_t>(e), 0));
  return rows;
}

inline std::vector<double> random_targets(Index count) {
  const Random random(5, Stream::test);
  std::vector<double> targets;
  for (Index i = 0; i < count; ++i) targets.push_back(random.normal(static_cast<std::uint64_t>(i), 1));
  return targets;
}

inline double distance(std::span<const double> x, std::span<const double> y) {
  double sum = 0.0;
  for (std::size_t k = 0; k < x.size(); ++k) sum += (x[k] - y[k]) * (x[k] - y[k]);
  return std::sqrt(sum);
}

class PlainProcess {
 public:
  PlainProcess(const Rows& rows, const std::vector<double>& targets, const CovarianceParameters& parameters)
      : rows_(rows), targets_(targets), parameters_(parameters), n_(targets.size()), factor_(n_ * n_, 0.0) {
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        double sum = covariance(row(i), row(j)) + (i == j ? std::pow(parameters.noise, 2) : 0.0);
        for (std::size_t k = 0; k < j; ++k) sum -= factor_[i * n_ + k] * factor_[j * n_ + k];
        factor_[i * n_ + j] = i == j ? std::sqrt(sum) : sum / factor_[j * n_ + j];
      }
    }
    weights_ = solve(targets_);
  }

  [[nodiscard]] double log_likelihood() const {
    double sum = 0.0;
    for (std::size_t i = 0; i < n_; ++i) {
      sum -= 0.5 * targets_[i] * weights_[i] + std::log(factor_[i * n_ + i]) + 0.5 * std::log(2.0 * std::numbers::pi);
    }
    return sum;
  }

  [[nodiscard]] Normal at(std::span<const double> x) const {
    std::vector<double> across;
    for (std::size_t i = 0; i < n_; ++i) across.push_back(covariance(x, row(i)));
    const std::vector<double> solved = solve(across);
    double mean = 0.0, variance = std::pow(parameters_.sigma, 2) + std::pow(parameters_.noise, 2);
    for (std::size_t i = 0; i < n_; ++i) {
      mean += across[i] * weights_[i];
      variance -= across[i] * solved[i];
    }
    return {mean, std::sqrt(variance)};
  }

 private:
  [[nodiscard]] std::span<const double> row(std::size_t i) const { return rows_.row(static_cast<Index>(i)); }

  [[nodiscard]] double covariance(std::span<const double> x, std::span<const double> y) const {
    const double t = std::sqrt(5.0) * distance(x, y) / parameters_.length;
    return std::pow(parameters_.sigma, 2) * (1.0 + t + t * t / 3.0) * std::exp(-t);
  }

  // K⁻¹ b by the factor.
  [[nodiscard]] std::vector<double> solve(std::vector<double> b) const {
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t k = 0; k < i; ++k) b[i] -= factor_[i * n_ + k] * b[k];
      b[i] /= factor_[i * n_ + i];
    }
    for (std::size_t i = n_; i-- > 0;) {
      for (std::size_t k = i + 1; k < n_; ++k) b[i] -= factor_[k * n_ + i] * b[k];
      b[i] /= factor_[i * n_ + i];
    }
    return b;
  }

  Rows rows_;
  std::vector<double> targets_;
  CovarianceParameters parameters_;
  std::size_t n_;
  std::vector<double> factor_, weights_;
};

}  // namespace cairn::test
