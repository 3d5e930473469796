#include "cairn/evaluation/threshold.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

namespace cairn {

double BinaryCounts::accuracy() const {
  const Index all = true_positive + false_positive + false_negative + true_negative;
  return all > 0 ? static_cast<double>(true_positive + true_negative) / static_cast<double>(all) : 0.0;
}

double BinaryCounts::f1() const {
  const Index all = 2 * true_positive + false_positive + false_negative;
  return all > 0 ? 2.0 * static_cast<double>(true_positive) / static_cast<double>(all) : 0.0;
}

BinaryCounts count_at(std::span<const double> values, std::span<const char> positive, double threshold) {
  BinaryCounts counts;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool taken = values[i] >= threshold;
    if (positive[i] != 0) {
      ++(taken ? counts.true_positive : counts.false_negative);
    } else {
      ++(taken ? counts.false_positive : counts.true_negative);
    }
  }
  return counts;
}

namespace {

// A threshold that accepts the upper and rejects the lower value: their mean, or `upper` if the mean rounds to `lower`.
double between(double lower, double upper) {
  const double middle = upper / 2.0 + lower / 2.0;
  return middle > lower ? middle : upper;
}

}  // namespace

double best_threshold(std::span<const double> values, std::span<const char> positive, ThresholdGoal goal) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<std::size_t> order(values.size());  // descending
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return values[i] > values[j]; });
  const auto value_of = [&](const BinaryCounts& counts) {
    return goal == ThresholdGoal::f1 ? counts.f1() : counts.accuracy();
  };
  BinaryCounts counts = count_at(values, positive, infinity);
  double best = value_of(counts), threshold = infinity;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool yes = positive[order[i]] != 0;
    ++(yes ? counts.true_positive : counts.false_positive);
    --(yes ? counts.false_negative : counts.true_negative);
    const bool last = i + 1 == order.size();
    if (!last && values[order[i + 1]] == values[order[i]]) continue;
    if (value_of(counts) <= best) continue;
    best = value_of(counts);
    threshold = last ? -infinity : between(values[order[i + 1]], values[order[i]]);
  }
  return threshold;
}

}  // namespace cairn
