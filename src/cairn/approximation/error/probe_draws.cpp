#include "cairn/approximation/error/probe_draws.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace cairn {

namespace {

// Second addresses of draws; the first is the number of the pair. Objects are drawn at 0.
constexpr std::uint64_t address_of_row = 1, address_of_column = 2;
constexpr std::uint64_t address_of_first = 3, address_of_second = 4;

}  // namespace

std::array<Index, 2> draw_uniform_pair(const Random& random, Index n, Index number) {
  const auto address = static_cast<std::uint64_t>(number);
  const Index i = random.below(n, address, address_of_row);
  const Index other = random.below(n - 1, address, address_of_column);
  return {i, other < i ? other : other + 1};
}

std::string name_of_pairs(const EntryList& pairs) {
  std::uint64_t digest = 0xcbf29ce484222325U;  // FNV-1a
  for (std::size_t p = 0; p < pairs.rows.size(); ++p) {
    for (const Index id : {pairs.rows[p], pairs.columns[p]}) {
      digest = (digest ^ static_cast<std::uint64_t>(id)) * 0x100000001b3U;
    }
  }
  return fmt::format("probe-pairs-{:016x}", digest);
}

std::vector<Index> ProbeDraws::grow_objects(Index count) {
  const std::size_t before = objects_.size();
  if (static_cast<std::size_t>(count) > before) objects_ = sample_without_replacement(population_, count, random_);
  return {objects_.begin() + static_cast<std::ptrdiff_t>(before), objects_.end()};
}

void ProbeDraws::add_residuals(const std::vector<ComparedEntry>& diagonal) {
  for (const ComparedEntry& entry : diagonal) residuals_.push_back(std::abs(entry.error));
}

std::array<Index, 2> ProbeDraws::uniform_pair(Index number) const {
  return draw_uniform_pair(random_, objects(), number);
}

std::array<Index, 2> ProbeDraws::pair_by_residual(Index number, const std::vector<double>& cumulative) const {
  const auto draw = [&](std::uint64_t address) {
    const double target = random_.uniform(static_cast<std::uint64_t>(number), address) * cumulative.back();
    // If rounding puts the target beyond the sum, take the last object with a residual.
    const auto last = std::lower_bound(cumulative.begin(), cumulative.end(), cumulative.back());
    return std::min(std::upper_bound(cumulative.begin(), cumulative.end(), target), last) - cumulative.begin();
  };
  return {draw(address_of_first), draw(address_of_second)};
}

EntryList ProbeDraws::grow_pairs(Index count) {
  std::vector<double> cumulative(residuals_.size());
  std::partial_sum(residuals_.begin(), residuals_.end(), cumulative.begin());
  Batch batch{objects(), 0, 0, cumulative.back(), 1.0};
  const bool concentrated = batch.total > 0.0 && std::isfinite(batch.total);
  for (const double residual : residuals_) {
    if (concentrated) batch.distinct -= residual / batch.total * (residual / batch.total);
  }
  EntryList list;
  for (Index number = pairs(); number < count; ++number) {
    std::array<Index, 2> pair{};
    if (concentrated && number % 2 == 0) pair = pair_by_residual(number, cumulative);
    const bool by_residual = pair[0] != pair[1];
    if (!by_residual) pair = uniform_pair(number);
    ++(by_residual ? batch.by_residual : batch.uniform);
    pairs_.push_back(pair);
    list.rows.push_back(objects_[pair[0]]);
    list.columns.push_back(objects_[pair[1]]);
  }
  batches_.push_back(batch);
  return list;
}

std::vector<double> ProbeDraws::weights() const {
  const auto uniform_density = [](Index m) { return 1.0 / (static_cast<double>(m) * static_cast<double>(m - 1)); };
  std::vector<double> weights;
  weights.reserve(pairs_.size());
  for (const auto& [first, second] : pairs_) {
    const double a = residuals_[first], b = residuals_[second];
    double density = 0.0;
    for (const Batch& batch : batches_) {
      if (std::max(first, second) >= batch.objects) continue;
      density += static_cast<double>(batch.uniform) * uniform_density(batch.objects);
      if (batch.by_residual == 0) continue;
      density += static_cast<double>(batch.by_residual) * (a / batch.total * (b / batch.total)) / batch.distinct;
    }
    weights.push_back(uniform_density(objects()) * static_cast<double>(pairs()) / density);
  }
  return weights;
}

}  // namespace cairn
