#include "cairn/similarity/pairs/pair_similarity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/joined.hpp"
#include "cairn/similarity/trees/tree_features.hpp"

namespace cairn {

namespace {

// In the order of the names in pair_parameters(). Combinations of left with right come last.
enum class Combination { sum, product, left, right, crossed_sum, crossed_product, best_alignment, preference };

const std::vector<std::string>& combinations() {
  static const std::vector<std::string> names = pair_parameters().front().choices;
  return names;
}

// log(exp(c a) + exp(c b)) / c.
double softened_maximum(double a, double b) {
  constexpr double c = 100.0;
  return std::max(a, b) + std::log1p(std::exp(-c * std::abs(a - b))) / c;
}

// Similarities of two pairs: left with left, right with right, left with right, right with left.
using Sides = std::array<double, 4>;

double combined(Combination how, const Sides& k) {
  switch (how) {
    case Combination::sum:
      return k[0] + k[1];
    case Combination::product:
      return k[0] * k[1];
    case Combination::left:
      return k[0];
    case Combination::right:
      return k[1];
    case Combination::crossed_sum:
      return k[0] + k[1] + k[2] + k[3];
    case Combination::crossed_product:
      return k[0] * k[1] + k[2] * k[3];
    case Combination::best_alignment:
      return softened_maximum(k[0] * k[1], k[2] * k[3]);
    case Combination::preference:
      return k[0] + k[1] - k[2] - k[3];
  }
  return 0;
}

const PairBlock& pairs_in(const ObjectBlock& objects) {
  const auto* pairs = dynamic_cast<const PairBlock*>(&objects);
  if (pairs == nullptr) throw Error(ErrorKind::internal, "expected pairs, got other objects");
  return *pairs;
}

// Tree similarities of pairs: one is made for the left sides and one for the right sides, so that each caches its own.
template <class T>
class TreePairs final : public Similarity<T> {
 public:
  TreePairs(std::unique_ptr<Similarity<T>> left, std::unique_ptr<Similarity<T>> right, std::size_t tree,
            std::string tree_name, std::string combination)
      : Similarity<T>(left->traits()),
        left_(std::move(left)),
        right_(std::move(right)),
        tree_(tree),
        tree_name_(std::move(tree_name)),
        name_(std::move(combination)),
        how_(static_cast<Combination>(std::ranges::find(combinations(), name_) - combinations().begin())) {}

