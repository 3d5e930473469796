#include "cairn/similarity/source_similarity.hpp"

#include <algorithm>
#include <map>

#include "cairn/base/buffer.hpp"
#include "cairn/base/process/watchdog.hpp"

namespace cairn {

std::unique_ptr<TargetSet> SourceSimilarity::prepare(std::vector<Index> targets) const {
  auto set = std::make_unique<TargetSet>();
  set->targets = std::move(targets);
  return set;
}

void SourceSimilarity::to_targets(std::span<const Index> sources, const TargetSet& targets,
                                  MatrixView<double> out) const {
  compute_to_targets(sources, targets, out);
  evaluations_.fetch_add(out.rows * out.columns, std::memory_order_relaxed);
}

void SourceSimilarity::to_all(std::span<const Index> sources, MatrixView<double> out) const {
  compute_to_all(sources, out);
  evaluations_.fetch_add(out.rows * out.columns, std::memory_order_relaxed);
}

void SourceSimilarity::pairs(std::span<const Index> first, std::span<const Index> second, std::span<double> out) const {
  compute_pairs(first, second, out);
  count(std::ssize(first));
}

void SourceSimilarity::compute_pairs(std::span<const Index> first, std::span<const Index> second,
                                     std::span<double> out) const {
  pairs_by_source(first, second, out,
                  [this](std::span<const Index> source, const TargetSet& targets, MatrixView<double> row) {
                    compute_to_targets(source, targets, row);
                  });
}

void SourceSimilarity::pairs_by_source(
    std::span<const Index> first, std::span<const Index> second, std::span<double> out,
    const std::function<void(std::span<const Index>, const TargetSet&, MatrixView<double>)>& values) const {
  std::map<Index, std::vector<std::size_t>> by_source;
  for (std::size_t p = 0; p < first.size(); ++p) by_source[first[p]].push_back(p);
  for (const auto& [source, places] : by_source) {
    std::vector<Index> targets;
    for (const std::size_t p : places) targets.push_back(second[p]);
    std::ranges::sort(targets);
    targets.erase(std::ranges::unique(targets).begin(), targets.end());
    const auto prepared = prepare(targets);
    std::vector<double> found(targets.size());
    values(std::span(&source, 1), *prepared, {found.data(), 1, std::ssize(found)});
    for (const std::size_t p : places) {
      out[p] = found[std::ranges::lower_bound(targets, second[p]) - targets.begin()];
    }
    Watchdog::beat();
  }
}

void SourceSimilarity::lower(Index source, std::span<double> nearest) const {
  evaluations_.fetch_add(compute_lower(source, nearest), std::memory_order_relaxed);
}

Index SourceSimilarity::compute_lower(Index source, std::span<double> nearest) const {
  Buffer<double> values(size());
  compute_to_all(std::span(&source, 1), MatrixView<double>(values.data(), 1, size()));
  std::ranges::transform(nearest, values.span(), nearest.begin(), [](double a, double b) { return std::min(a, b); });
  return size();
}

}  // namespace cairn
