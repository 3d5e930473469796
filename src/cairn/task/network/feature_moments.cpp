#include "cairn/task/network/feature_moments.hpp"

#include <algorithm>
#include <cmath>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/linalg/dense/blas_threads.hpp"
#include "cairn/linalg/dense/local_blas.hpp"
#include "cairn/linalg/library_limits.hpp"

namespace cairn {

namespace {

constexpr Index rows_at_once = 1024;

int size_of(Index value) { return to_library_int(value, "features or outputs of a network"); }

void add_to(std::vector<double>& sums, const std::vector<double>& more) {
  for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += more[k];
}

}  // namespace

void FeatureMoments::add(const FeatureMoments& other) {
  rows += other.rows;
  yy += other.yy;
  add_to(x, other.x);
  add_to(y, other.y);
  add_to(xx, other.xx);
  add_to(xy, other.xy);
}

template <class T>
FeatureMoments feature_moments(const TuningInput<T>& input, const std::function<bool(Index)>& taken, bool products) {
  const Communicator& communicator = input.execution.communicator;
  const Index features = input.left.columns(), outputs = input.outputs;
  FeatureMoments sums;
  collectively(communicator, [&] {
    const auto zeros = [](Index count) { return std::vector<double>(static_cast<std::size_t>(count), 0.0); };
    sums.x = zeros(features), sums.y = zeros(outputs);
    if (products) sums.xx = zeros(features * features), sums.xy = zeros(features * outputs);
    Buffer<double> x(rows_at_once * features), y(rows_at_once * outputs);
    const BlasThreads scope(input.execution.threads);
    Index filled = 0;
    const auto flush = [&] {
      if (products && filled > 0) {
        blas::gemm('N', 'T', size_of(features), size_of(features), size_of(filled), 1.0, x.data(), size_of(features),
                   x.data(), size_of(features), 1.0, sums.xx.data(), size_of(features));
        blas::gemm('N', 'T', size_of(outputs), size_of(features), size_of(filled), 1.0, y.data(), size_of(outputs),
                   x.data(), size_of(features), 1.0, sums.xy.data(), size_of(outputs));
      }
      filled = 0;
      Watchdog::beat();
    };
    for (std::size_t i = 0; i < input.rows.size(); ++i) {
      if (!taken(input.rows[i])) continue;
      const auto from = input.left.row(input.rows[i]);
      const auto target = input.targets.subspan(i * static_cast<std::size_t>(outputs), outputs);
      std::ranges::copy(from, x.data() + filled * features);
      std::ranges::copy(target, y.data() + filled * outputs);
      for (std::size_t k = 0; k < from.size(); ++k) sums.x[k] += static_cast<double>(from[k]);
      for (std::size_t k = 0; k < target.size(); ++k) sums.y[k] += target[k], sums.yy += target[k] * target[k];
      sums.rows += 1;
      if (++filled == rows_at_once) flush();
    }
    flush();
  });
  sums.rows = communicator.sum(sums.rows);
  sums.yy = communicator.sum(sums.yy);
  for (auto* values : {&sums.x, &sums.y, &sums.xx, &sums.xy}) communicator.sum(std::span<double>(*values));
  return sums;
}

FeatureScale feature_scale(const std::vector<double>& sums, const std::vector<double>& squares, double rows) {
  constexpr double least = 1e-12;  // of the mean of squares; a smaller variance is rounding
  FeatureScale scale;
  for (std::size_t k = 0; k < sums.size(); ++k) {
    const double mean = sums[k] / rows, square = squares[k] / rows, variance = square - mean * mean;
    scale.mean.push_back(mean);
    scale.inverse.push_back(variance > least * square ? 1 / std::sqrt(variance) : 0.0);
  }
  return scale;
}

template FeatureMoments feature_moments(const TuningInput<float>&, const std::function<bool(Index)>&, bool);
template FeatureMoments feature_moments(const TuningInput<double>&, const std::function<bool(Index)>&, bool);

}  // namespace cairn
