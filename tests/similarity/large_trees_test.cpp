// Tree kernels of large trees: their values, and what they take before it is taken.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "cairn/data/trees/bracket_parser.hpp"
#include "cairn/data/trees/tree_set.hpp"
#include "cairn/similarity/catalog/similarities.hpp"
#include "cairn/similarity/trees/distinct_subtrees.hpp"
#include "cairn/similarity/trees/tree_kernel.hpp"
#include "expected_errors.hpp"
#include "test_communicator.hpp"

namespace cairn::test::large_trees_test {
namespace {

SimilarityChoice kernel_choice(const std::string& name, bool normalize) {
  SimilarityChoice choice(name);
  choice.set("normalize", normalize ? "true" : "false");
  return choice;
}

std::unique_ptr<TreeSet> set_of(const Forest& forest, std::int32_t label_count) {
  std::vector<std::string> names;
  for (std::int32_t k = 0; k < label_count; ++k) names.push_back(std::to_string(10'000'000 + k));
  const RowPartition partition(forest.size(), world().size());
  TreeRecords records(1, 0, 0);
  for (const Index id : numbers_of(partition.range(world().rank()))) {
    records.forests[0].append(forest.tree(id));
    ++records.count;
  }
  return std::make_unique<TreeSet>(partition, world().rank(), std::make_shared<const TreeLabels>(names),
                                   std::move(records), std::vector<std::string>());
}

// A chain of nodes of the given labels, one below the other.
void append_chain(Forest& forest, Index nodes, std::int32_t label) {
  TreeBuilder builder(forest);
  for (Index k = 0; k < nodes; ++k) builder.open(k + 1 < nodes ? label : 0);
  for (Index k = 0; k < nodes; ++k) builder.close();
  builder.finish();
}

TEST(LargeTrees, AChainOfAMillionNodesIsATree) {
  CAIRN_UP_TO_RANKS(1);
  constexpr Index nodes = 1'000'000;
  Forest forest;
  append_chain(forest, nodes, 1);
  append_chain(forest, 3, 1);
  std::vector<std::unique_ptr<TreeKernel>> kernels;
  kernels.push_back(make_subtree_kernel(0.5, true));
  kernels.push_back(make_subset_tree_kernel(0.5, true));
  kernels.push_back(make_partial_tree_kernel({.lambda = 0.5, .mu = 0.5}));
  for (const auto& kernel : kernels) {
    const double one = kernel->pair(forest.tree(0), forest.tree(1));
    EXPECT_NEAR(one, kernel->pair(forest.tree(1), forest.tree(0)), 1e-9 * one);
    EXPECT_GT(one, 0);
  }
  // Common productions: 0 once; 1(0) once; of the others, 1(1), each of the chain with the one of the small tree: twice
  // that above 1(0) as many as there are, and once the one that is.
  const double per_node = 0.5 * (1 + 0.0);
  const double of_chain = make_subset_tree_kernel(0.5, true)->pair(forest.tree(0), forest.tree(1));
  EXPECT_NEAR(of_chain, 0.5 + 0.5 + per_node * static_cast<double>(nodes - 3) + 0.5 * (1 + 0.5), 1e-6);
}

// A tree in which every node has another label: levels of one node each.
Forest chain_of_labels(std::int32_t nodes) {
  Forest forest;
  TreeBuilder builder(forest);
  for (std::int32_t k = 0; k < nodes; ++k) builder.open(k);
  for (std::int32_t k = 0; k < nodes; ++k) builder.close();
  builder.finish();
  return forest;
}

// K(x, x) by their definitions, from the leaf up.
TEST(LargeTrees, AChainOfManyLabelsIsComparedWithItself) {
  CAIRN_UP_TO_RANKS(1);
  constexpr std::int32_t nodes = 200'000;
  const Forest forest = chain_of_labels(nodes);
  const double lambda = 0.5, mu = 0.4;
  double subtree = lambda, subset = lambda, partial = mu * lambda * lambda;  // Delta of the leaf
  double subtrees = subtree, subsets = subset, partials = partial;
  for (std::int32_t k = 1; k < nodes; ++k) {
    subtree = k == 1 ? lambda : lambda * subtree;
    subset = k == 1 ? lambda : lambda * (1 + subset);
    partial = mu * (lambda * lambda + partial);
    subtrees += subtree, subsets += subset, partials += partial;
  }
  const auto expect = [&](const std::unique_ptr<TreeKernel>& kernel, double value) {
    const TreeWork work = kernel->work(forest.tree(0), *kernel->prepare(forest.view()));
    EXPECT_LE(work.pairs, 4.0 * nodes);
    EXPECT_LE(work.bytes, 100.0 * nodes);
    EXPECT_NEAR(kernel->pair(forest.tree(0), forest.tree(0)), value, 1e-10 * value);
  };
  expect(make_subtree_kernel(lambda, true), subtrees);
  expect(make_subset_tree_kernel(lambda, true), subsets);
  expect(make_partial_tree_kernel({.lambda = lambda, .mu = mu}), partials);
  const auto trees = set_of(forest, nodes);
  for (const char* name : {"stk", "sstk", "ptk"}) {
    Context context;
    const auto similarity = make_similarity<double>(context.execution, kernel_choice(name, true), *trees);
    const auto block = trees->gather(world(), std::vector<Index>{0});
    double value = 0;
    similarity->pairs(*block, *block, std::span(&value, 1));
    EXPECT_NEAR(value, 1, 1e-12) << name;
  }
}

// As many hashes as lists, and as many different low bits as a random function has.
void expect_spread(const std::vector<std::uint64_t>& hashes) {
  const std::set<std::uint64_t> different(hashes.begin(), hashes.end());
  EXPECT_EQ(different.size(), hashes.size());
  std::uint64_t places = 1;
  while (places < hashes.size()) places *= 2;
  std::set<std::uint64_t> filled;
  for (const std::uint64_t hash : hashes) filled.insert(hash & (places - 1));
  const auto n = static_cast<double>(hashes.size()), m = static_cast<double>(places);
  EXPECT_GT(static_cast<double>(filled.size()), 0.97 * m * (1 - std::exp(-n / m)));
}

TEST(LargeTrees, ListsOfNumbersHaveHashesOfTheirOwn) {
  std::vector<std::uint64_t> chain, shuffled, pairs, triples, lengths;
  for (std::int32_t i = 0; i < 16'000; ++i) {
    const std::int32_t next[] = {i + 1}, far[] = {static_cast<std::int32_t>(i * 7919LL % 16'001)};
    chain.push_back(hash_list(i, next));
    shuffled.push_back(hash_list(i, far));
    lengths.push_back(hash_list(0, std::vector<std::int32_t>(static_cast<std::size_t>(i % 4'000), i / 4'000)));
  }
  for (std::int32_t a = 0; a < 128; ++a) {
    for (std::int32_t b = 0; b < 128; ++b) {
      const std::int32_t one[] = {b}, two[] = {a, b};
      pairs.push_back(hash_list(a, one));
      triples.push_back(hash_list(7, two));
    }
  }
  for (const auto* hashes : {&chain, &shuffled, &pairs, &triples}) expect_spread(*hashes);
  lengths.erase(lengths.begin() + 4'000, lengths.begin() + 4'001);  // without members the lists are one
  lengths.erase(lengths.begin() + 7'999, lengths.begin() + 8'000);
  lengths.erase(lengths.begin() + 11'998, lengths.begin() + 11'999);
  expect_spread(lengths);
}

void append_star(Forest& forest, std::int32_t leaves) {
  TreeBuilder builder(forest);
  builder.open(0);
  for (std::int32_t k = 0; k < leaves; ++k) builder.leaf(1);
  builder.close();
  builder.finish();
}

// Of stars with n leaves, mu = lambda = t = 1: each pair of leaves counts 1, that of the roots the pairs of lists of
// leaves: binom(2 n, n), the empty ones included.
TEST(LargeTrees, ANodeWithManyEqualChildrenTakesNoMoreMemoryThanTwoColumns) {
  const auto kernel = make_partial_tree_kernel({.lambda = 1, .mu = 1});
  Forest forest;
  for (const std::int32_t leaves : {5, 20, 5000, 100'000}) append_star(forest, leaves);
  const double binomials[] = {252, 137846528820.0};
  for (Index a = 0; a < 2; ++a) {
    const double leaves = a == 0 ? 5 : 20;
    EXPECT_NEAR(kernel->pair(forest.tree(a), forest.tree(a)), leaves * leaves + binomials[a], 1e-12 * binomials[a]);
  }
  const TreeWork work = kernel->work(forest.tree(3), *kernel->prepare(forest.view()));
  EXPECT_GE(work.pairs, 1e10);
  EXPECT_LE(work.bytes, 1e8);
  // lambda -> 0 leaves common runs of leaves, each with Delta = 1: min(i, j) of them end at i and j.
  const auto narrow = make_partial_tree_kernel({.lambda = 1e-9, .mu = 1, .terminal = 1e18});
  const double leaves = 5000, runs = leaves * (leaves + 1) * (2 * leaves + 1) / 6;
  EXPECT_NEAR(narrow->pair(forest.tree(2), forest.tree(2)), leaves * leaves + runs, 1e-4 * runs);
}

TEST(LargeTrees, WhatNoRunCouldCompareIsRefusedBefore) {
  CAIRN_UP_TO_RANKS(2);
  Forest forest;
  append_chain(forest, 600'000, 1);
  for (int k = 0; k < 5; ++k) append_chain(forest, 3, 1);
  const auto trees = set_of(forest, 2);
  for (const char* name : {"ptk", "sstk"}) {
    Context context;
    expect_error([&] { (void)make_similarity<double>(context.execution, kernel_choice(name, true), *trees); },
                 ErrorKind::resource, {"object 0", "600,000 nodes", "pairs", "normalize = false"});
    const auto plain = make_similarity<double>(context.execution, kernel_choice(name, false), *trees);
    const auto all = trees->gather(world(), std::vector<Index>{0, 1}),
               small = trees->gather(world(), std::vector<Index>{1});
    std::vector<double> values(4);
    plain->tile(*all, *small, {values.data(), 2, 1});
    EXPECT_GT(values[0], values[1]);
    expect_error([&] { plain->tile(*all, *all, {values.data(), 2, 2}); }, ErrorKind::resource, {"object 0", "pairs"});
    expect_error([&] { plain->pairs(*all, *all, std::span(values).first(2)); }, ErrorKind::resource,
                 {"object 0", "pairs"});
  }
  Context context;
  EXPECT_NO_THROW((void)make_similarity<double>(context.execution, kernel_choice("stk", true), *trees));
}

}  // namespace
}  // namespace cairn::test::large_trees_test
