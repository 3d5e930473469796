// Regression on centers against the normal equations in plain loops, and against ridge regression on stored factors.
#include "cairn/task/regression/centers/center_regression.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <numeric>

#include "../approximation/method_run.hpp"
#include "cairn/task/regression/centers/center_tiles.hpp"
#include "expected_errors.hpp"

namespace cairn::center_regression_test {
namespace {

using test::Context;
using test::Dense;
using test::dense;
using test::EntryFunction;
using test::FunctionSimilarity;
using test::world;

constexpr Index q = 2;

double wave(Index i, Index t) { return std::cos(0.13 * static_cast<double>(i * (t + 1))) + static_cast<double>(t); }

// Rows whose distances are below, at and above the gap that a tile skips.
std::vector<Index> some_rows(Index n) {
  std::vector<Index> rows;
  for (Index i = 0; i < n; ++i) {
    if (i % 200 < 110 && i % 5 != 3) rows.push_back(i);
  }
  return rows;
}

std::vector<Index> every_row(Index n) {
  std::vector<Index> rows(static_cast<std::size_t>(n));
  std::iota(rows.begin(), rows.end(), Index{0});
  return rows;
}

std::vector<Index> own_rows(Index n, const std::vector<Index>& rows) {
  const Range own = RowPartition(n, world().size()).range(world().rank());
  std::vector<Index> mine;
  for (const Index i : rows) {
    if (own.contains(i)) mine.push_back(i);
  }
  return mine;
}

TrainingSet training_on(Index n, const std::vector<Index>& rows) {
  TrainingSet set{own_rows(n, rows), {}, q};
  for (const Index i : set.rows) {
    for (Index t = 0; t < q; ++t) set.values.push_back(wave(i, t));
  }
  return set;
}

std::vector<Index> center_numbers(Index n, Index m) {
  std::vector<Index> centers;
  for (Index k = 0; k < m; ++k) centers.push_back(((k * 37 + 5) * (n / 100 + 1)) % n);
  return centers;
}

// Predictions at all rows by (CᵀC + lambda W) beta = Cᵀ (Y - means).
Dense by_elimination(const EntryFunction& entry, Index n, const std::vector<Index>& rows,
                     const std::vector<Index>& centers, double lambda, bool intercept) {
  const Index m = std::ssize(centers), count = std::ssize(rows);
  const Dense c = dense(count, m, [&](Index i, Index k) { return entry(rows[i], centers[k]); });
  const Dense w = dense(m, m, [&](Index a, Index b) { return entry(centers[a], centers[b]); });
  std::vector<double> means(q, 0.0);
  for (Index t = 0; intercept && t < q; ++t) {
    for (const Index i : rows) means[t] += wave(i, t) / static_cast<double>(count);
  }
  const Dense y = dense(count, q, [&](Index i, Index t) { return wave(rows[i], t) - means[t]; });
  Dense system = test::product(test::transposed(c), c);
  for (std::size_t e = 0; e < system.values.size(); ++e) system.values[e] += lambda * w.values[e];
  const Dense beta = test::product(test::inverse(system), test::product(test::transposed(c), y));
  const Dense all = dense(n, m, [&](Index i, Index k) { return entry(i, centers[k]); });
  Dense predicted = test::product(all, beta);
  for (Index i = 0; i < n; ++i) {
    for (Index t = 0; t < q; ++t) predicted(i, t) += means[t];
  }
  return predicted;
}

// Predictions of a model at all rows, replicated.
template <class T>
Dense predicted_by(const Execution& execution, const Similarity<T>& similarity, const ObjectSet& objects,
                   const CenterModel& model) {
  const std::vector<Index> own = own_rows(objects.size(), every_row(objects.size()));
  return {objects.size(), q,
          world().all_gather(predict_by_centers(execution, similarity, objects,
                                                objects.gather(execution.communicator, model.centers),
                                                model.coefficients, model.intercepts, q, own))};
}

template <class T = double>
struct Trial {
  Index n = 0;
  EntryFunction entry;
  std::vector<Index> rows, centers;
  CenterOptions options;
  int threads = 1;
  CenterModel model{};
  Index evaluations = 0;

