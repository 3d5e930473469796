#include "cairn/similarity/source_similarity.hpp"

#include <algorithm>

#include "cairn/base/buffer.hpp"

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
