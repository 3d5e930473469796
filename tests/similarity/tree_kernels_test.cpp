// Tree kernels against published values, the published recursions, and all fragments of small trees.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <set>

#include "cairn/data/trees/bracket_parser.hpp"
#include "cairn/data/trees/tree_reader.hpp"
#include "cairn/similarity/catalog/similarities.hpp"
#include "cairn/similarity/columns.hpp"
#include "cairn/similarity/trees/tree_kernel.hpp"
#include "expected_errors.hpp"
#include "test_communicator.hpp"
#include "trees/plain_kernels.hpp"

namespace cairn::test::tree_kernels_test {
namespace {

using Set = std::vector<std::pair<std::string, std::string>>;

SimilarityChoice choice_of(const std::string& name, const Set& values) {
  SimilarityChoice choice(name);
  for (const auto& [key, value] : values) choice.set(key, value);
  return choice;
}

std::string shipped(const std::string& name) { return std::string(CAIRN_TEST_DATA) + "/trees/" + name; }

std::unique_ptr<TreeSet> questions(const std::string& tree, const WordVectorSource& vectors = {}) {
  return read_trees(world(), {.path = shipped("TREC_10.coarse.klp.gz"), .tree = tree, .vectors = vectors}).trees;
}

std::vector<double> published(const std::string& name) {
  std::ifstream file(shipped(name));
  std::vector<double> values;
  for (double value = 0; file >> value;) values.push_back(value);
  return values;
}

// Of neighbors in the file.
std::vector<double> of_neighbors(const SimilarityChoice& choice, const ObjectSet& trees) {
  Context context;
  const auto similarity = make_similarity<double>(context.execution, choice, trees);
  std::vector<Index> first, second;
  for (Index k = 1; k < trees.size(); ++k) first.push_back(k - 1), second.push_back(k);
  const ObjectPairs pairs = trees.gather_pairs(world(), first, second);
  std::vector<double> values(first.size());
  similarity->pairs(*pairs.first, *pairs.second, values);
  return values;
}

void expect_published(const SimilarityChoice& choice, const ObjectSet& trees, const std::string& name) {
  const std::vector<double> values = of_neighbors(choice, trees), expected = published(name);
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t k = 0; k < values.size(); ++k) EXPECT_NEAR(values[k], expected[k], 1e-6) << name << " " << k;
}

TEST(TreeKernels, SubsetAndPartialTreesHaveThePublishedValues) {
  const auto trees = questions("grct");
  expect_published(choice_of("sstk", {{"lambda", "0.4"}}), *trees, "kelp-sstk-scores.txt");
  expect_published(choice_of("ptk", {{"lambda", "0.4"}, {"mu", "0.4"}, {"terminal-factor", "5"}}), *trees,
                   "kelp-ptk-scores.txt");
}

// KeLP takes 1 for inner children of unequal productions, where the definition has 0.
TEST(TreeKernels, SubtreesHaveTheValuesOfTheirDefinitionWhichAreNotThePublishedOnes) {
  const auto trees = questions("grct");
  const std::vector<double> values = of_neighbors(choice_of("stk", {{"lambda", "0.4"}}), *trees);
  const std::vector<double> slipped = published("kelp-stk-scores.txt");
  std::vector<Index> all(trees->size());
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<Index>(k);
  const auto block = trees->gather(world(), all);
  const ForestView forest = dynamic_cast<const TreeBlock&>(*block).trees;
  plain::ProductionKernel definition(0.4, 0, true), slip(0.4, 0, true, true);
  const auto normalized = [](plain::ProductionKernel& kernel, const plain::Tree& x, const plain::Tree& y) {
    return kernel(x, y) / std::sqrt(kernel(x, x) * kernel(y, y));
  };
  int different = 0;
  plain::Productions productions;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const plain::Tree x(forest.tree(static_cast<Index>(k)), productions);
    const plain::Tree y(forest.tree(static_cast<Index>(k) + 1), productions);
    EXPECT_NEAR(values[k], normalized(definition, x, y), 1e-14);
    EXPECT_NEAR(slipped[k], normalized(slip, x, y), 1e-6) << k;
    if (std::abs(values[k] - slipped[k]) > 1e-6) ++different;
  }
  EXPECT_EQ(different, 269);
}

WordVectorSource glove(const char* folder) {
  const std::string words = std::string(folder) + "/words/";
  return {.path = words + "glove100.f32le.gz", .words = words + "glove100.words.txt.gz", .format = "raw32"};
}

const Set smoothed = {{"lambda", "0.4"}, {"mu", "0.4"}, {"terminal-factor", "0.2"}, {"threshold", "0.01"}};

