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
      : size_(size), value_(std::move(value)), symmetric_(symmetric), meaning_(meaning) {}

  [[nodiscard]] std::string name() const override { return "function"; }
  [[nodiscard]] Meaning meaning() const override { return meaning_; }
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters() const override { return {}; }
  [[nodiscard]] Index size() const override { return size_; }
  [[nodiscard]] Index batch() const override { return 7; }
  [[nodiscard]] bool symmetric_by_construction() const override { return symmetric_; }

 protected:
  void compute_to_targets(std::span<const Index> sources, const TargetSet& targets,
                          MatrixView<double> out) const override {
    for (Index a = 0; a < out.rows; ++a) {
      for (Index b = 0; b < out.columns; ++b) {
        out(a, b) = value_(sources[static_cast<std::size_t>(a)], targets.targets[static_cast<std::size_t>(b)]);
      }
    }
  }
  void compute_to_all(std::span<const Index> sources, MatrixView<double> out) const override {
    for (Index a = 0; a < out.rows; ++a) {
      for (Index v = 0; v < out.columns; ++v) out(a, v) = value_(sources[static_cast<std::size_t>(a)], v);
    }
  }

 private:
  Index size_;
  std::function<double(Index, Index)> value_;
  bool symmetric_;
  Meaning meaning_;
};

}  // namespace cairn::test
