#include "cairn/task/classification/kernel_svm.hpp"

#include <gmock/gmock.h>
#include <libsvm/svm.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "cairn/base/random.hpp"
#include "cairn/task/classification/folds.hpp"
#include "cairn/task/classification/pair_votes.hpp"
#include "expected_errors.hpp"
#include "test_communicator.hpp"

namespace cairn::kernel_svm_test {
namespace {

using test::world;

constexpr Index n = 90;
constexpr double tolerance = 1e-6;
const KernelSvmOptions pairs{.tolerance = tolerance};
const std::vector<std::string> names = {"a", "b", "c", "unused"};

std::int32_t class_of(Index row) { return static_cast<std::int32_t>(row % 3); }
bool trained_on(Index row) { return row % 4 != 2; }

double position(Index row, std::uint64_t axis) {
  return Random(5, Stream::test).normal(static_cast<std::uint64_t>(row), axis) +
         2.0 * std::cos(static_cast<double>(class_of(row)) * 2.1 + static_cast<double>(axis));
}

double kernel(Index i, Index j) {
  const double x = position(i, 0) - position(j, 0), y = position(i, 1) - position(j, 1);
  return std::exp(-0.7 * (x * x + y * y));
}

class Gaussian final : public Similarity<double> {
 public:
  /// @param backwards  row i is that of n - 1 - i
  explicit Gaussian(Meaning meaning = Meaning::similarity, bool backwards = false)
      : Similarity<double>({.name = "gaussian", .meaning = meaning}), backwards_(backwards) {}
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters() const override { return {}; }

 protected:
  void compute_tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<double> out) const override {
    for (Index a = 0; a < rows.size(); ++a) {
      for (Index b = 0; b < columns.size(); ++b) {
        out(a, b) = kernel(place(rows.ids[a]), place(columns.ids[b]));
      }
    }
  }
  void compute_pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<double> out) const override {
    for (std::size_t a = 0; a < out.size(); ++a) out[a] = kernel(place(first.ids[a]), place(second.ids[a]));
  }

 private:
  [[nodiscard]] Index place(Index row) const { return backwards_ ? n - 1 - row : row; }
  bool backwards_;
};

// Every row but each fifth, which is left out.
KernelRows sample(const std::function<std::int32_t(Index)>& its = class_of) {
  KernelRows rows;
  for (Index i = 0; i < n; ++i) {
    if (i % 5 == 4) continue;
    rows.rows.push_back(i);
    rows.classes.push_back(its(i));
    rows.train.push_back(trained_on(i) ? 1 : 0);
  }
  return rows;
}

// LIBSVM with a kernel of its own on the same points.
std::vector<std::int32_t> by_libsvm(const std::vector<Index>& seen, const std::vector<Index>& asked, double cost) {
  const auto nodes_of = [](Index row) {
    return std::vector<svm_node>{{1, position(row, 0)}, {2, position(row, 1)}, {-1, 0.0}};
  };
  std::vector<std::vector<svm_node>> nodes;
  std::vector<svm_node*> x;
  std::vector<double> y;
  for (const Index row : seen) nodes.push_back(nodes_of(row)), y.push_back(class_of(row));
  for (auto& one : nodes) x.push_back(one.data());
  svm_problem problem{static_cast<int>(x.size()), y.data(), x.data()};
  svm_parameter how{};
  how.svm_type = C_SVC;
  how.kernel_type = RBF;
  how.gamma = 0.7;
  how.cache_size = 10;
  how.eps = tolerance;
  how.C = cost;
  how.shrinking = 1;
  svm_set_print_string_function([](const char*) {});
  svm_model* model = svm_train(&problem, &how);
  std::vector<std::int32_t> predicted;
  for (const Index row : asked)
    predicted.push_back(static_cast<std::int32_t>(svm_predict(model, nodes_of(row).data())));
  svm_free_and_destroy_model(&model);
  return predicted;
}