  [[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters() const override {
    auto all = left_->parameters();
    all.emplace_back("pairs", name_);
    all.emplace_back("tree", tree_name_);
    return all;
  }
  [[nodiscard]] double cost(const ObjectBlock& rows) const override {
    const PairBlock& pairs = pairs_in(rows);
    double sum = 0;
    if (uses_left()) sum += left_->cost(*pairs.left[tree_]);
    if (uses_right()) sum += right_->cost(*pairs.right[tree_]);
    return is_crossed() ? 2 * sum : sum;
  }
  [[nodiscard]] double longest_seconds(Index entries) const override {
    return 4 * std::max(left_->longest_seconds(entries), right_->longest_seconds(entries));
  }

 protected:
  void compute_tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const override {
    const PairBlock &x = pairs_in(rows), &y = pairs_in(columns);
    const Index entries = out.rows * out.columns;
    std::vector<T> values(4 * entries, T(0));
    for_each_side(x, y, [&](std::size_t k, const Similarity<T>& part, const ObjectBlock& a, const ObjectBlock& b) {
      this->tile_of(part, a, b, MatrixView<T>(values.data() + static_cast<Index>(k) * entries, out.rows, out.columns));
    });
    for (Index a = 0; a < out.rows; ++a) {
      bool finite = true;
      for (Index b = 0; b < out.columns; ++b) {
        out(a, b) = value(values.data() + a * out.columns + b, entries);
        finite = finite && std::isfinite(out(a, b));
      }
      if (!finite) this->report_not_finite(x.ids[a], y.ids, out.row(a));
    }
  }

  void compute_pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const override {
    std::vector<T> values(4 * out.size(), T(0));
    for_each_side(pairs_in(first), pairs_in(second),
                  [&](std::size_t k, const Similarity<T>& part, const ObjectBlock& a, const ObjectBlock& b) {
                    this->pairs_of(part, a, b, std::span(values).subspan(k * out.size(), out.size()));
                  });
    for (std::size_t a = 0; a < out.size(); ++a) out[a] = value(values.data() + a, std::ssize(out));
    this->require_finite(first, second, out);
  }

 private:
  [[nodiscard]] bool uses_left() const { return how_ != Combination::right; }
  [[nodiscard]] bool uses_right() const { return how_ != Combination::left; }
  [[nodiscard]] bool is_crossed() const { return how_ >= Combination::crossed_sum; }

  // Calls use(k, similarity, block, block) for each of the four that is needed.
  template <class Use>
  void for_each_side(const PairBlock& x, const PairBlock& y, const Use& use) const {
    const ObjectBlock &q = *x.left[tree_], &c = *x.right[tree_], &other_q = *y.left[tree_], &other_c = *y.right[tree_];
    if (uses_left()) use(0, *left_, q, other_q);
    if (uses_right()) use(1, *right_, c, other_c);
    if (!is_crossed()) return;
    use(2, *left_, q, other_c);
    use(3, *right_, c, other_q);
  }
  [[nodiscard]] T value(const T* first, Index step) const {
    Sides sides{};
    for (std::size_t k = 0; k < sides.size(); ++k) {
      sides[k] = static_cast<double>(first[static_cast<Index>(k) * step]);
    }
    return static_cast<T>(combined(how_, sides));
  }

  std::unique_ptr<Similarity<T>> left_, right_;
  std::size_t tree_;
  std::string tree_name_, name_;
  Combination how_;
};

// Similarity of the features of pairs.
template <class T>
class FeatureSimilarity final : public Similarity<T> {
 public:
  explicit FeatureSimilarity(std::unique_ptr<Similarity<T>> points)
      : Similarity<T>(traits_of(points->traits())), points_(std::move(points)) {}
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters() const override {
    return points_->parameters();
  }

 protected:
  void compute_tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const override {
    this->tile_of(*points_, *pairs_in(rows).features, *pairs_in(columns).features, out);
  }
  void compute_pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const override {
    this->pairs_of(*points_, *pairs_in(first).features, *pairs_in(second).features, out);
  }

 private:
  static EntryTraits traits_of(EntryTraits traits) {
    traits.base.clear();
    return traits;
  }
  std::unique_ptr<Similarity<T>> points_;
};

std::size_t tree_index(const SimilarityChoice& choice, const PairSet& pairs) {
  const std::vector<std::string>& names = pairs.form().trees;
  const std::string& name = choice.values.text("tree");
  if (name.empty() && names.size() == 1) return 0;
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  throw Error(ErrorKind::usage, name.empty() ? fmt::format("the pairs have several trees: choose one with {}: {}",
                                                           choice.values.keys()("tree"), joined(names, ", "))
                                             : fmt::format("{} = {}: the pairs have no such tree; there are {}",
                                                           choice.values.where("tree"), name, joined(names, ", ")));
}

}  // namespace

std::vector<Parameter> pair_parameters() {
  return {
      {.name = "pairs",
       .value = "NAME",
       .type = ValueType::choice,
       .fallback = "sum",
       .help = "How similarities of the two sides of pairs are combined: sum, product, left or right (of one side "
               "alone), crossed-sum, crossed-product, best-alignment (about the larger of both products) or "
               "preference.",
       .choices = {"sum", "product", "left", "right", "crossed-sum", "crossed-product", "best-alignment",
                   "preference"}},
      {.name = "tree", .value = "NAME", .help = "Which of the trees of pairs is compared; by default the only one."}};
}

void refuse_pair_parameters(const SimilarityChoice& choice) {
  for (const Parameter& parameter : pair_parameters()) {
    const auto& own = choice.descriptor->parameters;
    if (std::ranges::find(own, parameter.name, &Parameter::name) == own.end()) continue;
    if (choice.values.given(parameter.name))
      choice.values.refuse(parameter.name, "has no effect: the objects are no pairs");
  }
}

template <class T>
std::unique_ptr<Similarity<T>> make_pair_similarity(const Execution& execution, const SimilarityChoice& choice,
                                                    const PairSet& pairs, MakeSimilarity<T> make) {
  if (compares_points(choice)) {
    if (pairs.features() == nullptr) {
      throw Error(ErrorKind::usage,
                  fmt::format("the similarity {} compares features, and the pairs were read without", choice.name()));
    }
    return std::make_unique<FeatureSimilarity<T>>(make({execution, choice, *pairs.features()}));
  }
  const std::size_t tree = tree_index(choice, pairs);
  const PairSet::Trees& trees = pairs.trees()[tree];
  auto left = make({execution, choice, *trees.left});
  auto right = make({execution, choice, *trees.right});
  left->set_keys(choice.values.keys());
  right->set_keys(choice.values.keys());
  return std::make_unique<TreePairs<T>>(std::move(left), std::move(right), tree, pairs.form().trees[tree],
                                        choice.values.text("pairs"));
}

template std::unique_ptr<Similarity<float>> make_pair_similarity(const Execution&, const SimilarityChoice&,
                                                                 const PairSet&, MakeSimilarity<float>);
template std::unique_ptr<Similarity<double>> make_pair_similarity(const Execution&, const SimilarityChoice&,
                                                                  const PairSet&, MakeSimilarity<double>);

}  // namespace cairn
