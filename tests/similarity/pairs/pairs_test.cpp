// Similarities of pairs against those of their parts, put together by hand, on any number of ranks; results that keep
// pairs are extended by others.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>

#include "cairn/data/pairs/pair_reader.hpp"
#include "cairn/similarity/catalog/similarities.hpp"
#include "cairn/similarity/columns.hpp"
#include "expected_errors.hpp"
#include "test_communicator.hpp"

namespace cairn::test::pairs_test {
namespace {

constexpr Index n = 70;

std::string tree_of(Index i, Index seed) {
  const Index a = (i * 7 + seed) % 5, b = (i * 3 + seed) % 4;
  return fmt::format("(S (A{} (B{})) (C (D{}) (B{})))", a, b, a, (i + seed) % 3);
}

// Lines of pairs whose trees are t and u.
std::string written() {
  auto process = static_cast<Index>(::getpid());
  world().broadcast(std::span(&process, 1), 0);
  const auto path = std::filesystem::temp_directory_path() / fmt::format("cairn-pairs-{}.klp", process);
  if (world().is_root()) {
    std::ofstream file(path);
    for (Index i = 0; i < n; ++i) {
      file << fmt::format(
          "y |<| |BT:t| {} |ET| |BT:u| {} |ET| |,| |BT:t| {} |ET| |BT:u| {} |ET| |>| |BV:f| a:{} b:{} |EV|\n",
          tree_of(i, 0), tree_of(i, 1), tree_of(i, 2), tree_of(i, 3), i % 7, (i * i) % 11);
    }
  }
  world().barrier();
  return path.string();
}

class Pairs : public testing::Test {
 protected:
  void SetUp() override {
    path_ = written();
    pairs_ = read_pairs<double>(world(), {.path = path_, .tree = {"t", "u"}}).pairs;
    world().barrier();
    if (world().is_root()) std::filesystem::remove(path_);
    for (Index i = 0; i < n; ++i) all_.push_back(i);
  }

  static SimilarityChoice ptk(const std::string& pairs, const std::string& tree) {
    SimilarityChoice choice("ptk");
    choice.set("pairs", pairs).set("tree", tree);
    return choice;
  }
  // Of the parts, on every rank: rows of one side with columns of another.
  std::vector<double> of_parts(std::size_t tree, bool left, bool other_left) {
    const PairSet::Trees& trees = pairs_->trees()[tree];
    const TreeSet &x = left ? *trees.left : *trees.right, &y = other_left ? *trees.left : *trees.right;
    const auto similarity = make_similarity<double>(context_.execution, SimilarityChoice("ptk"), x);
    const auto rows = x.gather(world(), all_), columns = y.gather(world(), all_);
    std::vector<double> values(n * n);
    similarity->tile(*rows, *columns, MatrixView<double>(values.data(), n, n));
    return values;
  }
  // The largest difference of all entries of a similarity, in rows of this rank, in pairs, and from packed rows.
  double largest_difference(const SimilarityChoice& choice, const std::function<double(std::size_t)>& expected) {
    const auto similarity = make_similarity<double>(context_.execution, choice, *pairs_);
    const auto columns = pairs_->gather(world(), all_);
    const auto found =
        evaluate_columns<double>(context_.execution, *similarity, *pairs_, *columns, "columns", "columns");
    double largest = 0;
    const auto compare = [&](Index i, Index j, double value) {
      largest = std::max(largest, std::abs(value - expected(static_cast<std::size_t>(i * n + j))));
    };
    for (Index i = found.range().begin; i < found.range().end; ++i) {
      for (Index j = 0; j < n; ++j) compare(i, j, found.row(i)[j]);
    }
    std::vector<Index> first, second;
    for (Index a = 0; a < n; ++a) first.push_back((a * 3) % n), second.push_back((a * 11 + 5) % n);
    const auto two = pairs_->gather_pairs(world(), first, second);
    std::vector<double> values(n);
    similarity->pairs(*two.first, *two.second, values);
    for (std::size_t a = 0; a < values.size(); ++a) compare(first[a], second[a], values[a]);
    const Range own = pairs_->range();
    if (own.size() > 0) {
      const auto sent = pairs_->unpack(own, pairs_->pack(own));
      std::vector<double> tile(own.size() * n);
      similarity->tile(*sent, *columns, MatrixView<double>(tile.data(), own.size(), n));
      for (Index i = own.begin; i < own.end; ++i) {
        for (Index j = 0; j < n; ++j) compare(i, j, tile[(i - own.begin) * n + j]);
      }
    }
    return world().maximum(largest);
  }

