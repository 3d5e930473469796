// Kernel ridge regression through factors against (lambda I + K~)⁻¹ Y by elimination.
#include <gmock/gmock.h>

#include <cmath>

#include "cairn/approximation/factor_digest.hpp"
#include "expected_errors.hpp"
#include "ridge_cases.hpp"

extern "C" void dsyev_(const char*, const char*, const int*, double*, const int*, double*, double*, const int*, int*);

namespace cairn::kernel_ridge_test {
namespace {

using namespace test::ridge;
using test::Context;
using test::Dense;
using test::dense;
using test::world;

class KernelRidge : public testing::TestWithParam<Kind> {};
INSTANTIATE_TEST_SUITE_P(Kinds, KernelRidge,
                         testing::Values(Kind::identity, Kind::signs, Kind::values, Kind::core_matrix, Kind::tiles));

// All rows, more of them than landmarks, and fewer: then the Gram matrix is singular.
TEST_P(KernelRidge, PredictsWhatTheDenseSystemDoes) {
  for (const std::vector<Index>& rows : {every(1), every(2, 1), every(9)}) {
    const auto approximation = make(GetParam());
    const RidgeModel model = train(approximation, rows, {.lambdas = {0.7}});
    EXPECT_LT(test::difference(predicted(approximation, model), reference(kernel(GetParam()), rows, 0.7)), 1e-10)
        << rows.size();
  }
}

TEST_P(KernelRidge, TakesSinglePrecisionFactors) {
  const auto approximation = make<float>(GetParam());
  const RidgeModel model = train(approximation, every(2), {.lambdas = {0.7}});
  EXPECT_LT(test::difference(predicted(approximation, model), reference(kernel(GetParam()), every(2), 0.7)), 2e-3);
}

// A column of L in other units, and J with it: K~ is the same.
TEST(KernelRidge, ColumnsOfSparseFactorsMayHaveAnyUnits) {
  for (const double unit : {std::ldexp(1.0, 40), std::ldexp(1.0, -40)}) {
    auto approximation = make(Kind::tiles);
    const SparseRows<double> left = std::move(approximation.left.sparse());
    std::vector<double> values(left.values().begin(), left.values().end());
    for (std::size_t e = 0; e < values.size(); ++e) values[e] *= left.indices()[e] == 4 ? unit : 1.0;
    approximation.left =
        SparseRows<double>(left.partition(), world().rank(), l, left.starts(), left.indices(), std::move(values));
    SymmetricTiles tiles(l, 5, TileNumber::float64, world().size(), world().rank());
    const auto scale = [&](Index k) { return k == 4 ? 1.0 / unit : 1.0; };
    for (Index tile = world().rank(); tile < tiles.tiles(); tile += world().size()) {
      const auto at = tiles.place(tile);
      const Dense entries = dense(at.rows.size(), at.columns.size(), [&](Index i, Index j) {
        const Index a = at.rows.begin + i, b = at.columns.begin + j;
        return scale(a) * core_entry(a, b) * scale(b);
      });
      tiles.store(tile, {entries.values.data(), entries.rows, entries.columns});
    }
    approximation.core_matrix = TiledCore{std::move(tiles)};
    const RidgeModel model = train(approximation, every(2), {.lambdas = {0.7}});
    EXPECT_LT(test::difference(predicted(approximation, model), reference(kernel(Kind::tiles), every(2), 0.7)), 1e-10);
  }
}

// Of targets that the kernel can give the smaller lambda has the better score; by 1e-9 that is no reason.
TEST(KernelRidge, OfLambdasWhoseScoresAreAlikeTheLargestIsTaken) {
  constexpr double lambda = 3.0, larger = lambda * (1.0 + 1e-9);
  Context context;
  TrainingSet set = training_set(every(2));
  for (std::size_t i = 0; i < set.values.size(); ++i) {
    set.values[i] = dense_entry(set.rows[i / q], static_cast<Index>(i % q));
  }
  const auto approximation = make(Kind::identity);
  const auto choose = [&](const std::vector<double>& lambdas) {
    return RidgeTrainer(context.execution, set, {.lambdas = lambdas}).train(approximation);
  };
  EXPECT_EQ(choose({lambda, 1.1 * lambda}).lambda, lambda);
  const RidgeModel alone = choose({larger});
  for (const std::vector<double>& lambdas : {std::vector<double>{lambda, larger}, {larger, lambda}}) {
    const RidgeModel model = choose(lambdas);
    EXPECT_EQ(model.lambda, larger);
    EXPECT_EQ(model.candidates[model.chosen].lambda, larger);
    EXPECT_EQ(model.coefficients, alone.coefficients);
  }
}

// Each row left out in turn and predicted by the others; the best lambda is that with the least squared error.
TEST_P(KernelRidge, LeavesOneOutExactly) {
  const std::vector<Index> rows = every(3, 1);
  const std::vector<double> lambdas = {0.3, 3.0, 30.0};
  const RidgeModel model = train(make(GetParam()), rows, {.lambdas = lambdas});
  const Dense k = kernel(GetParam());
  double best = INFINITY;
  std::size_t chosen = 0;
  for (std::size_t c = 0; c < lambdas.size(); ++c) {
    std::vector<double> squares(q, 0.0);
    for (const Index left_out : rows) {
      std::vector<Index> others;
      for (const Index i : rows) {
        if (i != left_out) others.push_back(i);
      }
      const Dense values = reference(k, others, lambdas[c]);
      for (Index t = 0; t < q; ++t) {
        squares[t] += std::pow(values(left_out, t) - target(left_out, t), 2);
      }
    }
    double sum = 0.0;
    ASSERT_EQ(model.candidates[c].leave_one_out.size(), squares.size());
    for (std::size_t t = 0; t < squares.size(); ++t) {
      const RegressionScore& score = model.candidates[c].leave_one_out[t];
      EXPECT_NEAR(score.squared_error / squares[t], 1.0, 1e-8) << lambdas[c];
      sum += score.squared_error / score.squared_deviation;
    }
    if (sum < best) best = sum, chosen = c;
  }
  EXPECT_EQ(model.chosen, chosen);
  EXPECT_EQ(model.lambda, lambdas[chosen]);
}

TEST_P(KernelRidge, HasABasisThatAnyNumberOfRanksAgreesOn) {
  const Communicator self(MPI_COMM_SELF);
  EXPECT_EQ(basis_digest(world(), make(GetParam())), basis_digest(self, make(GetParam(), 1.0, self)));
}

TEST(KernelRidgeSharing, OneGramMatrixServesAllKernelsOnTheSameFactor) {
  Context context;
  RidgeTrainer trainer(context.execution, training_set(every(2)), {.lambdas = {0.7}});
  const auto first = make(Kind::tiles), second = make(Kind::tiles, 2.5);
  EXPECT_FALSE(trainer.train(first).shares_gram);
  const RidgeModel model = trainer.train(second);
  EXPECT_TRUE(model.shares_gram);
  EXPECT_LT(test::difference(predicted(second, model), reference(kernel(Kind::tiles, 2.5), every(2), 0.7)), 1e-10);
  EXPECT_FALSE(trainer.train(make(Kind::signs)).shares_gram);
  EXPECT_FALSE(trainer.train(first).shares_gram);
}

// Eigenvalues of K~ on some rows, ascending.
std::vector<double> eigenvalues_on(const Dense& k, const std::vector<Index>& rows) {
  std::vector<double> matrix;
  for (const Index i : rows)
    for (const Index j : rows) matrix.push_back(k(i, j));
  const int order = static_cast<int>(rows.size()), work_size = 4 * order;
  std::vector<double> values(rows.size()), work(static_cast<std::size_t>(work_size));
  int info = 0;
  dsyev_("N", "L", &order, matrix.data(), &order, values.data(), work.data(), &work_size, &info);
  EXPECT_EQ(info, 0);
  return values;
}

// With more rows than landmarks K~ has eigenvalues 0 besides those of the factors, with fewer it has none.
TEST_P(KernelRidge, KnowsTheSpectrumOnTheTrainingRows) {
  for (const std::vector<Index>& rows : {every(1), every(2, 1), every(9), std::vector<Index>{3, 75}}) {
    SCOPED_TRACE(rows.size());
    const std::vector<double> values = eigenvalues_on(kernel(GetParam()), rows);
    const double size = std::max(std::abs(values.front()), values.back());
    const RidgeModel model = train(make(GetParam()), rows, {.lambdas = {0.7, 19.0, 1e4}});
    EXPECT_NEAR(model.smallest_eigenvalue, values.front(), 1e-10 * size);
    EXPECT_NEAR(model.largest_eigenvalue, values.back(), 1e-10 * size);
    for (const RidgeCandidate& candidate : model.candidates) {
      double largest = 0.0, smallest = INFINITY, degrees = 0.0, magnitudes = 0.0;
      for (const double value : values) {
        largest = std::max(largest, std::abs(candidate.lambda + value));
        smallest = std::min(smallest, std::abs(candidate.lambda + value));
        degrees += value / (candidate.lambda + value);
        magnitudes += std::abs(value / (candidate.lambda + value));
      }
      EXPECT_NEAR(candidate.condition, largest / smallest, 1e-8 * largest / smallest) << candidate.lambda;
      EXPECT_NEAR(candidate.degrees_of_freedom, degrees, 1e-8 * magnitudes) << candidate.lambda;
      EXPECT_EQ(candidate.definite, candidate.lambda + values.front() > 0.0) << candidate.lambda;
    }
  }
}

TEST(KernelRidgeSpectrum, IsThatOfTheKernelOnTheTrainingRows) {
  const RidgeModel model = train(make(Kind::signs), every(1), {.lambdas = {1e4}});
  EXPECT_EQ(model.rank, l);
  EXPECT_EQ(model.negative_eigenvalues, 6);  // Sylvester: as many as negative signs
  EXPECT_THAT(model.warnings, testing::ElementsAre(testing::HasSubstr("lambda outweighs them")));
  const RidgeModel small = train(make(Kind::signs), every(1), {.lambdas = {1e-3}});
  EXPECT_THAT(small.warnings, testing::Contains(testing::HasSubstr("the solution is a minimum")));
}

void expect_error(ErrorKind kind, const char* text, const std::function<void()>& work) {
  test::expect_error(work, kind, {text});
}

// K~ with one entry that is not 0, of row 4: its one eigenvalue is 5 or -5.
Approximation<double> one_entry(double sign) {
  Approximation<double> approximation;
  RowBlock<double> left(RowPartition(n, world().size()), world().rank(), 1);
  for (Index i = left.range().begin; i < left.range().end; ++i) left.row(i)[0] = i == 4 ? std::sqrt(5.0) : 0.0;
  approximation.left = std::move(left);
  approximation.core_matrix = DiagonalCore{{sign}};
  return approximation;
}

TEST(KernelRidgeWarnings, SayHowManyDigitsAreLeft) {
  EXPECT_THAT(train(one_entry(1.0), every(1), {.lambdas = {5e-9}}).warnings, testing::IsEmpty());
  const RidgeModel model = train(one_entry(1.0), every(1), {.lambdas = {5e-11}});
  EXPECT_NEAR(model.candidates[0].condition, 1e11, 1e5);
  EXPECT_THAT(model.warnings, testing::ElementsAre(testing::HasSubstr(
                                  "lambda I + K~ has condition 1e+11: about 5 digits of the coefficients are right")));
}

// Row 4 is all that K~ knows of: without it the system says nothing, to rounding.
TEST(KernelRidgeWarnings, SayWhereARowCannotBeLeftOut) {
  const RidgeModel alone = train(one_entry(1.0), every(1), {.lambdas = {5e-13}, .leave_one_out = true});
  EXPECT_THAT(alone.warnings, testing::Contains(testing::HasSubstr("lambda = 5e-13 has no leave-one-out score")));
  EXPECT_TRUE(alone.candidates[0].leave_one_out.empty());
  EXPECT_TRUE(alone.leave_one_out.empty());
  EXPECT_FALSE(alone.coefficients.empty());
  for (const std::vector<double>& lambdas : {std::vector<double>{5e-13, 2.0}, {2.0, 5e-13}}) {
    const RidgeModel model = train(one_entry(1.0), every(1), {.lambdas = lambdas});
    EXPECT_EQ(model.lambda, 2.0);
    EXPECT_EQ(model.candidates[model.chosen].leave_one_out.size(), static_cast<std::size_t>(q));
    EXPECT_FALSE(model.leave_one_out.empty() && world().size() == 1);
  }
}

TEST(KernelRidgeWarnings, SayThatDistancesAreNoKernel) {
  auto distances = make(Kind::identity);
  const RidgeOptions one{.lambdas = {0.7}};
  EXPECT_THAT(train(distances, every(1), one).warnings, testing::IsEmpty());
  distances.meaning = Meaning::distance;
  EXPECT_THAT(train(distances, every(1), one).warnings,
              testing::ElementsAre(testing::HasSubstr("K~ holds distances, not similarities")));
}

// Two of the lambdas make a regular system.
TEST(KernelRidgeErrors, SingularSystemsAreRefused) {
  const Approximation<double> approximation = one_entry(-1.0);
  expect_error(ErrorKind::numeric, "singular to working precision",
               [&] { static_cast<void>(train(approximation, every(1), {.lambdas = {5.0}})); });
  const RidgeModel model = train(approximation, every(1), {.lambdas = {5.0, 4.0, 9.0}});
  EXPECT_TRUE(model.candidates[0].singular);
  EXPECT_NE(model.chosen, 0U);
  EXPECT_THAT(model.warnings, testing::Contains(testing::HasSubstr("lambda = 5 is skipped")));
  expect_error(ErrorKind::numeric, "0 on all training rows", [&] {
    static_cast<void>(train(approximation, {1, 2, 3}, {.lambdas = {1.0}}));
  });
}

TEST(KernelRidgeErrors, WhatIsNoSymmetricKernelIsRefused) {
  expect_error(ErrorKind::usage, "above 0", [] {
    static_cast<void>(train(make(Kind::signs), every(1), {.lambdas = {1.0, 0.0}}));
  });
  expect_error(ErrorKind::usage, "above 0",
               [] { static_cast<void>(train(make(Kind::signs), every(1), {.lambdas = {NAN}})); });
  expect_error(ErrorKind::input, "no row to train on",
               [] { static_cast<void>(train(make(Kind::signs), {}, {.lambdas = {1.0}})); });
  auto rooted = make(Kind::tiles);
  rooted.transform = Transform::sqrt;
  expect_error(ErrorKind::usage, "transform", [&] { static_cast<void>(train(rooted, every(1), {.lambdas = {1.0}})); });
  auto family = make(Kind::identity);
  family.symmetric = false;
  expect_error(ErrorKind::usage, "not symmetric",
               [&] { static_cast<void>(train(family, every(1), {.lambdas = {1.0}})); });
  auto skew = make(Kind::core_matrix);
  auto& matrix = std::get<DenseCore>(skew.core_matrix).matrix;
  matrix.fill([](Index a, Index b) { return core_entry(a, b) + (a < b ? 1e-3 : 0.0); });
  expect_error(ErrorKind::input, "not symmetric",
               [&] { static_cast<void>(train(skew, every(1), {.lambdas = {1.0}})); });
}

}  // namespace
}  // namespace cairn::kernel_ridge_test
