// A similarity by source that is given by a function, so that a test knows every value.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "cairn/similarity/source_similarity.hpp"

namespace cairn::test {

class FunctionSources final : public SourceSimilarity {
 public:
  /// @param value  of a source and a vertex @param symmetric  whether it is symmetric
  FunctionSources(Index size, std::function<double(Index, Index)> value, bool symmetric,
                  Meaning meaning = Meaning::distance)
      : SourceSimilarity(
            {.name = "function", .meaning = meaning, .size = size, .symmetric_by_construction = symmetric, .batch = 7}),
        value_(std::move(value)) {}

  [[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters() const override { return {}; }

 protected:
  void compute_to_targets(std::span<const Index> sources, const TargetSet& targets,
                          MatrixView<double> out) const override {
    for (Index a = 0; a < out.rows; ++a) {
      for (Index b = 0; b < out.columns; ++b) {
        out(a, b) = value_(sources[a], targets.targets[b]);
      }
    }
  }
  void compute_to_all(std::span<const Index> sources, MatrixView<double> out) const override {
    for (Index a = 0; a < out.rows; ++a) {
      for (Index v = 0; v < out.columns; ++v) out(a, v) = value_(sources[a], v);
    }
  }

 private:
  std::function<double(Index, Index)> value_;
};

}  // namespace cairn::test