  std::string path_;
  Context context_;
  std::unique_ptr<PairSet> pairs_;
  std::vector<Index> all_;
};

TEST_F(Pairs, AreCombinedAsThePaperSays) {
  for (const std::size_t tree : {0U, 1U}) {
    const auto ll = of_parts(tree, true, true), rr = of_parts(tree, false, false);
    const auto lr = of_parts(tree, true, false), rl = of_parts(tree, false, true);
    const std::map<std::string, std::function<double(std::size_t)>> expected = {
        {"sum", [&](std::size_t k) { return ll[k] + rr[k]; }},
        {"product", [&](std::size_t k) { return ll[k] * rr[k]; }},
        {"left", [&](std::size_t k) { return ll[k]; }},
        {"right", [&](std::size_t k) { return rr[k]; }},
        {"crossed-sum", [&](std::size_t k) { return ll[k] + rr[k] + lr[k] + rl[k]; }},
        {"crossed-product", [&](std::size_t k) { return ll[k] * rr[k] + lr[k] * rl[k]; }},
        {"best-alignment",
         [&](std::size_t k) { return std::log(std::exp(100 * ll[k] * rr[k]) + std::exp(100 * lr[k] * rl[k])) / 100; }},
        {"preference", [&](std::size_t k) { return ll[k] + rr[k] - lr[k] - rl[k]; }}};
    for (const auto& [name, value] : expected) {
      EXPECT_LT(largest_difference(ptk(name, tree == 0 ? "t" : "u"), value), 1e-13) << name;
    }
  }
}

TEST_F(Pairs, AddTreesAndFeaturesInASum) {
  const auto left = of_parts(0, true, true), right = of_parts(1, false, false);
  const auto rows = pairs_->features()->gather(world(), all_);
  const auto points = dynamic_cast<const PointBlock<double>&>(*rows).coordinates;
  SimilarityChoice sum("sum");
  sum.set("weights", "2,0.5,1");
  sum.parts = {SimilarityChoice("linear"), ptk("left", "t"), ptk("right", "u")};
  const auto expected = [&](std::size_t k) {
    const auto i = static_cast<Index>(k) / n, j = static_cast<Index>(k) % n;
    double product = 0;
    for (Index d = 0; d < points.columns; ++d) product += points(i, d) * points(j, d);
    return 2 * product + 0.5 * left[k] + right[k];
  };
  EXPECT_LT(largest_difference(sum, expected), 1e-12);
  const auto made = make_similarity<double>(context_.execution, sum, *pairs_);
  const SimilarityChoice again = from_resolved("sum", made->parameters());
  EXPECT_LT(largest_difference(again, expected), 1e-12);
}

TEST_F(Pairs, RefuseATreeOrFeaturesThatTheyLack) {
  const auto make = [&](const SimilarityChoice& choice, const ObjectSet& objects) {
    (void)make_similarity<double>(context_.execution, choice, objects);
  };
  expect_error([&] { make(ptk("sum", "v"), *pairs_); }, ErrorKind::usage, {"tree", "v", "there are t, u"});
  expect_error([&] { make(SimilarityChoice("ptk"), *pairs_); }, ErrorKind::usage, {"several trees", "t, u"});
  expect_error([&] { make(ptk("sum", "t"), *pairs_->trees()[0].left); }, ErrorKind::usage,
               {"pairs = sum has no effect: the objects are no pairs"});
  expect_error([&] { SimilarityChoice("ptk").set("pairs", "cross"); }, ErrorKind::usage, {"cross"});
}

}  // namespace
}  // namespace cairn::test::pairs_test