TEST(KernelSvm, PredictsAsLibSvmDoesWithAKernelOfItsOwn) {
  const test::Context context;
  const NumberedObjects objects(RowPartition(n, world().size()), world().rank());
  const Gaussian similarity;
  const KernelRows rows = sample();
  const KernelSvm machine(context.execution, similarity, objects, rows, names, pairs, "kernel");
  const Index trained = std::ranges::count(rows.train, 1), all = std::ssize(rows.rows);
  EXPECT_EQ(trained * trained, world().sum(similarity.evaluations()));
  std::vector<Index> seen;
  std::vector<std::int32_t> classes;
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    if (rows.train[i] != 0) seen.push_back(rows.rows[i]), classes.push_back(rows.classes[i]);
  }
  const KernelDecisions decided = machine.decide("predict", 2.0);
  EXPECT_EQ(by_libsvm(seen, rows.rows, 2.0), decided.predicted);
  EXPECT_LT(decided.support_vectors, trained);
  const Index needed = trained * trained + (all - trained) * decided.support_vectors;
  EXPECT_EQ(needed, world().sum(similarity.evaluations())) << "of tested rows with support vectors alone";
  EXPECT_EQ(all * all - needed, decided.spared);

  constexpr Index folds = 4;
  const std::vector<double> costs = {0.1, 5.0};
  const auto found = machine.cross_validate("validate", costs, folds, 8);
  const auto fold_of = stratified_folds(classes, seen, folds, 8);
  for (std::size_t k = 0; k < costs.size(); ++k) {
    Confusion expected(static_cast<Index>(names.size()));
    for (std::int32_t fold = 0; fold < folds; ++fold) {
      std::vector<Index> inside, outside;
      for (std::size_t i = 0; i < seen.size(); ++i) (fold_of[i] == fold ? outside : inside).push_back(seen[i]);
      const auto predicted = by_libsvm(inside, outside, costs[k]);
      for (std::size_t i = 0; i < outside.size(); ++i) ++expected.at(class_of(outside[i]), predicted[i]);
    }
    EXPECT_EQ(expected.counts, found[k].confusion.counts);
    EXPECT_GT(found[k].confusion.accuracy(), 0.4);  // three classes: more than chance
  }
}

// LIBSVM with a kernel of its own, one class against the rest: decision values of the rows asked for, and which of
// those seen are support vectors.
std::vector<double> rest_by_libsvm(const std::vector<Index>& seen, const std::vector<Index>& asked, double cost,
                                   std::int32_t its, double weight, std::vector<char>& supports) {
  const auto nodes_of = [](Index row) {
    return std::vector<svm_node>{{1, position(row, 0)}, {2, position(row, 1)}, {-1, 0.0}};
  };
  std::vector<std::vector<svm_node>> nodes;
  std::vector<svm_node*> x;
  std::vector<double> y;
  for (const Index row : seen) nodes.push_back(nodes_of(row)), y.push_back(class_of(row) == its ? 1 : -1);
  for (auto& one : nodes) x.push_back(one.data());
  svm_problem problem{static_cast<int>(x.size()), y.data(), x.data()};
  svm_parameter how{};
  how.svm_type = C_SVC;
  how.kernel_type = RBF;
  how.gamma = 0.7;
  how.cache_size = 10;
  how.eps = tolerance;
  how.C = cost;
  how.shrinking = 1;
  int label = 1;
  how.nr_weight = 1;
  how.weight_label = &label;
  how.weight = &weight;
  svm_model* model = svm_train(&problem, &how);
  for (int v = 0; v < model->l; ++v) supports[model->sv_indices[v] - 1] = 1;
  std::vector<double> values;
  for (const Index row : asked) {
    double value = 0.0;
    svm_predict_values(model, nodes_of(row).data(), &value);
    values.push_back(model->label[0] == 1 ? value : -value);
  }
  svm_free_and_destroy_model(&model);
  return values;
}