TEST(TreeKernels, SmoothedPartialTreesHaveThePublishedValues) {
  const char* folder = std::getenv("CAIRN_DATA");
  if (folder == nullptr) GTEST_SKIP() << "set CAIRN_DATA to the folder of further inputs to run it";
  expect_published(choice_of("sptk", smoothed), *questions("lct", glove(folder)), "kelp-sptk-glove-scores.txt");
}

// Trees of few labels, so that much is common. Leaves and inner nodes share them.
Forest random_forest(Index count, std::int32_t labels, unsigned seed, double deeper = 0.6) {
  std::mt19937 draw(seed);
  std::uniform_real_distribution<double> real;
  Forest forest;
  TreeBuilder builder(forest);
  const auto label = [&] { return static_cast<std::int32_t>(draw() % static_cast<unsigned>(labels)); };
  constexpr int fewest = 4;
  while (forest.size() < count) {
    builder.open(label());
    int nodes = 1;
    while (builder.depth() > 0) {
      if (real(draw) < deeper && nodes < 30) {
        builder.open(label());
        ++nodes;
      } else {
        builder.close();
      }
    }
    nodes < fewest ? builder.discard() : builder.finish();
  }
  return forest;
}

std::vector<std::string> letters(std::int32_t count) {
  std::vector<std::string> names;
  for (std::int32_t k = 0; k < count; ++k) names.emplace_back(1, static_cast<char>('a' + k));
  return names;
}

std::unique_ptr<TreeSet> set_of(const Forest& forest, const std::shared_ptr<const TreeLabels>& labels) {
  const RowPartition partition(forest.size(), world().size());
  TreeRecords records(1, 0, 0);
  for (const Index id : numbers_of(partition.range(world().rank()))) {
    records.forests[0].append(forest.tree(id));
    ++records.count;
  }
  return std::make_unique<TreeSet>(partition, world().rank(), labels, std::move(records), std::vector<std::string>());
}

// All of K, not normalized, from tiles: of every row with every column.
std::vector<double> whole_matrix(SimilarityChoice choice, const TreeSet& trees) {
  Context context;
  choice.set("normalize", "false");
  const auto similarity = make_similarity<double>(context.execution, choice, trees);
  std::vector<Index> all(trees.size());
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<Index>(k);
  const auto columns = trees.gather(world(), all);
  const auto block = evaluate_columns(context.execution, *similarity, trees, *columns, "columns", "columns");
  std::vector<double> own;
  for (const Index i : numbers_of(trees.range())) own.insert(own.end(), block.row(i).begin(), block.row(i).end());
  return world().all_gather(own);
}

template <class Kernel>
void expect_recursion(const SimilarityChoice& choice, Kernel kernel, const Forest& forest,
                      const std::shared_ptr<const TreeLabels>& labels) {
  const auto trees = set_of(forest, labels);
  const std::vector<double> values = whole_matrix(choice, *trees);
  std::vector<plain::Tree> plain_trees;
  plain::Productions productions;
  for (Index a = 0; a < forest.size(); ++a) plain_trees.emplace_back(forest.tree(a), productions);
  for (std::size_t a = 0; a < plain_trees.size(); ++a) {
    for (std::size_t b = 0; b < plain_trees.size(); ++b) {
      const double expected = kernel(plain_trees[a], plain_trees[b]);
      ASSERT_NEAR(values[a * plain_trees.size() + b], expected, 1e-12 * std::max(1.0, std::abs(expected)))
          << choice.name() << " of " << a << " and " << b;
    }
  }
}

TEST(TreeKernels, AllAreThePublishedRecursionsOnAnyNumberOfRanks) {
  const auto labels = std::make_shared<const TreeLabels>(letters(3));
  const Forest forest = random_forest(60, 3, 7);
  for (const bool leaves : {true, false}) {
    const Set values = {{"lambda", "0.7"}, {"leaves", leaves ? "true" : "false"}};
    expect_recursion(choice_of("stk", values), plain::ProductionKernel(0.7, 0, leaves), forest, labels);
    expect_recursion(choice_of("sstk", values), plain::ProductionKernel(0.7, 1, leaves), forest, labels);
  }
  const Set values = {{"lambda", "0.6"}, {"mu", "0.8"}, {"terminal-factor", "3"}};
  expect_recursion(choice_of("ptk", values), plain::PartialKernel(0.6, 0.8, 3.0), forest, labels);
  const Forest wide = random_forest(40, 2, 9, 0.51);
  expect_recursion(choice_of("ptk", values), plain::PartialKernel(0.6, 0.8, 3.0), wide, labels);
}

