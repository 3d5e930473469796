// The squares of a similarity that comes by source. Private to biharmonic.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "similarity/source_similarity.hpp"

namespace cairn {

/// K_ij². The evaluations are counted by both; `base` outlives it.
class SquaredSimilarity final : public SourceSimilarity {
 public:
  explicit SquaredSimilarity(const SourceSimilarity& base) : base_(base) {}

  [[nodiscard]] std::string name() const override { return base_.name(); }
  [[nodiscard]] Meaning meaning() const override { return base_.meaning(); }
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters() const override {
    return base_.parameters();
  }
  [[nodiscard]] Index size() const override { return base_.size(); }
  [[nodiscard]] bool integral() const override { return base_.integral(); }
  [[nodiscard]] bool symmetric_by_construction() const override { return base_.symmetric_by_construction(); }
  [[nodiscard]] Index batch() const override { return base_.batch(); }
  [[nodiscard]] std::unique_ptr<TargetSet> prepare(std::vector<Index> targets) const override {
    return base_.prepare(std::move(targets));
  }

 protected:
  void compute_to_targets(std::span<const Index> sources, const TargetSet& targets,
                          MatrixView<double> out) const override {
    base_.to_targets(sources, targets, out);
    square(out);
  }
  void compute_to_all(std::span<const Index> sources, MatrixView<double> out) const override {
    base_.to_all(sources, out);
    square(out);
  }

 private:
  static void square(MatrixView<double> values) {
    for (Index i = 0; i < values.rows; ++i) {
      for (Index j = 0; j < values.columns; ++j) values(i, j) *= values(i, j);
    }
  }

  const SourceSimilarity& base_;
};

}  // namespace cairn
