#include "cairn/operator/sne_weights.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cairn {

namespace {

// exp(-beta d) normalized to sum 1, with the values that Newton's method needs.
struct Distribution {
  double entropy = 0.0;   // -sum p log p
  double variance = 0.0;  // of beta d: minus the derivative of the entropy with respect to log beta
};

// The smallest d is 0, so the sum is at least 1.
Distribution distribute(std::span<const double> d, double beta, std::vector<double>& p) {
  double sum = 0.0;
  double first = 0.0;
  double second = 0.0;
  for (std::size_t j = 0; j < d.size(); ++j) {
    const double exponent = beta * d[j];
    p[j] = std::exp(-exponent);
    sum += p[j];
    if (p[j] == 0.0) continue;  // the exponent may be infinite
    first += p[j] * exponent;
    second += p[j] * exponent * exponent;
  }
  for (double& value : p) value /= sum;
  const double mean = first / sum;
  return {std::log(sum) + mean, std::max(second / sum - mean * mean, 0.0)};
}

// Newton's method on log beta, kept within an interval that contains the root: the entropy decreases with beta.
void equalize(std::span<const double> d, double entropy, std::vector<double>& p) {
  constexpr double tolerance = 1e-10;
  constexpr int most_steps = 500;
  const double infinity = std::numeric_limits<double>::infinity();
  double low = -infinity;
  double high = infinity;
  double x = 0.0;
  for (int step = 0; step < most_steps; ++step) {
    const Distribution at = distribute(d, std::exp(x), p);
    const double excess = at.entropy - entropy;
    if (std::abs(excess) <= tolerance) return;
    (excess > 0.0 ? low : high) = x;
    const double newton = x + excess / at.variance;
    constexpr double widest = 4.0;  // a longer Newton step is useless: the entropy is nearly flat there
    if (newton > low && newton < high && std::abs(newton - x) <= widest) {
      x = newton;
    } else if (std::isinf(high)) {
      x += widest;
    } else if (std::isinf(low)) {
      x -= widest;
    } else {
      const double middle = low + (high - low) / 2;
      if (middle <= low || middle >= high) return;
      x = middle;
    }
  }
}

}  // namespace

std::vector<double> equalized_probabilities(std::span<const double> squared_distances, double perplexity) {
  const auto count = static_cast<double>(squared_distances.size());
  const double nearest = *std::min_element(squared_distances.begin(), squared_distances.end());
  std::vector<double> d(squared_distances.begin(), squared_distances.end());
  double sum = 0.0;
  for (double& value : d) sum += value -= nearest;
  const auto ties = static_cast<double>(std::count(d.begin(), d.end(), 0.0));

  std::vector<double> p(d.size(), 1.0 / count);
  constexpr double nearly = 1e-12;
  if (sum == 0.0 || perplexity >= count * (1.0 - nearly)) return p;
  if (ties >= perplexity * (1.0 - nearly)) {
    for (std::size_t j = 0; j < d.size(); ++j) p[j] = d[j] == 0.0 ? 1.0 / ties : 0.0;
    return p;
  }
  for (double& value : d) value *= count / sum;  // beta is then near 1, whatever the unit of the data
  equalize(d, std::log(perplexity), p);
  return p;
}

}  // namespace cairn