TEST(TreeKernels, WordsOfOnePartOfSpeechAreComparedByTheirVectors) {
  const std::vector<std::string> names = {"A",           "LEX##cat::n", "LEX##cat::v",
                                          "LEX##dog::n", "LEX##owl::n", "LEX##sit::v"};
  auto labels = std::make_shared<TreeLabels>(names);
  const std::vector<std::string> words = {"cat", "dog", "sit"};
  const std::vector<float> vectors = {1, 2, 2, 2, 1, 2, -1, 0, 4};
  labels->use_vectors(std::make_shared<const WordVectors>(world(), words, 3, vectors));
  const auto cosine = [&](std::int32_t a, std::int32_t b) {
    const LexicalLabel first = lexical_label(names[a]);
    const LexicalLabel second = lexical_label(names[b]);
    if (first.word.empty() || first.speech != second.speech) return 0.0;
    const auto one = std::ranges::find(words, first.word), other = std::ranges::find(words, second.word);
    if (one == words.end() || other == words.end()) return 0.0;
    double dot = 0, norm = 0, norm_of_other = 0;
    for (std::ptrdiff_t j = 0; j < 3; ++j) {
      const double x = vectors[3 * (one - words.begin()) + j];
      const double y = vectors[3 * (other - words.begin()) + j];
      dot += x * y, norm += x * x, norm_of_other += y * y;
    }
    const double value = dot / std::sqrt(norm * norm_of_other);
    return value >= 0.5 ? value : 0.0;
  };
  const Set values = {{"lambda", "0.6"}, {"mu", "0.8"}, {"terminal-factor", "2"}, {"threshold", "0.5"}};
  expect_recursion(choice_of("sptk", values),
                   plain::PartialKernel(0.6, 0.8, 2.0, {.groups = {0, 1, 2, 1, 1, 2}, .of = cosine}),
                   random_forest(50, 6, 3), labels);
}

// All subset trees of a tree as texts, each as often as it stands there with its weight; [Collins, Duffy 2001].
class Fragments {
 public:
  Fragments(const plain::Tree& tree, double lambda) : tree_(tree), lambda_(lambda) {
    for (int v = 0; v < tree.size(); ++v) {
      for (const auto& [text, weight] : from(v)) weights_[text] += weight;
    }
  }
  [[nodiscard]] double dot(const Fragments& other) const {
    double sum = 0;
    for (const auto& [text, weight] : weights_) {
      if (const auto found = other.weights_.find(text); found != other.weights_.end()) sum += weight * found->second;
    }
    return sum;
  }

 private:
  // Of those with root v: each inner child is cut off, or goes on by a fragment of its own.
  [[nodiscard]] std::vector<std::pair<std::string, double>> from(int v) const {
    const std::string label = std::to_string(tree_.labels[v]);
    std::vector<std::pair<std::string, double>> all = {{"(" + label, std::sqrt(lambda_)}};
    for (const int child : tree_.children[v]) {
      std::vector<std::pair<std::string, double>> choices = {{"(" + std::to_string(tree_.labels[child]) + ")", 1.0}};
      if (!tree_.leaf(child)) {
        for (const auto& more : from(child)) choices.push_back(more);
      }
      std::vector<std::pair<std::string, double>> longer;
      for (const auto& [text, weight] : all) {
        for (const auto& [more, of_more] : choices) longer.emplace_back(text + more, weight * of_more);
      }
      all = std::move(longer);
    }
    for (auto& one : all) one.first += tree_.leaf(v) ? "!)" : ")";
    return all;
  }
  const plain::Tree& tree_;
  double lambda_;
  std::map<std::string, double> weights_;
};

TEST(TreeKernels, TheSubsetTreeKernelIsTheDotProductOfAllFragments) {
  const Forest forest = random_forest(25, 2, 5, 0.5);
  const auto kernel = make_subset_tree_kernel(0.5, true);
  std::vector<plain::Tree> trees;
  plain::Productions productions;
  std::vector<Fragments> fragments;
  trees.reserve(25);
  for (Index a = 0; a < forest.size(); ++a) trees.emplace_back(forest.tree(a), productions);
  for (const plain::Tree& tree : trees) fragments.emplace_back(tree, 0.5);
  for (std::size_t a = 0; a < trees.size(); ++a) {
    for (std::size_t b = 0; b < trees.size(); ++b) {
      const double expected = fragments[a].dot(fragments[b]);
      EXPECT_NEAR(kernel->pair(forest.tree(static_cast<Index>(a)), forest.tree(static_cast<Index>(b))), expected,
                  1e-12 * std::max(1.0, expected));
    }
  }
}

