#include "cairn/landmark/weighted_draws.hpp"

#include <algorithm>
#include <numeric>

namespace cairn {

namespace {

// The row of `weights` at which their running sum first exceeds `target`; the last row with a positive weight if
// rounding puts the target beyond their sum.
Index row_at(std::span<const double> weights, double target) {
  double sum = 0.0;
  Index last = 0;
  for (std::size_t x = 0; x < weights.size(); ++x) {
    if (weights[x] <= 0.0) continue;
    sum += weights[x];
    last = static_cast<Index>(x);
    if (sum > target) break;
  }
  return last;
}

// Weights of this rank's rows begin, begin + 1, ... up to the end of their unit.
std::span<const double> unit_weights(const Range& own, std::span<const double> weights, Index begin, Index unit) {
  return weights.subspan(begin - own.begin, std::min(unit, own.end - begin));
}

// Sums over all units up to each, the same on every rank. Collective.
std::vector<double> cumulative_weights(const Communicator& communicator, const RowPartition& partition,
                                       std::span<const double> weights) {
  const Range own = partition.range(communicator.rank());
  const Index unit = RowPartition::unit(partition.rows());
  std::vector<double> own_sums;
  for (Index begin = own.begin; begin < own.end; begin += unit) {
    const auto values = unit_weights(own, weights, begin, unit);
    own_sums.push_back(std::accumulate(values.begin(), values.end(), 0.0));
  }
  std::vector<double> cumulative = communicator.all_gather(own_sums);
  std::partial_sum(cumulative.begin(), cumulative.end(), cumulative.begin());
  return cumulative;
}

}  // namespace

double sum_of_weights(const Communicator& communicator, const RowPartition& partition,
                      std::span<const double> weights) {
  const std::vector<double> cumulative = cumulative_weights(communicator, partition, weights);
  return cumulative.empty() ? 0.0 : cumulative.back();
}

std::vector<Index> draw_by_weight(const Communicator& communicator, const RowPartition& partition,
                                  std::span<const double> weights, Index count, const Random& random,
                                  std::uint64_t first) {
  const Range own = partition.range(communicator.rank());
  const Index unit = RowPartition::unit(partition.rows());
  const std::vector<double> cumulative = cumulative_weights(communicator, partition, weights);
  const double total = cumulative.empty() ? 0.0 : cumulative.back();
  if (!(total > 0.0)) return {};

  const auto last_unit = std::lower_bound(cumulative.begin(), cumulative.end(), total);  // with a positive weight
  std::vector<Index> rows(count, -1);
  for (std::size_t a = 0; a < rows.size(); ++a) {
    const double target = random.uniform(first + a) * total;
    const auto found = std::min(std::upper_bound(cumulative.begin(), cumulative.end(), target), last_unit);
    const Index begin = static_cast<Index>(found - cumulative.begin()) * unit;
    if (!own.contains(begin)) continue;
    const double before = found == cumulative.begin() ? 0.0 : *(found - 1);
    rows[a] = begin + row_at(unit_weights(own, weights, begin, unit), target - before);
  }
  communicator.maximum(std::span(rows));
  return rows;
}

}  // namespace cairn
