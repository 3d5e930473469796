#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/random.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/task/gaussian/process_fit.hpp"
#include "cairn/task/gaussian/vecchia/vecchia_fit.hpp"

namespace cairn {

namespace {

// Mean and standard deviation of `count` numbers with a stride. Every rank adds in the same order: what depends on the
// number of ranks would decide between equally distant neighbors.
struct Moments {
  double mean = 0.0, deviation = 0.0;
  bool constant = false;
};

Moments moments_of(const double* values, Index count, Index stride) {
  constexpr double rounding = 1e-13;
  Moments found;
  if (count == 0) return found;
  double least = values[0], largest = values[0], sum = 0.0, squares = 0.0;
  for (Index i = 0; i < count; ++i) {
    const double value = values[i * stride];
    least = std::min(least, value);
    largest = std::max(largest, value);
    sum += value;
  }
  found.mean = sum / static_cast<double>(count);
  for (Index i = 0; i < count; ++i) squares += std::pow(values[i * stride] - found.mean, 2);
  found.deviation = std::sqrt(squares / static_cast<double>(count));
  found.constant = !(largest - least > rounding * std::max(std::abs(least), std::abs(largest)));
  return found;
}

}  // namespace

VecchiaRows vecchia_rows(const Execution& execution, const std::vector<double>& own, Index columns,
                         const std::vector<Index>& numbers, bool one_length) {
  const Communicator& communicator = execution.communicator;
  collectively(communicator, [&] {
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (std::isfinite(own[i])) continue;
      throw Error(ErrorKind::numeric,
                  fmt::format("row {} has a coordinate of {}", numbers[i / static_cast<std::size_t>(columns)], own[i]));
    }
  });
  VecchiaRows rows{.one_length = one_length};
  rows.points.columns = columns;
  rows.points.coordinates = replicate_on_nodes(communicator, std::span<const double>(own));
  const Random random(execution.seed, Stream::vecchia_order);
  std::vector<std::uint64_t> keys = collectively(communicator, [&] {
    std::vector<std::uint64_t> made;
    for (const Index number : numbers) made.push_back(random.bits(static_cast<std::uint64_t>(number)) >> 1);
    return made;
  });
  rows.points.keys = replicate_on_nodes(communicator, std::span<const std::uint64_t>(keys));
  const Index n = rows.count();
  double variances = 0.0;
  for (Index c = 0; c < columns; ++c) {
    const Moments found = moments_of(rows.points.coordinates.values().data() + c, n, columns);
    rows.center.push_back(found.mean);
    rows.unit.push_back(found.constant ? 1.0 : found.deviation);
    if (!found.constant) variances += found.deviation * found.deviation;
  }
  if (one_length) {
    const double unit = std::sqrt(variances / static_cast<double>(columns));
    std::ranges::fill(rows.unit, unit > 0.0 ? unit : 1.0);
  }
  const Communicator& node = rows.points.coordinates.node();
  node.barrier();  // all have read
  const auto values = rows.points.coordinates.writable();
  for (Index i = node.rank(); i < n; i += node.size()) {
    for (Index c = 0; c < columns; ++c) {
      double& value = values[i * columns + c];
      value = (value - rows.center[c]) / rows.unit[c];
    }
  }
  rows.points.coordinates.publish();
  return rows;
}

VecchiaTarget vecchia_target(const Execution& execution, const std::vector<double>& own, Index count, Index target,
                             const std::string& name) {
  const Communicator& communicator = execution.communicator;
  const std::vector<double> mine = collectively(communicator, [&] {
    std::vector<double> column;
    for (auto at = static_cast<std::size_t>(target); at < own.size(); at += static_cast<std::size_t>(count)) {
      column.push_back(own[at]);
    }
    return column;
  });
  VecchiaTarget made{.values = replicate_on_nodes(communicator, std::span<const double>(mine))};
  const Index n = made.values.size();
  const Moments found = moments_of(made.values.values().data(), n, 1);
  if (found.constant) throw constant_target(name, found.mean, n);
  made.mean = found.mean;
  made.scale = found.deviation;
  const Communicator& node = made.values.node();
  node.barrier();
  for (Index i = node.rank(); i < n; i += node.size()) {
    double& value = made.values.writable()[i];
    value = (value - made.mean) / made.scale;
  }
  made.values.publish();
  return made;
}

VecchiaBytes vecchia_bytes(Index rows, Index columns, Index neighbors, Index targets, int ranks, int threads) {
  constexpr Index number = sizeof(double), key = sizeof(std::uint64_t), place = sizeof(std::int32_t);
  const Index own = (rows + ranks - 1) / ranks, points = neighbors + 1, columns_of_means = columns + 1;
  const Index batch = number * Conditional::lanes *
                      (2 * points * points + 2 * points * (columns + 4) + 2 * columns_of_means * columns_of_means);
  return {
      .rank = own * (place * neighbors + number * (columns + targets)) + threads * batch,
      .node = rows * (2 * number * columns + 2 * key + place + number * (targets + 1)) + rows * number * columns / 8};
}

}  // namespace cairn