// Pairs of partial trees, one of each tree, with the same labels and the same children, enumerated one by one: the
// chosen children of a pair of roots are two subsequences of one length, lambda for each that is skipped between.
double partial_pairs(const plain::Tree& x, int a, const plain::Tree& y, int b, double lambda, double mu, double t) {
  if (x.labels[a] != y.labels[b]) return 0;
  if (x.leaf(a) || y.leaf(b)) return mu * lambda * lambda * t;
  const auto &of_a = x.children[a], &of_b = y.children[b];
  double sum = lambda * lambda;
  for (unsigned first = 1; first < 1U << of_a.size(); ++first) {
    for (unsigned second = 1; second < 1U << of_b.size(); ++second) {
      std::vector<std::size_t> one, other;
      for (std::size_t i = 0; i < of_a.size(); ++i) {
        if ((first >> i & 1U) != 0) one.push_back(i);
      }
      for (std::size_t j = 0; j < of_b.size(); ++j) {
        if ((second >> j & 1U) != 0) other.push_back(j);
      }
      if (one.size() != other.size()) continue;
      const std::size_t gaps =
          one.back() - one.front() + 1 - one.size() + other.back() - other.front() + 1 - other.size();
      double product = std::pow(lambda, static_cast<double>(gaps));
      for (std::size_t k = 0; k < one.size() && product != 0; ++k) {
        product *= partial_pairs(x, of_a[one[k]], y, of_b[other[k]], lambda, mu, t);
      }
      sum += product;
    }
  }
  return mu * sum;
}

TEST(TreeKernels, ThePartialTreeKernelIsTheSumOverAllPairsOfFragments) {
  const Forest forest = random_forest(20, 2, 11, 0.45);
  const auto kernel = make_partial_tree_kernel({.lambda = 0.6, .mu = 0.7, .terminal = 1.5});
  for (Index a = 0; a < forest.size(); ++a) {
    for (Index b = 0; b < forest.size(); ++b) {
      plain::Productions productions;
      const plain::Tree x(forest.tree(a), productions), y(forest.tree(b), productions);
      double expected = 0;
      for (int v = 0; v < x.size(); ++v) {
        for (int u = 0; u < y.size(); ++u) expected += partial_pairs(x, v, y, u, 0.6, 0.7, 1.5);
      }
      EXPECT_NEAR(kernel->pair(forest.tree(a), forest.tree(b)), expected, 1e-12 * std::max(1.0, expected));
    }
  }
}

TEST(TreeKernels, AnObjectWhoseKernelWithItselfIsZeroIsNamed) {
  const auto labels = std::make_shared<const TreeLabels>(letters(3));
  Forest forest = random_forest(3, 3, 2);
  TreeBuilder builder(forest);
  builder.leaf(1);
  builder.finish();
  const auto trees = set_of(forest, labels);
  Context context;
  const auto similarity = make_similarity<double>(context.execution, choice_of("sstk", {{"leaves", "false"}}), *trees);
  const std::vector<Index> ids = {0, 3};
  const auto block = trees->gather(world(), ids);
  std::vector<double> values(2);
  expect_error([&] { similarity->pairs(*block, *block, values); }, ErrorKind::numeric,
               {"object 3", "normalize", "itself is 0"});
}

TEST(TreeKernels, WordsAreNotComparedWithoutVectors) {
  const auto trees = set_of(random_forest(3, 3, 2), std::make_shared<const TreeLabels>(letters(3)));
  Context context;
  expect_error([&] { (void)make_similarity<double>(context.execution, choice_of("sptk", smoothed), *trees); },
               ErrorKind::usage, {"without", "vectors"});
}

TEST(TreeKernels, KIsSymmetricAndOneOnItsDiagonal) {
  const auto trees = questions("grct");
  Context context;
  for (const char* name : {"stk", "sstk", "ptk"}) {
    const auto similarity = make_similarity<double>(context.execution, choice_of(name, {}), *trees);
    std::vector<Index> ids;
    for (Index k = 0; k < 90; ++k) ids.push_back(5 * k);
    const auto block = trees->gather(world(), ids);
    std::vector<double> values(ids.size() * ids.size());
    similarity->tile(*block, *block, {values.data(), std::ssize(ids), std::ssize(ids)});
    for (std::size_t a = 0; a < ids.size(); ++a) {
      EXPECT_NEAR(values[a * ids.size() + a], 1.0, 1e-14) << name;
      for (std::size_t b = 0; b < a; ++b) {
        EXPECT_NEAR(values[a * ids.size() + b], values[b * ids.size() + a], 1e-13) << name;
      }
    }
  }
}

}  // namespace
}  // namespace cairn::test::tree_kernels_test
