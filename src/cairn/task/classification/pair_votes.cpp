#include "cairn/task/classification/pair_votes.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace cairn {

PairVotes count_pair_votes(std::span<const int> labels, std::span<const double> values) {
  const std::size_t classes = labels.size();
  PairVotes counted{std::vector<int>(classes, 0), 0};
  std::vector<double> signed_values(classes * classes, 0.0);
  for (std::size_t a = 0, k = 0; a < classes; ++a) {
    for (std::size_t b = a + 1; b < classes; ++b, ++k) {
      ++counted.votes[values[k] > 0 ? a : b];
      signed_values[a * classes + b] = values[k];
      signed_values[b * classes + a] = -values[k];
    }
  }
  // Adds in the order of the labels, so that sums do not depend on the order of the classes.
  std::vector<std::size_t> ascending(classes);
  std::iota(ascending.begin(), ascending.end(), 0);
  std::ranges::sort(ascending, {}, [&](std::size_t a) { return labels[a]; });
  const auto strength = [&](std::size_t a) {
    double sum = 0;
    for (const std::size_t b : ascending) sum += signed_values[a * classes + b];
    return std::tuple(counted.votes[a], sum);
  };
  counted.winner = *std::ranges::max_element(ascending, {}, strength);
  return counted;
}

}  // namespace cairn