  Dense predict() {
    Context context(world(), 5);
    Execution execution = {world(), context.phases, context.ledger, threads, 5};
    const FunctionSimilarity<T> similarity(entry);
    const NumberedObjects objects(RowPartition(n, world().size()), world().rank());
    model = fit_centers<T>(execution, similarity, objects, centers, training_on(n, rows), options);
    evaluations = world().sum(similarity.evaluations());
    return predicted_by<T>(execution, similarity, objects, model);
  }
};

EntryFunction near_kernel(Index n) { return test::rbf(test::TestPoints(n, 3), 1.5); }

CenterOptions with(CenterSolver solver, std::vector<double> lambdas, bool intercept = true) {
  return {.lambdas = std::move(lambdas), .intercept = intercept, .solver = solver, .target_residual = 1e-11};
}

class BothSolvers : public testing::TestWithParam<CenterSolver> {};
INSTANTIATE_TEST_SUITE_P(Solvers, BothSolvers, testing::Values(CenterSolver::direct, CenterSolver::iterative));

TEST_P(BothSolvers, SolveTheNormalEquations) {
  constexpr Index n = 400, m = 21;
  for (const bool intercept : {true, false}) {
    for (const std::vector<Index>& rows : {every_row(n), some_rows(n)}) {
      for (const double lambda : {0.05, 2.0}) {
        Trial<> trial{n, near_kernel(n), rows, center_numbers(n, m), with(GetParam(), {lambda}, intercept)};
        const Dense expected = by_elimination(trial.entry, n, rows, trial.centers, lambda, intercept);
        EXPECT_LT(test::difference(trial.predict(), expected), 1e-9) << rows.size() << ", " << lambda;
        EXPECT_EQ(trial.model.solver, GetParam());
        EXPECT_EQ(trial.model.intercepts.empty(), !intercept);
      }
    }
  }
}

// More rows than a tile has, and more centers than a panel of the sums, on several threads.
TEST_P(BothSolvers, TakeManyTiles) {
  constexpr Index n = 2600, m = 150;
  CAIRN_UP_TO_RANKS(2);
  for (const int threads : {1, 3}) {
    Trial<> trial{n, near_kernel(n), every_row(n), center_numbers(n, m), with(GetParam(), {0.5}), threads};
    const Dense expected = by_elimination(trial.entry, n, trial.rows, trial.centers, 0.5, true);
    EXPECT_LT(test::difference(trial.predict(), expected), 1e-8) << threads;
  }
}

// More centers than a tile multiplies at once, with few and with many vectors.
TEST(CenterTiles, MultiplyPartsOfTheCenters) {
  constexpr Index n = 2300, m = 2100;
  CAIRN_UP_TO_RANKS(2);
  const EntryFunction entry = near_kernel(n);
  Context context(world(), 5);
  const FunctionSimilarity<double> similarity(entry);
  const NumberedObjects objects(RowPartition(n, world().size()), world().rank());
  std::vector<Index> centers = every_row(m), rows = some_rows(n);
  std::ranges::reverse(centers);
  std::erase_if(rows, [](Index i) { return i % 1000 > 230; });
  const CenterTiles<double> tiles(context.execution, similarity, objects, centers);
  const std::vector<Index> own = own_rows(n, rows);
  const Dense c = dense(std::ssize(rows), m, [&](Index i, Index k) { return entry(rows[i], centers[k]); });
  const Dense w = dense(m, m, [&](Index a, Index b) { return entry(centers[a], centers[b]); });
  for (const Index columns : {1, 9}) {
    const Dense v = dense(m, columns, [](Index k, Index t) { return wave(k, t); });
    const MatrixView<const double> view(v.values.data(), m, columns);
    const Dense product = test::product(c, v);
    const std::vector<double> mine = tiles.times(own, view);
    EXPECT_LT(test::difference({std::ssize(rows), columns, world().all_gather(mine)}, product), 1e-9);
    Dense both = test::product(test::transposed(c), product);
    EXPECT_LT(
        test::difference({m, columns, tiles.transposed_times(own, {mine.data(), std::ssize(own), columns})}, both),
        1e-7);
    const Dense among = test::product(w, v);
    for (std::size_t e = 0; e < both.values.size(); ++e) both.values[e] += 0.5 * among.values[e];
    const std::vector<double> ridges(static_cast<std::size_t>(columns), 0.5);
    EXPECT_LT(test::difference({m, columns, tiles.normal_times(own, view, ridges)}, both), 1e-7) << columns;
  }
}

// The pass itself takes each pair once; K among the centers and the predictions come beside it.
TEST(CenterRegression, PassesOverTheRowsOnce) {
  constexpr Index n = 400, m = 21;
  Trial<> trial{n, near_kernel(n), every_row(n), center_numbers(n, m), with(CenterSolver::direct, {0.5})};
  (void)trial.predict();
  EXPECT_EQ(trial.evaluations, n * m + m * m);
}

TEST_P(BothSolvers, PredictWhatStoredFactorsDo) {
  constexpr Index n = 300, m = 40;
  const EntryFunction entry = test::rbf(test::TestPoints(n, 4), 0.3);
  const test::Outcome<double> stored = test::run({entry, n, m}, test::MethodChoice("nystrom"));
  Context context;
  for (const std::vector<Index>& rows : {every_row(n), some_rows(n)}) {
    RidgeTrainer trainer(context.execution, training_on(n, rows), {.lambdas = {0.3}, .intercept = true});
    const RidgeModel ridge = trainer.train(stored.approximation);
    const std::vector<Index> own = own_rows(n, every_row(n));
    std::vector<double> values = predict(context.execution, stored.approximation.left, ridge.coefficients, q, own);
    add_intercepts(values, ridge.intercepts);
    Trial<> trial{n, entry, rows, stored.landmarks, with(GetParam(), {0.3})};
    EXPECT_LT(test::difference(trial.predict(), {n, q, world().all_gather(values)}), 1e-8);
    if (GetParam() == CenterSolver::iterative) continue;
    EXPECT_NEAR(trial.model.largest_eigenvalue, ridge.largest_eigenvalue, 1e-8 * ridge.largest_eigenvalue);
    EXPECT_NEAR(trial.model.candidates.front().degrees_of_freedom, ridge.candidates.front().degrees_of_freedom, 1e-6);
    EXPECT_NEAR(trial.model.candidates.front().condition / ridge.candidates.front().condition, 1.0, 1e-8);
  }
}

TEST_P(BothSolvers, ChooseAmongLambdasOnATenthOfTheRows) {
  constexpr Index n = 700, m = 30;
  const std::vector<double> lambdas = {1e-3, 0.1, 10.0, 1000.0};
  Trial<> trial{n, near_kernel(n), every_row(n), center_numbers(n, m), with(GetParam(), lambdas)};
  const Dense chosen = trial.predict();
  const CenterModel& model = trial.model;
  ASSERT_EQ(model.candidates.size(), lambdas.size());
  EXPECT_GT(model.chosen_rows, n / 20);
  EXPECT_LT(model.chosen_rows, n / 6);
  const auto missed = [&](std::size_t k) {
    double sum = 0.0;
    for (const RegressionScore& score : model.candidates[k].held_out) {
      EXPECT_EQ(score.rows, model.chosen_rows);
      sum += score.squared_error / score.squared_deviation;
    }
    return sum;
  };
  for (std::size_t k = 0; k < lambdas.size(); ++k) EXPECT_LE(missed(model.chosen), missed(k)) << lambdas[k];
  EXPECT_EQ(model.lambda, lambdas[model.chosen]);
  // The model is that of all rows with this lambda.
  EXPECT_LT(test::difference(chosen, by_elimination(trial.entry, n, trial.rows, trial.centers, model.lambda, true)),
            1e-8);
  // The scores are those of models on the other rows.
  const Random random(5, Stream::held_out_rows);
  std::vector<Index> others, tenth;
  for (Index i = 0; i < n; ++i) {
    (random.uniform(static_cast<std::uint64_t>(i), 1) < 0.1 ? tenth : others).push_back(i);
  }
  for (std::size_t k = 0; k < lambdas.size(); ++k) {
    const Dense values = by_elimination(trial.entry, n, others, trial.centers, lambdas[k], true);
    double squares = 0.0;
    for (const Index i : tenth) squares += std::pow(values(i, 0) - wave(i, 0), 2);
    EXPECT_NEAR(model.candidates[k].held_out.front().squared_error / squares, 1.0, 1e-7) << lambdas[k];
  }
}

// Rows that are not trained on choose, and the model stays that of the training rows.
TEST_P(BothSolvers, ChooseAmongLambdasOnGivenRows) {
  constexpr Index n = 500, m = 30;
  std::vector<Index> rows, others;
  for (Index i = 0; i < n; ++i) (i % 7 == 0 ? others : rows).push_back(i);
  const TrainingSet choosing = training_on(n, others);
  Trial<> trial{n, near_kernel(n), rows, center_numbers(n, m), with(GetParam(), {1e-3, 1.0, 1000.0})};
  trial.options.choosing = &choosing;
  const Dense chosen = trial.predict();
  EXPECT_EQ(trial.model.chosen_rows, std::ssize(others));
  for (const CenterCandidate& candidate : trial.model.candidates) {
    const Dense values = by_elimination(trial.entry, n, rows, trial.centers, candidate.lambda, true);
    double squares = 0.0;
    for (const Index i : others) squares += std::pow(values(i, 1) - wave(i, 1), 2);
    EXPECT_NEAR(candidate.held_out.back().squared_error / squares, 1.0, 1e-7) << candidate.lambda;
    if (candidate.lambda == trial.model.lambda) EXPECT_LT(test::difference(chosen, values), 1e-8);
  }
}

TEST_P(BothSolvers, TakeDuplicatesAmongTheCenters) {
  constexpr Index n = 300, m = 25;
  Trial<> trial{n, near_kernel(n), every_row(n), center_numbers(n, m), with(GetParam(), {0.2})};
  const Dense expected = by_elimination(trial.entry, n, trial.rows, trial.centers, 0.2, true);
  for (const Index k : {3, 4, 11}) trial.centers.push_back(trial.centers[static_cast<std::size_t>(k)]);
  EXPECT_LT(test::difference(trial.predict(), expected), 1e-8);
}

TEST_P(BothSolvers, TakeSinglePrecision) {
  constexpr Index n = 600, m = 40;
  Trial<float> trial{n, near_kernel(n), every_row(n), center_numbers(n, m), with(GetParam(), {0.5})};
  trial.options.target_residual = 1e-5;
  EXPECT_LT(test::difference(trial.predict(), by_elimination(trial.entry, n, trial.rows, trial.centers, 0.5, true)),
            1e-4);
}

// A smooth kernel, whose rounded entries among the centers are no longer definite.
TEST(CenterRegression, IteratesInSinglePrecisionOnASmoothKernel) {
  constexpr Index n = 600, m = 200;
  const EntryFunction entry = [](Index i, Index j) {
    return std::exp(-20.0 * std::pow(static_cast<double>(i - j) / static_cast<double>(n), 2));
  };
  Trial<float> trial{n, entry, every_row(n), center_numbers(n, m), with(CenterSolver::iterative, {0.1})};
  trial.options.target_residual = 1e-4;
  const Dense found = trial.predict();
  EXPECT_LT(trial.model.residual, 2e-4);
  EXPECT_TRUE(trial.model.warnings.empty());
  trial.options.solver = CenterSolver::direct;
  EXPECT_LT(test::difference(found, trial.predict()), 3e-3);
}

// More is added to its diagonal than rounding takes, and that is said.
TEST(CenterRegression, WarnsOfAKernelThatIsALittleIndefinite) {
  constexpr Index n = 600, m = 200;
  const EntryFunction entry = [](Index i, Index j) {
    return std::exp(-20.0 * std::pow(static_cast<double>(i - j) / static_cast<double>(n), 2)) - (i == j ? 2e-4 : 0.0);
  };
  Trial<float> trial{n, entry, every_row(n), center_numbers(n, m), with(CenterSolver::iterative, {0.1})};
  trial.options.target_residual = 1e-3;
  (void)trial.predict();
  EXPECT_THAT(trial.model.warnings, testing::Contains(testing::HasSubstr("negative eigenvalues beyond what rounding")));
}

// One of several lambdas that takes more iterations than are made is left out, and does not choose.
TEST(CenterRegression, LeavesOutALambdaThatDoesNotConverge) {
  constexpr Index n = 500, m = 120;
  Trial<> trial{n, near_kernel(n), every_row(n), center_numbers(n, m), with(CenterSolver::iterative, {1e-7, 10.0})};
  trial.options.most_iterations = 12;
  trial.options.target_residual = 1e-8;
  const Dense found = trial.predict();
  EXPECT_TRUE(trial.model.candidates.front().singular);
  EXPECT_EQ(trial.model.lambda, 10.0);
  EXPECT_LT(trial.model.residual, 2e-8);
  EXPECT_LT(test::difference(found, by_elimination(trial.entry, n, trial.rows, trial.centers, 10.0, true)), 1e-6);
  ASSERT_EQ(trial.model.warnings.size(), 1U);
  EXPECT_NE(trial.model.warnings.front().find("lambda = 1e-07: conjugate gradients reach"), std::string::npos);
}

// K of one center differs from 0 on the diagonal only as far as rounding is concerned: products in single precision.
TEST(CenterRegression, MultipliesInSinglePrecisionWhereRoundingIsSmall) {
  constexpr Index n = 600, m = 40;
  const EntryFunction entry = [](Index i, Index j) {
    return i == j ? 1.0 : 0.02 * std::cos(static_cast<double>(i - j));
  };
  Trial<float> trial{n, entry, every_row(n), center_numbers(n, m), with(CenterSolver::direct, {10.0})};
  EXPECT_LT(test::difference(trial.predict(), by_elimination(entry, n, trial.rows, trial.centers, 10.0, true)), 1e-5);
  EXPECT_FALSE(trial.model.wide_products);
  trial.options.lambdas = {1e-4};
  (void)trial.predict();
  EXPECT_TRUE(trial.model.wide_products);
}

// tanh of inner products; K among the centers has negative eigenvalues.
TEST(CenterRegression, OfAnIndefiniteKernelIsDirect) {
  constexpr Index n = 200, m = 12;
  const test::TestPoints points(n, 3);
  const EntryFunction entry = [&](Index i, Index j) { return std::tanh(0.6 * points.dot(i, j) - 0.3); };
  Trial<> trial{n, entry, every_row(n), center_numbers(n, m), with(CenterSolver::direct, {40.0})};
  EXPECT_LT(test::difference(trial.predict(), by_elimination(entry, n, trial.rows, trial.centers, 40.0, true)), 1e-8);
  EXPECT_GT(trial.model.negative_eigenvalues, 0);
  trial.options.solver = CenterSolver::iterative;
  test::expect_error([&] { (void)trial.predict(); }, ErrorKind::numeric, {"not positive semidefinite"});
}

TEST(CenterRegression, FewCentersAreSolvedForDirectly) {
  constexpr Index n = 200, m = 10;
  Trial<> trial{n, near_kernel(n), every_row(n), center_numbers(n, m), with(CenterSolver::automatic, {0.5})};
  (void)trial.predict();
  EXPECT_EQ(trial.model.solver, CenterSolver::direct);
}

TEST(CenterRegression, SaysWhatItCannotDo) {
  constexpr Index n = 200, m = 10;
  Trial<> trial{n, near_kernel(n), every_row(n), center_numbers(n, m), with(CenterSolver::direct, {0.0})};
  const auto run = [&] { (void)trial.predict(); };
  test::expect_error(run, ErrorKind::usage, {"lambda must be above 0, not 0"});
  trial.options.lambdas = {1e-30};
  test::expect_error(run, ErrorKind::numeric, {"singular to working precision for lambda = 1e-30"});
  trial.options.lambdas = {0.5};
  trial.options.memory.bytes = 1;
  test::expect_error(run, ErrorKind::resource, {"10 centers take"});
  trial.options.memory.bytes = 0;
  trial.options.solver = CenterSolver::iterative;
  trial.options.target_residual = 1e-40;
  trial.options.most_iterations = 30;
  test::expect_error(run, ErrorKind::numeric, {"lambda = 0.5: conjugate gradients reach"});
  trial.rows.clear();
  test::expect_error(run, ErrorKind::input, {"there is no row to train on"});
  trial.rows = {4};
  trial.options.lambdas = {0.5, 1.0};
  test::expect_error(run, ErrorKind::input, {"1 training rows are too few to choose"});
  trial.centers.clear();
  test::expect_error(run, ErrorKind::input, {"there are no centers"});
}

// One lambda is too small for working precision, and the other one is taken.
TEST(CenterRegression, SkipsASingularLambda) {
  constexpr Index n = 400, m = 10;
  Trial<> trial{n, near_kernel(n), every_row(n), center_numbers(n, m), with(CenterSolver::direct, {1e-30, 0.5})};
  (void)trial.predict();
  EXPECT_EQ(trial.model.lambda, 0.5);
  EXPECT_TRUE(trial.model.candidates.front().singular);
  EXPECT_THAT(trial.model.warnings, testing::Contains(testing::HasSubstr("lambda = 1e-30 is skipped")));
}

}  // namespace
}  // namespace cairn::center_regression_test