TEST(KernelSvm, OneAgainstTheRestGivesDecisionValues) {
  const test::Context context;
  const NumberedObjects objects(RowPartition(n, world().size()), world().rank());
  const Gaussian similarity;
  const KernelRows rows = sample();
  std::vector<Index> seen;
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    if (rows.train[i] != 0) seen.push_back(rows.rows[i]);
  }
  for (const bool balanced : {false, true}) {
    const KernelSvmOptions rest{.tolerance = tolerance, .rest = true, .balanced = balanced};
    const KernelSvm machine(context.execution, similarity, objects, rows, names, rest, balanced ? "balanced" : "rest");
    const KernelDecisions found = machine.decide(balanced ? "decide-balanced" : "decide", 2.0);
    EXPECT_EQ(found.classes, (std::vector<std::int32_t>{0, 1, 2}));
    std::vector<char> supports(seen.size(), 0);
    std::vector<std::vector<double>> expected;
    for (std::int32_t its = 0; its < 3; ++its) {
      const auto own = static_cast<double>(std::ranges::count(seen, its, class_of));
      const double weight = balanced ? (static_cast<double>(seen.size()) - own) / own : 1.0;
      expected.push_back(rest_by_libsvm(seen, rows.rows, 2.0, its, weight, supports));
    }
    EXPECT_EQ(found.support_vectors, std::ranges::count(supports, 1));
    for (std::size_t i = 0; i < rows.rows.size(); ++i) {
      std::int32_t largest = 0;
      for (std::int32_t its = 0; its < 3; ++its) {
        const double value = expected[its][i];
        EXPECT_NEAR(value, found.scores[i * 3 + static_cast<std::size_t>(its)], 1e-4);
        if (value > expected[largest][i] + 1e-4) largest = its;
      }
      EXPECT_EQ(found.predicted[i], largest);
    }
    const auto validated =
        machine.cross_validate(balanced ? "validate-balanced" : "validate-rest", std::vector<double>{2.0}, 4, 8);
    EXPECT_EQ(validated.front().confusion.rows(), static_cast<Index>(seen.size()));
    EXPECT_GT(validated.front().confusion.accuracy(), 0.5);
  }
}

// Of two classes, pairs and the rest are one machine, whose decision values rank; balanced weights are of the last
// class unless it is said.
TEST(KernelSvm, TwoClassesHaveOneMachine) {
  const test::Context context;
  const NumberedObjects objects(RowPartition(n, world().size()), world().rank());
  const Gaussian similarity;
  const KernelRows rows = sample([](Index i) { return class_of(i) == 1 ? 1 : 0; });
  const auto decide = [&](const KernelSvmOptions& options, const std::string& name) {
    return KernelSvm(context.execution, similarity, objects, rows, names, options, name).decide(name + "-decide", 1.0);
  };
  const KernelDecisions first = decide({.tolerance = tolerance}, "pairs"),
                        second = decide({.tolerance = tolerance, .rest = true}, "rest");
  EXPECT_EQ(first.predicted, second.predicted);
  EXPECT_EQ(first.support_vectors, second.support_vectors);
  for (std::size_t k = 0; k < first.scores.size(); ++k) EXPECT_NEAR(first.scores[k], second.scores[k], 1e-9);
  std::vector<Index> seen;
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    if (rows.train[i] != 0) seen.push_back(rows.rows[i]);
  }
  std::vector<char> supports(seen.size(), 0);
  const auto own = static_cast<double>(std::ranges::count(seen, 1, class_of));
  const auto expected =
      rest_by_libsvm(seen, rows.rows, 1.0, 1, (static_cast<double>(seen.size()) - own) / own, supports);
  const KernelDecisions last = decide({.tolerance = tolerance, .rest = true, .balanced = true}, "last"),
                        said = decide({tolerance, true, true, "a"}, "said");
  double difference = 0.0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(last.scores[2 * i + 1], expected[i], 1e-4);
    difference = std::max(difference, std::abs(said.scores[2 * i + 1] - expected[i]));
  }
  EXPECT_GT(difference, 0.05);
}

void expect_error(ErrorKind kind, const char* text, const std::function<void()>& work) {
  test::expect_error(work, kind, {text});
}

