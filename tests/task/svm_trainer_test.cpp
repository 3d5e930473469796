#include "cairn/task/classification/svm_trainer.hpp"

#include <gmock/gmock.h>
#include <libsvm/svm.h>
#include <linear.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>

#include "cairn/base/random.hpp"
#include "cairn/task/classification/folds.hpp"
#include "expected_errors.hpp"
#include "test_communicator.hpp"

namespace cairn::svm_trainer_test {
namespace {

using test::world;

constexpr Index n = 150, p = 6;
constexpr std::uint64_t seed = 4711;
const std::vector<std::string> names = {"red", "green", "blue", "unused"};

std::int32_t class_of(Index row) { return static_cast<std::int32_t>(row * 7 % 5 % 3); }

// Clouds that overlap; every third entry is 0.
double entry(Index row, Index column) {
  if ((row + column) % 3 == 0) return 0.0;
  const double noise =
      Random(seed, Stream::test).normal(static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(column));
  return noise + (column % 3 == class_of(row) ? 1.5 : 0.0);
}

Factor<double> dense(const Communicator& communicator) {
  RowBlock<double> rows(RowPartition(n, communicator.size()), communicator.rank(), p);
  for (Index i = rows.range().begin; i < rows.range().end; ++i) {
    for (Index k = 0; k < p; ++k) rows.row(i)[k] = entry(i, k);
  }
  return rows;
}

Factor<double> sparse(const Communicator& communicator) {
  const RowPartition partition(n, communicator.size());
  const Range own = partition.range(communicator.rank());
  std::vector<Index> starts = {0}, indices;
  std::vector<double> values;
  for (Index i = own.begin; i < own.end; ++i) {
    for (Index k = 0; k < p; ++k) {
      if (entry(i, k) == 0.0) continue;
      indices.push_back(k);
      values.push_back(entry(i, k));
    }
    starts.push_back(static_cast<Index>(indices.size()));
  }
  return SparseRows<double>(partition, communicator.rank(), p, std::move(starts), std::move(indices),
                            std::move(values));
}

bool trained_on(Index row) { return row % 4 != 1; }

LabelledRows labelled(const Communicator& communicator, const std::function<std::int32_t(Index)>& its = class_of) {
  LabelledRows rows;
  const Range own = RowPartition(n, communicator.size()).range(communicator.rank());
  for (Index i = own.begin; i < own.end; ++i) {
    if (!trained_on(i)) continue;
    rows.rows.push_back(i);
    rows.classes.push_back(its(i));
  }
  return rows;
}

// LIBLINEAR by itself, all classes at once.
class LibLinear {
 public:
  LibLinear(const std::vector<Index>& rows, double cost, SvmOptions options) {
    for (const Index row : rows) {
      auto& nodes = nodes_.emplace_back();
      for (Index k = 0; k < p; ++k) {
        if (entry(row, k) != 0.0) nodes.push_back({static_cast<int>(k) + 1, entry(row, k)});
      }
      nodes.push_back({static_cast<int>(p) + 1, options.bias});
      nodes.push_back({-1, 0.0});
      y_.push_back(class_of(row));
    }
    for (auto& nodes : nodes_) x_.push_back(nodes.data());
    problem task{static_cast<int>(rows.size()), static_cast<int>(p) + 1, y_.data(), x_.data(), options.bias};
    parameter how{};
    how.solver_type = options.loss == SvmLoss::hinge      ? L2R_L1LOSS_SVC_DUAL
                      : options.loss == SvmLoss::logistic ? L2R_LR_DUAL
                                                          : L2R_L2LOSS_SVC_DUAL;
    how.eps = options.tolerance;
    how.C = cost;
    set_print_string_function([](const char*) {});
    std::srand(1);
    model_ = ::train(&task, &how);
  }
  ~LibLinear() { free_and_destroy_model(&model_); }
  LibLinear(const LibLinear&) = delete;
  LibLinear& operator=(const LibLinear&) = delete;

  [[nodiscard]] double weight(Index column, std::int32_t its) const {
    for (int c = 0; c < model_->nr_class; ++c) {
      if (model_->label[c] == its) return model_->w[column * model_->nr_class + c];
    }
    return NAN;
  }
  [[nodiscard]] std::int32_t predicted(Index row) const {
    std::int32_t best = -1;
    double largest = -INFINITY;
    for (std::int32_t c = 0; c < 3; ++c) {
      double score = weight(p, c);
      for (Index k = 0; k < p; ++k) score += entry(row, k) * weight(k, c);
      if (score > largest) largest = score, best = c;
    }
    return best;
  }

