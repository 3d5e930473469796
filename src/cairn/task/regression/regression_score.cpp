#include "cairn/task/regression/regression_score.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace cairn {

double RegressionScore::root_mean_squared_error() const {
  return rows > 0 ? std::sqrt(squared_error / static_cast<double>(rows)) : 0.0;
}

double RegressionScore::mean_absolute_error() const {
  return rows > 0 ? absolute_error / static_cast<double>(rows) : 0.0;
}

std::optional<double> RegressionScore::r_squared() const {
  if (!(squared_deviation > 0.0)) return std::nullopt;
  return 1.0 - squared_error / squared_deviation;
}

std::vector<RegressionScore> score(const Communicator& communicator, std::span<const double> predicted,
                                   std::span<const double> targets, Index columns) {
  const auto width = static_cast<std::size_t>(columns);
  const std::size_t own = targets.size() / width;
  const Index rows = communicator.sum(static_cast<Index>(own));
  std::vector<double> means(width, 0.0), sums(3 * width, 0.0);
  for (std::size_t at = 0; at < own * width; ++at) means[at % width] += targets[at];
  communicator.sum(std::span(means));
  for (double& mean : means) mean /= static_cast<double>(rows > 0 ? rows : 1);
  for (std::size_t at = 0; at < own * width; ++at) {
    const double missed = predicted[at] - targets[at], deviation = targets[at] - means[at % width];
    double* sum = sums.data() + 3 * (at % width);
    sum[0] += missed * missed;
    sum[1] += std::abs(missed);
    sum[2] += deviation * deviation;
  }
  communicator.sum(std::span(sums));
  std::vector<RegressionScore> scores;
  constexpr double rounding = 1e-13;  // equal targets may differ from their mean by this relative amount
  for (std::size_t t = 0; t < width; ++t) {
    double& deviation = sums[3 * t + 2];
    if (deviation <= static_cast<double>(rows) * std::pow(rounding * means[t], 2)) deviation = 0.0;
  }
  for (std::size_t t = 0; t < width; ++t) scores.push_back({rows, sums[3 * t], sums[3 * t + 1], sums[3 * t + 2]});
  return scores;
}

double missed_share(std::span<const RegressionScore> scores) {
  if (scores.empty()) return INFINITY;
  double sum = 0.0;
  for (const RegressionScore& s : scores) {
    sum += s.squared_deviation > 0.0 ? s.squared_error / s.squared_deviation : s.squared_error;
  }
  return sum;
}

std::size_t best_lambda(std::span<const double> lambdas, std::span<const double> shares) {
  std::vector<std::size_t> order(lambdas.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t k) { return lambdas[k]; });
  std::size_t best = order.front();
  for (const std::size_t k : order) {
    if (shares[k] < shares[best] * (1.0 - alike_scores)) best = k;
  }
  return best;
}

}  // namespace cairn