// Of three classes each beats one of the others: by 1, .5 and .7.
TEST(PairVotes, OfEqualVotesTheLargerSumWinsInAnyOrderOfTheClasses) {
  const double beats[3][3] = {{0, 1, -0.5}, {-1, 0, 0.7}, {0.5, -0.7, 0}},
               even[3][3] = {{0, 1, -1}, {-1, 0, 1}, {1, -1, 0}};
  std::vector<int> labels = {0, 1, 2};
  do {
    std::vector<double> values, same;
    for (std::size_t a = 0; a < 3; ++a) {
      for (std::size_t b = a + 1; b < 3; ++b) {
        values.push_back(beats[labels[a]][labels[b]]);
        same.push_back(even[labels[a]][labels[b]]);
      }
    }
    const PairVotes counted = count_pair_votes(labels, values);
    EXPECT_THAT(counted.votes, testing::Each(1));
    EXPECT_EQ(0, labels[counted.winner]);
    EXPECT_EQ(0, labels[count_pair_votes(labels, same).winner]);
    values[0] = 3;  // the first of both has two votes or none
    values[1] = 3;
    EXPECT_EQ(0U, count_pair_votes(labels, values).winner);
  } while (std::ranges::next_permutation(labels).found);
}

TEST(KernelSvm, ClassesDoNotDependOnTheOrderOfRows) {
  const test::Context context;
  const NumberedObjects objects(RowPartition(n, world().size()), world().rank());
  const std::vector<std::string> five = {"a", "b", "c", "d", "e"};
  const auto its = [](Index i) { return static_cast<std::int32_t>(i * 7919 % 101 % 5); };  // whatever the position
  const auto decided = [&](bool backwards) {
    KernelRows rows;
    for (Index i = 0; i < n; ++i) {
      const Index at = backwards ? n - 1 - i : i;
      rows.rows.push_back(i);
      rows.classes.push_back(its(at));
      rows.train.push_back(trained_on(at) ? 1 : 0);
    }
    const Gaussian similarity(Meaning::similarity, backwards);
    const KernelSvm machine(context.execution, similarity, objects, rows, five, pairs, backwards ? "back" : "forth");
    return machine.decide(backwards ? "back rows" : "forth rows", 300.0);
  };
  const KernelDecisions forth = decided(false), back = decided(true);
  Index ties = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
    const std::span<const double> votes =
        std::span(forth.scores).subspan(i * forth.classes.size(), forth.classes.size());
    if (std::ranges::count(votes, *std::ranges::max_element(votes)) > 1) ++ties;
    EXPECT_EQ(forth.predicted[i], back.predicted[static_cast<std::size_t>(n) - 1 - i]) << i;
  }
  EXPECT_GE(ties, 5);
}

TEST(KernelSvm, RefusesWhatCannotBeLearned) {
  const test::Context context;
  const NumberedObjects objects(RowPartition(n, world().size()), world().rank());
  const Gaussian similarity, distance(Meaning::distance);
  expect_error(ErrorKind::usage, "no kernel", [&] {
    const KernelSvm machine(context.execution, distance, objects, sample(), names, pairs, "distance");
  });
  expect_error(ErrorKind::input, "have the label 'b'", [&] {
    const KernelSvm machine(context.execution, similarity, objects, sample([](Index) { return 1; }), names, pairs,
                            "one");
  });
  const KernelSvm lone(context.execution, similarity, objects, sample([](Index i) { return i == 3 ? 3 : class_of(i); }),
                       names, pairs, "lone");
  expect_error(ErrorKind::input, "'unused' has one row to train on, row 3",
               [&] { static_cast<void>(lone.cross_validate("validate", std::vector<double>{1.0}, 3, 0)); });
  const KernelSvm machine(context.execution, similarity, objects, sample(), names, pairs, "machine");
  for (const FoldOrder order : {FoldOrder::random, FoldOrder::file}) {
    expect_error(ErrorKind::usage, "parameter folds = 100000 is more than the", [&] {
      static_cast<void>(machine.cross_validate("many", std::vector<double>{1.0}, 100000, 0, order));
    });
  }
  const std::string longer(100, 'u');  // of a list that is gone when the class is named
  const KernelSvm kept(Execution(context.execution), similarity, objects,
                       sample([](Index i) { return i == 3 ? 3 : class_of(i); }),
                       std::vector<std::string>{"a", "b", "c", longer}, pairs, "kept");
  expect_error(ErrorKind::input, ("'" + longer + "' has one row to train on").c_str(),
               [&] { static_cast<void>(kept.cross_validate("kept", std::vector<double>{1.0}, 3, 0)); });
}

}  // namespace
}  // namespace cairn::kernel_svm_test