 private:
  std::vector<std::vector<feature_node>> nodes_;
  std::vector<feature_node*> x_;
  std::vector<double> y_;
  model* model_ = nullptr;
};

std::vector<Index> all_trained() {
  std::vector<Index> rows;
  for (Index i = 0; i < n; ++i) {
    if (trained_on(i)) rows.push_back(i);
  }
  return rows;
}

// All losses, on `rows`: more than there are features (Newton's method) or fewer (coordinate descent).
void expect_the_classifier_of_liblinear(const LabelledRows& own, const std::vector<Index>& rows) {
  const test::Context context;
  const Factor<double> left = dense(world());
  for (const SvmLoss loss : {SvmLoss::squared_hinge, SvmLoss::hinge, SvmLoss::logistic}) {
    const SvmOptions options{loss, 1.0, 1e-8};
    const double cost =
        loss == SvmLoss::hinge ? 0.01 : 0.5;  // with larger ones hinge takes more than LIBLINEAR's passes
    const SvmTrainer<double> trainer(context.execution, left, own, names, options);
    const LinearClassifier found = trainer.train("train", cost);
    const LibLinear reference(rows, cost, options);
    EXPECT_THAT(found.classes, testing::ElementsAre(0, 1, 2));
    for (Index k = 0; k < p; ++k) {
      for (std::size_t c = 0; c < 3; ++c) {
        EXPECT_NEAR(reference.weight(k, static_cast<std::int32_t>(c)),
                    found.coefficients[static_cast<std::size_t>(k) * 3 + c], 1e-5);
      }
    }
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_NEAR(reference.weight(p, static_cast<std::int32_t>(c)), found.intercepts[c], 1e-5);
    }
    EXPECT_EQ(0, found.stopped);
  }
}

TEST(SvmTrainer, FindsTheClassifierOfLibLinearAlone) {
  expect_the_classifier_of_liblinear(labelled(world()), all_trained());
  LabelledRows few = labelled(world());
  const auto end = std::lower_bound(few.rows.begin(), few.rows.end(), p + 1);
  few.rows.erase(end, few.rows.end());
  few.classes.resize(few.rows.size());
  expect_the_classifier_of_liblinear(few, {0, 2, 3, 4, 6});
}

// LIBSVM by itself on all classes, which it takes by pairs.
TEST(SvmTrainer, FindsByPairsWhatLibSvmPredicts) {
  const std::vector<Index> rows = all_trained();
  std::vector<std::vector<svm_node>> nodes;
  for (Index row = 0; row < n; ++row) {
    auto& own = nodes.emplace_back();
    for (Index k = 0; k < p; ++k) {
      if (entry(row, k) != 0.0) own.push_back({static_cast<int>(k) + 1, entry(row, k)});
    }
    own.push_back({-1, 0.0});
  }
  std::vector<svm_node*> x;
  std::vector<double> y;
  for (const Index row : rows) {
    x.push_back(nodes[row].data());
    y.push_back(class_of(row));
  }
  svm_problem problem{static_cast<int>(x.size()), y.data(), x.data()};
  svm_parameter how{};
  how.svm_type = C_SVC;
  how.kernel_type = LINEAR;
  how.cache_size = 10;
  how.eps = 1e-6;
  how.C = 2.0;
  svm_set_print_string_function([](const char*) {});
  svm_model* reference = svm_train(&problem, &how);

  const test::Context context;
  SvmOptions options{SvmLoss::hinge, 0.0, 1e-6};
  options.pairs = true;
  for (const bool few : {false, true}) {
    const Factor<double> left = few ? sparse(world()) : dense(world());
    const SvmTrainer<double> trainer(context.execution, left, labelled(world()), names, options);
    const LinearClassifier found = trainer.train("train", 2.0);
    EXPECT_EQ(found.planes(), 3U);
    std::vector<Index> own;
    for (Index i = left.range().begin; i < left.range().end; ++i) own.push_back(i);
    const std::vector<double> scores = class_scores(context.execution, left, found, own);
    const std::vector<std::int32_t> predicted = largest_classes(found, scores);
    for (std::size_t k = 0; k < own.size(); ++k) {
      const double expected = svm_predict(reference, nodes[own[k]].data());
      EXPECT_EQ(predicted[k], std::lround(expected)) << "row " << own[k];
      EXPECT_EQ(scores[3 * k] + scores[3 * k + 1] + scores[3 * k + 2], 3.0);  // votes
    }
  }
  svm_free_and_destroy_model(&reference);
}

TEST(SvmTrainer, TakesFoldsInTheOrderOfTheFile) {
  EXPECT_THAT(consecutive_folds(7, 3), testing::ElementsAre(0, 0, 0, 1, 1, 2, 2));
  const test::Context context;
  const Factor<double> left = dense(world());
  const SvmTrainer<double> trainer(context.execution, left, labelled(world()), names, {});
  const std::vector<double> costs = {1.0};
  const ValidatedCost found = trainer.cross_validate("file", costs, 4, 1, FoldOrder::file).front();
  // The same by hand: without the rows of a fold, then on them.
  const std::vector<Index> rows = all_trained();
  const std::vector<std::int32_t> folds = consecutive_folds(rows.size(), 4);
  Index right = 0;
  for (std::int32_t fold = 0; fold < 4; ++fold) {
    LabelledRows others;
    std::vector<Index> tested;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      if (!left.range().contains(rows[k])) continue;
      if (folds[k] == fold) {
        tested.push_back(rows[k]);
      } else {
        others.rows.push_back(rows[k]);
        others.classes.push_back(class_of(rows[k]));
      }
    }
    const SvmTrainer<double> part(context.execution, left, others, names, {});
    const LinearClassifier classifier = part.train("part", 1.0);
    const auto predicted = largest_classes(classifier, class_scores(context.execution, left, classifier, tested));
    for (std::size_t k = 0; k < tested.size(); ++k) right += predicted[k] == class_of(tested[k]) ? 1 : 0;
  }
  EXPECT_NEAR(found.confusion.accuracy() * static_cast<double>(rows.size()), static_cast<double>(world().sum(right)),
              1e-9);
  const SvmTrainer<double> sorted(
      context.execution, left, labelled(world(), [](Index row) { return row < n / 2       ? 0
                                                                        : row < n * 3 / 4 ? 1
                                                                                          : 2; }),
      names, {});
  test::expect_error([&] { static_cast<void>(sorted.cross_validate("sorted", costs, 2, 1, FoldOrder::file)); },
                     ErrorKind::input, {"all rows of the class", "in one fold"});
}

