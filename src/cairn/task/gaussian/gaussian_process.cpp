#include "cairn/task/gaussian/gaussian_process.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cairn/base/error.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/linalg/dense/blas_threads.hpp"
#include "cairn/linalg/dense/local_blas.hpp"
#include "cairn/linalg/library_limits.hpp"
#include "cairn/similarity/vector_math.hpp"

namespace cairn {

namespace {

const double root_of_five = std::sqrt(5.0);
constexpr Index columns_at_a_time = 16;  // of a triangle, taken by a thread at a time

// Replaces squared distances by m(distance / length). @param zeros  n zeros
void to_matern(double* squares, Index n, const std::vector<double>& zeros, const CovarianceParameters& parameters) {
  vector_math::matern_5_2(0.0, zeros.data(), root_of_five / parameters.length, squares, n);
}

std::vector<double> zeros_of(Index n) { return std::vector<double>(static_cast<std::size_t>(n), 0.0); }

// Squared distances of x and rows `first` .. n - 1. Computed from differences, not from norms and products, so that
// those of equal rows are 0.
void distances_from(const double* x, MatrixView<const double> rows, Index first, double* squares) {
  for (Index i = first; i < rows.rows; ++i) {
    squares[i - first] = vector_math::squared_distance(x, rows.row(i), rows.columns);
  }
}

double seconds_of_factor(Index n) {
  const auto size = static_cast<double>(n);
  return silent_seconds(size * size * size, 1);
}

int order_of(Index n) { return to_library_int(n, "training rows"); }

// Replaces m by the covariance matrix (lower triangle), then by its factor C. False if the matrix has no factor.
bool factor_in_place(Buffer<double>& matrix, Index n, const CovarianceParameters& parameters, int threads) {
  const double variance = parameters.sigma * parameters.sigma, noise = parameters.noise * parameters.noise;
#pragma omp parallel for num_threads(threads) schedule(dynamic, columns_at_a_time)
  for (Index j = 0; j < n; ++j) {
    double* column = matrix.data() + j * n;
    for (Index i = j; i < n; ++i) column[i] *= variance;
    column[j] = variance + noise;
  }
  const Watchdog::Patience patience(seconds_of_factor(n));
  return blas::cholesky(order_of(n), matrix.data(), order_of(n)) == 0;
}

// -yᵀ alpha / 2 - Σ log C_ii - n log(2π) / 2.
double log_likelihood_of(const Buffer<double>& factor, std::span<const double> targets,
                         std::span<const double> weights) {
  const auto n = static_cast<Index>(targets.size());
  double sum = -0.5 * static_cast<double>(n) * std::log(2.0 * std::numbers::pi);
  for (Index i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    sum -= 0.5 * targets[at] * weights[at] + std::log(factor[i * n + i]);
  }
  return sum;
}

std::vector<double> weights_of(const Buffer<double>& factor, std::span<const double> targets) {
  std::vector<double> weights(targets.begin(), targets.end());
  const int n = order_of(static_cast<Index>(targets.size()));
  blas::solve_cholesky(n, 1, factor.data(), n, weights.data(), n);
  return weights;
}

void invert(Buffer<double>& factor, Index n) {
  const Watchdog::Patience patience(seconds_of_factor(n));
  if (blas::invert_cholesky(order_of(n), factor.data(), order_of(n)) == 0) return;
  throw Error(ErrorKind::internal, "dpotri finds a zero in a Cholesky factor");
}

// For one column below its diagonal, with w = alpha alphaᵀ - K⁻¹: Σ w m, and Σ w times the derivative of m by log
// length.
struct ColumnSums {
  double matern = 0.0, length = 0.0;
};

ColumnSums sums_below(std::span<const double> squares, const double* weights, const double* inverse,
                      const std::vector<double>& zeros, const CovarianceParameters& parameters,
                      std::vector<double>& matern) {
  matern.assign(squares.begin(), squares.end());
  to_matern(matern.data(), static_cast<Index>(matern.size()), zeros, parameters);
  const double scale = root_of_five / parameters.length, own = weights[0];
  ColumnSums sums;
  for (std::size_t i = 1; i < squares.size(); ++i) {
    const double t = scale * std::sqrt(squares[i]), term = (own * weights[i] - inverse[i]) * matern[i];
    sums.matern += term;
    sums.length += term * t * t * (1.0 + t) / (3.0 + 3.0 * t + t * t);
  }
  return sums;
}

}  // namespace

PairDistances::PairDistances(MatrixView<const double> rows, int threads)
    : rows_(rows.rows), squares_(rows.rows * rows.rows) {
  Index bad = rows_;
#pragma omp parallel for num_threads(threads) schedule(dynamic, columns_at_a_time) reduction(min : bad)
  for (Index j = 0; j < rows_; ++j) {
    double* column = squares_.data() + j * rows_ + j;
    distances_from(rows.row(j), rows, j, column);
    Watchdog::beat();
    if (!std::all_of(column, column + rows_ - j, [](double value) { return std::isfinite(value); })) {
      bad = std::min(bad, j);
    }
  }
  if (bad == rows_) return;
  throw Error(ErrorKind::numeric,
              fmt::format("the distance of training row {} (in their order, from 0) and another one is not finite: "
                          "the features are too large or are not numbers",
                          bad));
}

double PairDistances::median() const {
  constexpr Index most = 1000;
  const Index step = (rows_ + most - 1) / most;
  std::vector<double> positive;
  for (Index j = 0; j < rows_; j += step) {
    const std::span<const double> column = from(j);
    for (std::size_t i = 0; i < column.size(); i += static_cast<std::size_t>(step)) {
      if (column[i] > 0.0) positive.push_back(column[i]);
    }
  }
  if (!positive.empty()) {
    const auto middle = positive.begin() + static_cast<std::ptrdiff_t>(positive.size() / 2);
    std::nth_element(positive.begin(), middle, positive.end());
    return std::sqrt(*middle);
  }
  double largest = 0.0;
  for (Index j = 0; j < rows_; ++j) {
    for (const double square : from(j)) largest = std::max(largest, square);
  }
  return std::sqrt(largest);
}

MarginalLikelihood::MarginalLikelihood(const PairDistances& distances, int threads)
    : distances_(distances), threads_(threads), matrix_(distances.rows() * distances.rows()) {}

std::optional<LogLikelihood> MarginalLikelihood::at(const CovarianceParameters& parameters,
                                                    std::span<const double> targets) {
  const Index n = distances_.rows();
  const BlasThreads scope(threads_);
  const std::vector<double> zeros = zeros_of(n);
#pragma omp parallel for num_threads(threads_) schedule(dynamic, columns_at_a_time)
  for (Index j = 0; j < n; ++j) {
    const std::span<const double> squares = distances_.from(j);
    double* column = matrix_.data() + j * n + j;
    std::copy(squares.begin(), squares.end(), column);
    to_matern(column, n - j, zeros, parameters);
  }
  if (!factor_in_place(matrix_, n, parameters, threads_)) return std::nullopt;
  const std::vector<double> weights = weights_of(matrix_, targets);
  LogLikelihood result{.value = log_likelihood_of(matrix_, targets, weights)};
  invert(matrix_, n);
  std::vector<ColumnSums> sums(n);
#pragma omp parallel num_threads(threads_)
  {
    std::vector<double> matern;
#pragma omp for schedule(dynamic, columns_at_a_time)
    for (Index j = 0; j < n; ++j) {
      sums[j] =
          sums_below(distances_.from(j), weights.data() + j, matrix_.data() + j * n + j, zeros, parameters, matern);
    }
  }
  // Adds in the order of the columns, independent of the threads.
  double diagonal = 0.0, matern = 0.0, length = 0.0;
  for (Index j = 0; j < n; ++j) {
    const auto at = static_cast<std::size_t>(j);
    diagonal += weights[at] * weights[at] - matrix_[j * n + j];
    matern += sums[at].matern;
    length += sums[at].length;
  }
  const double variance = parameters.sigma * parameters.sigma, noise = parameters.noise * parameters.noise;
  result.gradient = {variance * (diagonal + 2.0 * matern), variance * length, noise * diagonal};
  if (!std::isfinite(result.value)) return std::nullopt;
  return result;
}

GaussianProcess::GaussianProcess(MatrixView<const double> rows, std::span<const double> targets,
                                 const CovarianceParameters& parameters, int threads)
    : rows_(rows),
      parameters_(parameters),
      threads_(threads),
      targets_(targets.begin(), targets.end()),
      factor_(rows.rows * rows.rows) {
  const Index n = rows.rows;
  const BlasThreads scope(threads_);
  const std::vector<double> zeros = zeros_of(n);
#pragma omp parallel for num_threads(threads_) schedule(dynamic, columns_at_a_time)
  for (Index j = 0; j < n; ++j) {
    double* column = factor_.data() + j * n + j;
    distances_from(rows_.row(j), rows_, j, column);
    to_matern(column, n - j, zeros, parameters_);
    Watchdog::beat();
  }
  if (!factor_in_place(factor_, n, parameters_, threads_)) {
    throw Error(ErrorKind::numeric,
                fmt::format("the covariance matrix of the {} training rows is not positive definite to rounding: the "
                            "noise, {:g}, is too small beside sigma, {:g}",
                            n, parameters_.noise, parameters_.sigma));
  }
  weights_ = weights_of(factor_, targets_);
  log_likelihood_ = log_likelihood_of(factor_, targets_, weights_);
}

std::vector<Normal> GaussianProcess::predict(MatrixView<const double> rows) const {
  const Index n = rows_.rows, m = rows.rows;
  const BlasThreads scope(threads_);
  const std::vector<double> zeros = zeros_of(n);
  const double variance = parameters_.sigma * parameters_.sigma, noise = parameters_.noise * parameters_.noise;
  std::vector<Normal> predicted(m);
  Buffer<double> across(n * m);  // column-major: one column per new row
#pragma omp parallel for num_threads(threads_) schedule(static)
  for (Index j = 0; j < m; ++j) {
    double* column = across.data() + j * n;
    distances_from(rows.row(j), rows_, 0, column);
    to_matern(column, n, zeros, parameters_);
    double mean = 0.0;
    for (Index i = 0; i < n; ++i) {
      column[i] *= variance;
      mean += column[i] * weights_[i];
    }
    predicted[j].mean = mean;
  }
  blas::solve_lower(order_of(n), order_of(m), factor_.data(), order_of(n), across.data(), order_of(n));
  for (Index j = 0; j < m; ++j) {
    const double* column = across.data() + j * n;
    double explained = 0.0;
    for (Index i = 0; i < n; ++i) explained += column[i] * column[i];
    predicted[j].standard_deviation = std::sqrt(std::max(0.0, variance - explained) + noise);
  }
  return predicted;
}

std::vector<Normal> GaussianProcess::leave_one_out() const {
  const Index n = rows_.rows;
  const BlasThreads scope(threads_);
  Buffer<double> inverse(n * n);
  for (Index j = 0; j < n; ++j) std::copy_n(factor_.data() + j * n + j, n - j, inverse.data() + j * n + j);
  invert(inverse, n);
  std::vector<Normal> left_out;
  for (Index i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double precision = inverse[i * n + i];
    left_out.push_back({targets_[at] - weights_[at] / precision, std::sqrt(1.0 / precision)});
  }
  return left_out;
}

}  // namespace cairn
