#include "similarity/source_similarity.hpp"

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

}  // namespace cairn
