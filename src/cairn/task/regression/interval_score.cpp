#include "cairn/task/regression/interval_score.hpp"

#include <cmath>
#include <numbers>

#include "cairn/task/regression/model_report.hpp"

namespace cairn {

namespace {

// ∫ (F(x) - [x >= y])² dx of a normal distribution F with standard deviation 1 and y `z` above its mean.
double ranked_probability_score(double z) {
  const double density = std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::numbers::pi);
  return z * std::erf(z / std::numbers::sqrt2) + 2.0 * density - std::numbers::inv_sqrtpi;
}

}  // namespace

StoredIntervalScore interval_score(const Communicator& communicator, std::span<const Normal> predicted,
                                   const std::vector<double>& truth, double scale, const std::string& name,
                                   const std::string& on) {
  std::vector<double> means;
  double sums[] = {0.0, 0.0, 0.0, 0.0};  // targets inside their intervals, widths, log densities, ranked scores
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    const auto& [mean, deviation] = predicted[i];
    means.push_back(mean);
    const double z = (truth[i] - mean) / deviation, half = half_interval * deviation;
    if (std::abs(truth[i] - mean) <= half) sums[0] += 1.0;
    sums[1] += 2.0 * half;
    sums[2] -= 0.5 * (std::log(2.0 * std::numbers::pi) + z * z) + std::log(deviation / scale);
    sums[3] += deviation * ranked_probability_score(z);
  }
  communicator.sum(std::span<double>(sums));
  const auto scores = stored_scores(score(communicator, means, truth, 1), {name}, on);
  const auto count = static_cast<double>(scores.front().rows);
  return {scores.front(), sums[0] / count, sums[1] / count, sums[2] / count, sums[3] / count};
}

}  // namespace cairn
