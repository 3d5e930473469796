// Similarities of numbers beside trees, and sums of these and of tree kernels, on any number of ranks.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "cairn/data/trees/tree_reader.hpp"
#include "cairn/similarity/catalog/similarities.hpp"
#include "cairn/similarity/columns.hpp"
#include "cairn/similarity/trees/tree_kernel.hpp"
#include "expected_errors.hpp"
#include "test_communicator.hpp"

namespace cairn::test::tree_features_test {
namespace {

constexpr Index trees = 50;

double first_number(Index i) { return static_cast<double>(i % 7) - 2.5; }
double second_number(Index i) { return static_cast<double>(i * i % 11) / 4; }

std::unique_ptr<TreeSet> read_lines(const std::string& features) {
  auto process = static_cast<Index>(::getpid());
  world().broadcast(std::span(&process, 1), 0);
  const auto path = std::filesystem::temp_directory_path() / fmt::format("cairn-tree-features-{}.klp", process);
  if (world().is_root()) {
    std::ofstream file(path);
    for (Index i = 0; i < trees; ++i) {
      file << fmt::format("|BT:t| (S (A{} (B{})) (C (D{}))) |ET| |BV:f| a:{} b:{} |EV|\n", i % 5, i % 4, i * i % 3,
                          first_number(i), second_number(i));
    }
  }
  world().barrier();
  auto read = read_trees(world(), {.path = path.string(), .features = features}).trees;
  world().barrier();
  if (world().is_root()) std::filesystem::remove(path);
  return read;
}

double product(Index i, Index j) { return first_number(i) * first_number(j) + second_number(i) * second_number(j); }

// Of tiles and of pairs.
template <class T>
void expect_values(const SimilarityChoice& choice, const TreeSet& set, double tolerance, const auto& expected) {
  Context context;
  const auto similarity = make_similarity<T>(context.execution, choice, set);
  const std::vector<Index> picks = {3, 0, 49, 22, 7};
  const auto columns = set.gather(world(), picks);
  const RowBlock<T> found = evaluate_columns<T>(context.execution, *similarity, set, *columns, "columns", "columns");
  for (Index i = found.range().begin; i < found.range().end; ++i) {
    for (std::size_t k = 0; k < picks.size(); ++k) {
      EXPECT_NEAR(static_cast<double>(found.row(i)[k]), expected(i, picks[k]), tolerance) << i << " " << picks[k];
    }
  }
  const std::vector<Index> first = {1, 44, 9}, second = {2, 44, 31};
  const ObjectPairs pairs = set.gather_pairs(world(), first, second);
  std::vector<T> values(first.size());
  similarity->pairs(*pairs.first, *pairs.second, values);
  for (std::size_t k = 0; k < first.size(); ++k) {
    EXPECT_NEAR(static_cast<double>(values[k]), expected(first[k], second[k]), tolerance);
  }
}

SimilarityChoice subset_trees() {
  SimilarityChoice choice("sstk");
  choice.set("lambda", "0.4");
  return choice;
}

TEST(TreeFeatures, AreComparedBySimilaritiesOfPoints) {
  const auto set = read_lines("f");
  const auto cosine = [](Index i, Index j) { return product(i, j) / std::sqrt(product(i, i) * product(j, j)); };
  const auto rbf = [](Index i, Index j) {
    return std::exp(-0.3 * (product(i, i) + product(j, j) - 2 * product(i, j)));
  };
  SimilarityChoice gaussian("rbf");
  gaussian.set("gamma", "0.3");
  expect_values<double>(SimilarityChoice("linear"), *set, 1e-12, product);
  expect_values<double>(SimilarityChoice("cosine"), *set, 1e-12, cosine);
  expect_values<double>(gaussian, *set, 1e-12, rbf);
  expect_values<float>(gaussian, *set, 1e-5, rbf);
}

TEST(TreeFeatures, StandBesideTreeKernelsInSumsAndProducts) {
  const auto set = read_lines("all");
  std::vector<Index> all(trees);
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<Index>(k);
  const auto block = set->gather(world(), all);
  const ForestView forest = dynamic_cast<const TreeBlock&>(*block).trees;
  const auto kernel = make_subset_tree_kernel(0.4, true);
  const auto normalized = [&](Index i, Index j) {
    const auto pair = [&](Index a, Index b) { return kernel->pair(forest.tree(a), forest.tree(b)); };
    return pair(i, j) / std::sqrt(pair(i, i) * pair(j, j));
  };
  SimilarityChoice sum("sum"), both("product");
  for (SimilarityChoice* choice : {&sum, &both}) choice->parts = {subset_trees(), SimilarityChoice("linear")};
  sum.set("weights", "1,0.5");
  const auto expected = [&](Index i, Index j) { return normalized(i, j) + 0.5 * product(i, j); };
  expect_values<double>(sum, *set, 1e-12, expected);
  expect_values<float>(sum, *set, 1e-4, expected);
  expect_values<double>(both, *set, 1e-12, [&](Index i, Index j) { return normalized(i, j) * product(i, j); });
}

TEST(TreeFeatures, ThatWereNotReadAreMissed) {
  const auto set = read_lines("");
  Context context;
  expect_error([&] { (void)make_similarity<double>(context.execution, SimilarityChoice("linear"), *set); },
               ErrorKind::usage, {"linear compares features", "without"});
}

}  // namespace
}  // namespace cairn::test::tree_features_test
