#include "cairn/evaluation/correlation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cairn {

std::optional<double> pearson(std::span<const double> a, std::span<const double> b) {
  const auto count = static_cast<double>(a.size());
  if (a.empty()) return std::nullopt;
  const double mean_a = std::accumulate(a.begin(), a.end(), 0.0) / count;
  const double mean_b = std::accumulate(b.begin(), b.end(), 0.0) / count;
  double ab = 0.0, aa = 0.0, bb = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  const auto varies = [](std::span<const double> values) {
    return std::any_of(values.begin(), values.end(), [&](double value) { return value != values.front(); });
  };
  if (!varies(a) || !varies(b) || !(aa > 0.0) || !(bb > 0.0)) return std::nullopt;
  return ab / std::sqrt(aa) / std::sqrt(bb);
}

std::vector<double> mean_ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return values[i] < values[j]; });
  std::vector<double> ranks(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const double mean = (static_cast<double>(begin + 1) + static_cast<double>(end)) / 2.0;
    for (; begin < end; ++begin) ranks[order[begin]] = mean;
  }
  return ranks;
}

std::optional<double> spearman(std::span<const double> a, std::span<const double> b) {
  return pearson(mean_ranks(a), mean_ranks(b));
}

}  // namespace cairn