TEST(SvmTrainer, CountsPlanesThatLibLinearDidNotFinish) {
  const test::Context context;
  const Factor<double> left = dense(world());
  const SvmTrainer<double> hinge(context.execution, left, labelled(world()), names, {SvmLoss::hinge, 1.0, 1e-8});
  EXPECT_EQ(3, hinge.train("train", 1e4).stopped);
  const SvmTrainer<double> squared(context.execution, left, labelled(world()), names,
                                   {SvmLoss::squared_hinge, 1.0, 1e-8});
  EXPECT_EQ(0, squared.train("train", 1e4).stopped);
}

// To the last bit: jobs are the same wherever they run.
TEST(SvmTrainer, DoesNotDependOnTheNumberOfRanks) {
  const test::Context context;
  const Communicator self(MPI_COMM_SELF);
  const test::Context alone(self);
  const Factor<double> left = dense(world()), whole = dense(self), few = sparse(world());
  const SvmTrainer<double> trainer(context.execution, left, labelled(world()), names, {});
  const SvmTrainer<double> single(alone.execution, whole, labelled(self), names, {});
  const SvmTrainer<double> thin(context.execution, few, labelled(world()), names, {});
  const LinearClassifier expected = single.train("train", 10.0);
  for (const auto* one : {&trainer, &thin}) {
    const LinearClassifier found = one->train("train", 10.0);
    EXPECT_EQ(expected.coefficients, found.coefficients);
    EXPECT_EQ(expected.intercepts, found.intercepts);
    const std::vector<double> costs = {0.01, 1.0, 100.0};
    const auto a = single.cross_validate("validate", costs, 4, 9), b = one->cross_validate("validate", costs, 4, 9);
    for (std::size_t k = 0; k < costs.size(); ++k) {
      EXPECT_EQ(costs[k], b[k].cost);
      EXPECT_EQ(a[k].confusion.counts, b[k].confusion.counts);
    }
  }
}

