// Trees on several ranks. How evenly the rows of uneven ones are dealt: comments of 1 to 213 words, as shallow trees.
// Work is counted, not timed: a tile takes as long as its counted work says, unless the machine stops a rank for
// longer.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <numeric>
#include <thread>

#include "cairn/base/random.hpp"
#include "cairn/data/trees/bracket_parser.hpp"
#include "cairn/data/trees/tree_set.hpp"
#include "cairn/similarity/catalog/similarities.hpp"
#include "cairn/similarity/columns.hpp"
#include "cairn/similarity/trees/tree_kernel.hpp"
#include "test_communicator.hpp"

namespace cairn::test::tree_balance_test {
namespace {

constexpr Index comments = 2440, landmarks = 500;

// TEXT -> S -> chunk -> part of speech -> word, of so many words.
std::string shallow(Index text, Index words) {
  const Random random(11, Stream::test);
  const auto draw = [&](Index word, std::uint64_t what, Index below) {
    return random.below(below, static_cast<std::uint64_t>(text * 1000 + word), what);
  };
  std::string tree = "(TEXT";
  for (Index w = 0; w < words;) {
    tree += " (S";
    const Index end = std::min(words, w + 3 + draw(w, 0, 20));
    while (w < end) {
      tree += fmt::format(" (C{}", draw(w, 1, 5));
      const Index of_chunk = std::min(end, w + 1 + draw(w, 2, 3));
      for (; w < of_chunk; ++w) {
        const Index often = draw(w, 4, 30), word = often * often * often / 30;  // a few words are frequent
        tree += fmt::format(" (P{} (w{}))", draw(w, 3, 12), word);
      }
      tree += ')';
    }
    tree += ')';
  }
  return tree + ')';
}

std::unique_ptr<TreeSet> uneven_comments() {
  const RowPartition partition(comments, world().size());
  const Random random(12, Stream::test);
  LabelNumbers labels;
  TreeRecords records(1, 0, 0);
  const Range own = partition.range(world().rank());
  // The first are long: a rank owns more than the others.
  for (Index a = 0; a < comments; ++a) {
    const double u = random.uniform(static_cast<std::uint64_t>(a), 0);
    const double power = a < comments / 3 ? 2.0 : 5.0;
    const std::string tree = shallow(a, 1 + static_cast<Index>(212.999 * std::pow(u, power)));
    Forest forgotten;
    TreeBuilder builder(own.contains(a) ? records.forests[0] : forgotten);
    parse_brackets(tree, 1, labels, builder);
    if (own.contains(a)) ++records.count;
  }
  const SharedLabels shared = share_labels(world(), labels, nullptr);
  for (TreeNode& node : records.forests[0].nodes) {
    node.label = shared.numbers[node.label];
  }
  return std::make_unique<TreeSet>(partition, world().rank(), shared.labels, std::move(records),
                                   std::vector<std::string>());
}

Index children_of(TreeView tree, Index node) {
  Index count = 0;
  const Index end = node + tree[node].size;
  for (Index child = node + 1; child < end; child += tree[child].size) ++count;
  return count;
}

// What a row costs, from the definition: for each of its nodes, and each different subtree of the landmarks with the
// same label, a step, and one for each pair of children.
class Counting {
 public:
  explicit Counting(ForestView columns) {
    std::map<std::vector<std::int32_t>, bool> met;
    for (Index b = 0; b < columns.size(); ++b) {
      const TreeView tree = columns.tree(b);
      for (Index v = 0; v < std::ssize(tree); ++v) {
        std::vector<std::int32_t> subtree;
        for (const TreeNode& node : tree.subspan(v, tree[v].size)) {
          subtree.push_back(node.label);
          subtree.push_back(node.size);
        }
        if (!met.emplace(std::move(subtree), true).second) continue;
        auto& [subtrees, children] = of_label_[tree[v].label];
        subtrees += 1;
        children += static_cast<double>(children_of(tree, v));
      }
    }
  }
  [[nodiscard]] double work(ForestView rows) const {
    double sum = 0;
    for (Index a = 0; a < rows.size(); ++a) {
      const TreeView tree = rows.tree(a);
      for (Index v = 0; v < std::ssize(tree); ++v) {
        const auto found = of_label_.find(tree[v].label);
        if (found == of_label_.end()) continue;
        sum += found->second.first + found->second.second * static_cast<double>(children_of(tree, v));
      }
    }
    return sum;
  }

 private:
  std::map<std::int32_t, std::pair<double, double>> of_label_;
};

// The kernel's predictions and tiles; computing one is waiting.
class Waiting final : public Similarity<double> {
 public:
  Waiting(const Similarity<double>& kernel, const Counting& counting, double seconds_of_work)
      : Similarity<double>(kernel.traits()), kernel_(kernel), counting_(counting), seconds_(seconds_of_work) {}
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters() const override { return {}; }
  [[nodiscard]] double cost(const ObjectBlock& rows) const override { return kernel_.cost(rows); }

