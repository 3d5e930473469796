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

}  // namespace

std::vector<Index> draw_by_weight(const Communicator& communicator, const RowPartition& partition,
                                  std::span<const double> weights, Index count, const Random& random,
                                  std::uint64_t first) {
  const Range own = partition.range(communicator.rank());
  const Index unit = RowPartition::unit(partition.rows());
  const auto unit_weights = [&](Index begin) {
    const Index size = std::min(unit, own.end - begin);
    return weights.subspan(begin - own.begin, size);
  };
  std::vector<double> own_sums;
  for (Index begin = own.begin; begin < own.end; begin += unit) {
    const auto values = unit_weights(begin);
    own_sums.push_back(std::accumulate(values.begin(), values.end(), 0.0));
  }
  std::vector<double> cumulative = communicator.all_gather(own_sums);
  std::partial_sum(cumulative.begin(), cumulative.end(), cumulative.begin());
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
    rows[a] = begin + row_at(unit_weights(begin), target - before);
  }
  communicator.maximum(std::span(rows));
  return rows;
}

}  // namespace cairn