TEST(SvmTrainer, ValidatesEveryRowByTheModelThatDidNotSeeIt) {
  const test::Context context;
  const Factor<double> left = dense(world());
  const SvmOptions options{SvmLoss::squared_hinge, 1.0, 1e-8};
  const SvmTrainer<double> trainer(context.execution, left, labelled(world()), names, options);
  const std::vector<double> costs = {0.02, 2.0};
  constexpr Index folds = 5;
  const auto found = trainer.cross_validate("validate", costs, folds, 3);
  const std::vector<Index> rows = all_trained();
  std::vector<std::int32_t> classes;
  for (const Index row : rows) classes.push_back(class_of(row));
  const auto fold_of = stratified_folds(classes, rows, folds, 3);
  for (std::size_t k = 0; k < costs.size(); ++k) {
    Confusion expected(static_cast<Index>(names.size()));
    for (std::int32_t fold = 0; fold < folds; ++fold) {
      std::vector<Index> seen;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (fold_of[i] != fold) seen.push_back(rows[i]);
      }
      const LibLinear reference(seen, costs[k], options);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (fold_of[i] == fold) ++expected.at(classes[i], reference.predicted(rows[i]));
      }
    }
    EXPECT_EQ(expected.counts, found[k].confusion.counts);
    EXPECT_GT(found[k].confusion.accuracy(), 0.6);
  }
}

TEST(SvmTrainer, TakesOnePlaneForTwoClasses) {
  const test::Context context;
  const Factor<double> left = dense(world());
  const auto two = [](Index row) { return class_of(row) == 1 ? 3 : 0; };
  const SvmTrainer<double> trainer(context.execution, left, labelled(world(), two), names, {});
  const LinearClassifier found = trainer.train("train", 1.0);
  EXPECT_THAT(found.classes, testing::ElementsAre(0, 3));
  for (std::size_t k = 0; k < static_cast<std::size_t>(p); ++k) {
    EXPECT_EQ(found.coefficients[2 * k], -found.coefficients[2 * k + 1]);
  }
  EXPECT_EQ(found.intercepts[0], -found.intercepts[1]);
  const auto scores = class_scores(context.execution, left, found, labelled(world()).rows);
  const auto classes = largest_classes(found, scores);
  for (std::size_t i = 0; i < classes.size(); ++i) EXPECT_EQ(scores[2 * i] >= scores[2 * i + 1] ? 0 : 3, classes[i]);
}

TEST(SvmTrainer, NamesClassesThatCannotBeLearned) {
  const test::Context context;
  const Factor<double> left = dense(world());
  const auto refused = [](const char* text, const auto& work) { test::expect_error(work, ErrorKind::input, {text}); };
  refused("have the label 'blue'", [&] {
    const SvmTrainer<double> one(context.execution, left, labelled(world(), [](Index) { return 2; }), names, {});
  });
  refused("no labelled row", [&] { const SvmTrainer<double> none(context.execution, left, {}, names, {}); });
  const SvmTrainer<double> lone(context.execution, left,
                                labelled(world(), [](Index row) { return row == 98 ? 3 : class_of(row); }), names, {});
  refused("'unused' has one row to train on, row 98",
          [&] { static_cast<void>(lone.cross_validate("validate", std::vector<double>{1.0}, 3, 0)); });
  EXPECT_EQ(4U, lone.train("train", 1.0).classes.size());
  const std::string longer(100, 'u');  // of a list that is gone when the class is named
  const SvmTrainer<double> kept(Execution(context.execution), left,
                                labelled(world(), [](Index row) { return row == 98 ? 3 : class_of(row); }),
                                std::vector<std::string>{"red", "green", "blue", longer}, {});
  refused(("'" + longer + "' has one row to train on").c_str(),
          [&] { static_cast<void>(kept.cross_validate("kept", std::vector<double>{1.0}, 3, 0)); });
  const LabelledRows few = labelled(world(), class_of);
  const Index rows = world().sum(std::ssize(few.rows));
  const SvmTrainer<double> trainer(context.execution, left, few, names, {});
  for (const FoldOrder order : {FoldOrder::random, FoldOrder::file}) {
    test::expect_error(
        [&] { static_cast<void>(trainer.cross_validate("many", std::vector<double>{1.0}, rows + 1, 0, order)); },
        ErrorKind::usage, {"parameter folds", "is more than the"});
  }
  EXPECT_THAT(fold_notices(names, lone.sizes(), 3), testing::ElementsAre(testing::HasSubstr("'unused' has 1 rows")));
}

}  // namespace
}  // namespace cairn::svm_trainer_test
