// Penalized least squares on features.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/linalg/dense/blas_threads.hpp"
#include "cairn/linalg/dense/local_blas.hpp"
#include "cairn/linalg/library_limits.hpp"
#include "cairn/task/network/feature_moments.hpp"
#include "cairn/task/training_rows.hpp"

namespace cairn {

namespace {

int size_of(Index value) { return to_library_int(value, "features or outputs of a network"); }

// Equations for the scaled features: S = D (xx / n - m mᵀ) D, right side D (xy / n - m ȳᵀ).
struct Equations {
  std::size_t features, outputs;
  FeatureScale scale;
  std::vector<double> matrix, right, mean;  // mean: of the targets
};

Equations equations_of(const FeatureMoments& sums) {
  Equations equations{sums.x.size(), sums.y.size(), {}, sums.xx, sums.xy, {}};
  const std::size_t d = equations.features, k = equations.outputs;
  std::vector<double> squares(d);
  for (std::size_t i = 0; i < d; ++i) squares[i] = sums.xx[i * d + i];
  equations.scale = feature_scale(sums.x, squares, sums.rows);
  const FeatureScale& scale = equations.scale;
  for (const double sum : sums.y) equations.mean.push_back(sum / sums.rows);
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < d; ++j) {
      double& entry = equations.matrix[i * d + j];
      entry = scale.inverse[i] * scale.inverse[j] * (entry / sums.rows - scale.mean[i] * scale.mean[j]);
    }
    for (std::size_t j = 0; j < k; ++j) {
      double& entry = equations.right[i * k + j];
      entry = scale.inverse[i] * (entry / sums.rows - scale.mean[i] * equations.mean[j]);
    }
  }
  return equations;
}

// Returns nothing if the equations are singular to rounding.
std::optional<TunedCoefficients> solve(const Equations& equations, double penalty) {
  const std::size_t d = equations.features, k = equations.outputs;
  std::vector<double> factor = equations.matrix, columns(d * k);  // columns: right sides, one after another
  for (std::size_t i = 0; i < d; ++i) {
    factor[i * d + i] += penalty;
    for (std::size_t j = 0; j < k; ++j) columns[j * d + i] = equations.right[i * k + j];
  }
  const int size = size_of(static_cast<Index>(d));
  if (blas::cholesky(size, factor.data(), size) != 0) return std::nullopt;
  blas::solve_cholesky(size, size_of(static_cast<Index>(k)), factor.data(), size, columns.data(), size);
  TunedCoefficients tuned;
  tuned.penalty = penalty;
  tuned.coefficients.resize(d * k);
  tuned.intercepts = equations.mean;
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < k; ++j) {
      const double value = equations.scale.inverse[i] * columns[j * d + i];
      tuned.coefficients[i * k + j] = value;
      tuned.intercepts[j] -= equations.scale.mean[i] * value;
    }
  }
  return tuned;
}

// Mean squared error of the rows with these sums.
double error_of(const TunedCoefficients& tuned, const FeatureMoments& sums) {
  const std::size_t d = sums.x.size(), k = sums.y.size();
  std::vector<double> product(d * k);  // xx B
  blas::gemm('N', 'N', size_of(static_cast<Index>(k)), size_of(static_cast<Index>(d)), size_of(static_cast<Index>(d)),
             1.0, tuned.coefficients.data(), size_of(static_cast<Index>(k)), sums.xx.data(),
             size_of(static_cast<Index>(d)), 0.0, product.data(), size_of(static_cast<Index>(k)));
  double error = sums.yy;
  for (std::size_t j = 0; j < k; ++j) {
    double predicted = 0;
    for (std::size_t i = 0; i < d; ++i) {
      const double b = tuned.coefficients[i * k + j];
      error += b * (product[i * k + j] - 2 * sums.xy[i * k + j]);
      predicted += b * sums.x[i];
    }
    const double c = tuned.intercepts[j];
    error += c * (2 * predicted - 2 * sums.y[j] + c * sums.rows);
  }
  return std::max(0.0, error) / sums.rows;
}

}  // namespace

template <class T>
TunedCoefficients tune_by_ridge(const TuningInput<T>& input) {
  const Communicator& communicator = input.execution.communicator;
  const std::uint64_t seed = input.execution.seed;
  const bool several = input.penalties.size() > 1;
  FeatureMoments sums = feature_moments(
      input, [&](Index row) { return !several || !is_held_out(seed, row); }, true);
  FeatureMoments held;
  if (several)
    held = feature_moments(
        input, [&](Index row) { return is_held_out(seed, row); }, true);
  if (sums.rows == 0 || (several && held.rows == 0)) {
    throw Error(ErrorKind::input, "there are too few rows to learn from");
  }
  TunedCoefficients tuned;
  collectively(communicator, [&] {  // on rank 0, so that all ranks continue with the same numbers
    if (!communicator.is_root()) return;
    const BlasThreads scope(input.execution.threads);
    double best = input.penalties.front();
    std::vector<TriedPenalty> tried;
    if (several) {
      const Equations equations = equations_of(sums);
      for (const double penalty : input.penalties) {
        if (const auto found = solve(equations, penalty)) tried.push_back({penalty, error_of(*found, held)});
      }
      if (!tried.empty()) best = std::ranges::min_element(tried, {}, &TriedPenalty::loss)->penalty;
      sums.add(held);
    }
    auto found = solve(equations_of(sums), best);
    if (!found) {
      throw Error(ErrorKind::numeric,
                  fmt::format("the equations of the features are singular with penalty {:g}: take a larger one", best));
    }
    tuned = std::move(*found);
    tuned.tried = std::move(tried);
  });
  communicator.broadcast(tuned.coefficients, 0);
  communicator.broadcast(tuned.intercepts, 0);
  communicator.broadcast(tuned.tried, 0);
  communicator.broadcast(std::span<double>(&tuned.penalty, 1), 0);
  return tuned;
}

template TunedCoefficients tune_by_ridge(const TuningInput<float>&);
template TunedCoefficients tune_by_ridge(const TuningInput<double>&);

}  // namespace cairn
