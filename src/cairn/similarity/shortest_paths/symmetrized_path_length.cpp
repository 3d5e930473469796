#include "cairn/similarity/shortest_paths/symmetrized_path_length.hpp"

#include <utility>

#include "cairn/base/buffer.hpp"

namespace cairn {

namespace {

struct TargetsBothWays final : TargetSet {
  std::unique_ptr<TargetSet> there, back;
};

SourceTraits averaged(SourceTraits traits) {
  traits.integral = false;
  return traits;
}

class SymmetrizedPathLength final : public SourceSimilarity {
 public:
  SymmetrizedPathLength(std::unique_ptr<PathLength> there, std::unique_ptr<PathLength> back)
      : SourceSimilarity(averaged(there->traits())), there_(std::move(there)), back_(std::move(back)) {}

  [[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters() const override {
    auto parameters = there_->parameters();
    parameters.emplace_back("symmetrize", "true");
    return parameters;
  }

  [[nodiscard]] std::unique_ptr<TargetSet> prepare(std::vector<Index> targets) const override {
    auto set = std::make_unique<TargetsBothWays>();
    set->there = there_->prepare(targets);
    set->back = back_->prepare(targets);
    set->targets = std::move(targets);
    return set;
  }

  void expect_pairs(const Communicator& communicator, Index pairs) const override {
    there_->expect_pairs(communicator, pairs);
  }

 protected:
  void compute_to_targets(std::span<const Index> sources, const TargetSet& targets,
                          MatrixView<double> out) const override {
    const auto& set = dynamic_cast<const TargetsBothWays&>(targets);
    there_->to_targets(sources, *set.there, out);
    add(out, [&](MatrixView<double> back) { back_->to_targets(sources, *set.back, back); });
  }

  void compute_to_all(std::span<const Index> sources, MatrixView<double> out) const override {
    there_->to_all(sources, out);
    add(out, [&](MatrixView<double> back) { back_->to_all(sources, back); });
  }

  // Both from one set of labels.
  void compute_pairs(std::span<const Index> first, std::span<const Index> second,
                     std::span<double> out) const override {
    there_->pairs(first, second, out);
    Buffer<double> back(static_cast<Index>(out.size()));
    there_->pairs(second, first, back.span());
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = 0.5 * (out[k] + back[static_cast<Index>(k)]);
  }

 private:
  template <class Fill>
  static void add(MatrixView<double> out, Fill fill) {
    Buffer<double> values(out.rows * out.columns);
    const MatrixView<double> back(values.data(), out.rows, out.columns);
    fill(back);
    for (Index a = 0; a < out.rows; ++a) {
      for (Index b = 0; b < out.columns; ++b) out(a, b) = 0.5 * (out(a, b) + back(a, b));
    }
  }

  std::unique_ptr<PathLength> there_, back_;
};

}  // namespace

std::unique_ptr<SourceSimilarity> make_symmetrized(const Communicator& communicator,
                                                   std::unique_ptr<PathLength> directed) {
  auto back = directed->reversed(communicator);
  return std::make_unique<SymmetrizedPathLength>(std::move(directed), std::move(back));
}

}  // namespace cairn