  [[nodiscard]] double predicted() const { return predicted_; }
  [[nodiscard]] double counted() const { return counted_; }

 protected:
  // Until all work so far would be done: being woken too late costs the next tile nothing.
  void compute_tile(const ObjectBlock& rows, const ObjectBlock& /*columns*/, MatrixView<double> out) const override {
    if (counted_ == 0) start_ = std::chrono::steady_clock::now();
    predicted_ += kernel_.cost(rows);
    counted_ += counting_.work(dynamic_cast<const TreeBlock&>(rows).trees);
    std::this_thread::sleep_until(start_ + std::chrono::duration_cast<std::chrono::nanoseconds>(
                                               std::chrono::duration<double>(seconds_ * counted_)));
    for (Index a = 0; a < out.rows; ++a) std::fill_n(out.row(a), out.columns, 0.0);
  }
  void compute_pairs(const ObjectBlock& /*first*/, const ObjectBlock& /*second*/,
                     std::span<double> out) const override {
    std::ranges::fill(out, 0.0);
  }

 private:
  const Similarity<double>& kernel_;
  const Counting& counting_;
  double seconds_;
  mutable std::chrono::steady_clock::time_point start_;
  mutable double predicted_ = 0, counted_ = 0;  // one thread
};

double excess_of_slowest(double own) {
  const std::vector<double> all = world().all_gather_one(own);
  const double mean = std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
  return *std::ranges::max_element(all) / mean - 1;
}

TEST(TreeBalance, UnevenTreesAreDealtByTheirPredictedCost) {
  const auto trees = uneven_comments();
  Context context;
  const auto kernel = make_similarity<double>(context.execution, SimilarityChoice("ptk"), *trees);
  std::vector<Index> ids;
  for (Index k = 0; k < landmarks; ++k) ids.push_back(k * comments / landmarks);
  const auto columns = trees->gather(world(), ids);
  const Counting counting(dynamic_cast<const TreeBlock&>(*columns).trees);

  const auto own = trees->block(trees->range());
  const double work = counting.work(dynamic_cast<const TreeBlock&>(*own).trees), all = world().sum(work);
  if (world().size() > 1) {
    EXPECT_GT(excess_of_slowest(work), 0.2) << "as many rows each are not as much work";
  }

  constexpr double seconds = 1.5;  // of a rank
  const double most = world().size() <= 2 ? 0.03 : 0.06;
  // A rank that the machine stops for a moment does less than its share: what the dealing itself does shows in each
  // attempt.
  double counted = most + 1, predicted = most + 1;
  for (int attempt = 0; attempt < 5 && std::max(counted, predicted) > most; ++attempt) {
    const Waiting waiting(*kernel, counting, seconds * world().size() / all);
    (void)evaluate_columns(context.execution, waiting, *trees, *columns, "columns", "loop");
    EXPECT_NEAR(world().sum(waiting.counted()), all, 1e-9 * all);
    counted = excess_of_slowest(waiting.counted());
    predicted = excess_of_slowest(waiting.predicted());
  }
  EXPECT_LE(counted, most);
  EXPECT_LE(predicted, most);
}

// Each is computed where it is first asked for, and goes with the trees.
TEST(TreeKernels, KernelsOfTreesWithThemselvesTravelWithThem) {
  const auto trees = uneven_comments();
  Context context;
  SimilarityChoice choice("ptk");
  choice.set("lambda", "0.3");
  const auto kernel = make_similarity<double>(context.execution, choice, *trees);
  const auto columns = trees->gather(world(), std::vector<Index>{0, 5, 9});
  const Range own = trees->range(), some{own.begin, own.begin + 4};
  std::vector<double> values(12), again(12);
  kernel->tile(*trees->block(some), *columns, {values.data(), 4, 3});
  const auto sent = trees->unpack(some, trees->pack(some));
  const auto& block = dynamic_cast<const TreeBlock&>(*sent);
  const auto plain = make_partial_tree_kernel({.lambda = 0.3});
  std::vector<double> expected;
  for (Index a = 0; a < block.trees.size(); ++a) {
    expected.push_back(plain->pair(block.trees.tree(a), block.trees.tree(a)));
  }
  std::vector<double> selves(4);
  block.of_trees.numbers(
      "ptk lambda=0.3 mu=0.4 terminal-factor=1", block.of_total, block.of_first, selves,
      [](std::span<const Index> missing, std::span<double>) { ADD_FAILURE() << missing.size() << " did not travel"; });
  EXPECT_EQ(selves, expected);
  kernel->tile(*sent, *columns, {again.data(), 4, 3});
  EXPECT_EQ(values, again);
}

}  // namespace
}  // namespace cairn::test::tree_balance_test
