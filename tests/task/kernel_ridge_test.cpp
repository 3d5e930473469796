// Kernel ridge regression through factors against (lambda I + K~)⁻¹ Y by elimination.
#include "cairn/task/regression/kernel_ridge.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "../approximation/method_run.hpp"
#include "cairn/approximation/factor_digest.hpp"
#include "expected_errors.hpp"

extern "C" void dsyev_(const char*, const char*, const int*, double*, const int*, double*, double*, const int*, int*);

namespace cairn {
namespace {

using test::Context;
using test::Dense;
using test::dense;
using test::world;

constexpr Index n = 90, l = 23, q = 2;

enum class Kind { identity, signs, values, joining, tiles };

double dense_entry(Index i, Index k) {
  return Random(1, Stream::test).normal(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(k));
}
// Landmarks are every third row, as in interpolation: P is 1 there; about a quarter of the others is kept.
double sparse_entry(Index i, Index k) {
  if (i % 3 == 0 && i / 3 < l) return i / 3 == k ? 1.0 : 0.0;
  return (i * 7 + k * 3) % 4 == 0 ? 0.3 * dense_entry(i, k) : 0.0;
}
double sign_of(Index k) { return k % 4 == 1 ? -1.0 : 1.0; }
double value_of(Index k) { return sign_of(k) * (0.1 + static_cast<double>(k % 5)); }
// Symmetric, indefinite; integers, so that every number type holds them.
double joining_entry(Index a, Index b) {
  return static_cast<double>((std::max(a, b) * 13 + std::min(a, b) * 5) % 11) + (a == b ? 9.0 : 0.0);
}
double target(Index i, Index t) { return std::cos(0.13 * static_cast<double>(i * (t + 1))) + static_cast<double>(t); }

double left_entry(Kind kind, Index i, Index k) { return kind == Kind::tiles ? sparse_entry(i, k) : dense_entry(i, k); }
double middle_entry(Kind kind, Index a, Index b) {
  if (kind == Kind::joining || kind == Kind::tiles) return joining_entry(a, b);
  if (a != b) return 0.0;
  return kind == Kind::identity ? 1.0 : kind == Kind::signs ? sign_of(a) : value_of(a);
}

template <class T>
Factor<T> make_left(Kind kind, const Communicator& ranks) {
  const RowPartition partition(n, ranks.size());
  const Range own = partition.range(ranks.rank());
  RowBlock<T> rows(partition, ranks.rank(), l);
  std::vector<Index> starts = {0}, indices;
  std::vector<T> values;
  for (Index i = own.begin; i < own.end; ++i) {
    for (Index k = 0; k < l; ++k) {
      const auto value = static_cast<T>(left_entry(kind, i, k));
      rows.row(i)[static_cast<std::size_t>(k)] = value;
      if (value == T{0}) continue;
      indices.push_back(k);
      values.push_back(value);
    }
    starts.push_back(static_cast<Index>(indices.size()));
  }
  if (kind != Kind::tiles) return rows;
  return SparseRows<T>(partition, ranks.rank(), l, std::move(starts), std::move(indices), std::move(values));
}

SymmetricTiles make_tiles(double scale, const Communicator& ranks) {
  SymmetricTiles tiles(l, 5, TileNumber::float64, ranks.size(), ranks.rank());
  for (Index tile = ranks.rank(); tile < tiles.tiles(); tile += ranks.size()) {
    const auto at = tiles.place(tile);
    const Dense values = dense(at.rows.size(), at.columns.size(), [&](Index i, Index j) {
      return scale * joining_entry(at.rows.begin + i, at.columns.begin + j);
    });
    tiles.store(tile, {values.values.data(), values.rows, values.columns});
  }
  return tiles;
}

template <class T = double>
Approximation<T> make(Kind kind, double scale = 1.0, const Communicator& ranks = world()) {
  Approximation<T> approximation;
  approximation.left = make_left<T>(kind, ranks);
  if (kind == Kind::identity) approximation.joining = IdentityJoining{l};
  if (kind == Kind::tiles) approximation.joining = TilesJoining{make_tiles(scale, ranks)};
  if (kind == Kind::signs || kind == Kind::values) {
    DiagonalJoining diagonal;
    for (Index k = 0; k < l; ++k) diagonal.values.push_back(middle_entry(kind, k, k));
    approximation.joining = std::move(diagonal);
  }
  if (kind == Kind::joining) {
    BlockCyclicMatrix matrix(std::make_shared<const ProcessGrid>(ranks), l, l);
    matrix.fill([](Index a, Index b) { return joining_entry(a, b); });
    approximation.joining = DenseJoining{std::move(matrix)};
  }
  approximation.report.method = "sample";
  return approximation;
}

Dense kernel(Kind kind, double scale = 1.0) {
  const Dense left = dense(n, l, [&](Index i, Index k) { return left_entry(kind, i, k); });
  const Dense middle = dense(l, l, [&](Index a, Index b) { return scale * middle_entry(kind, a, b); });
  return test::product(test::product(left, middle), test::transposed(left));
}

std::vector<Index> every(Index step, Index first = 0) {
  std::vector<Index> rows;
  for (Index i = first; i < n; i += step) rows.push_back(i);
  return rows;
}

TrainingSet training_set(const std::vector<Index>& rows) {
  TrainingSet set;
  set.targets = q;
  const Range own = RowPartition(n, world().size()).range(world().rank());
  for (const Index i : rows) {
    if (!own.contains(i)) continue;
    set.rows.push_back(i);
    for (Index t = 0; t < q; ++t) set.values.push_back(target(i, t));
  }
  return set;
}

// K~(all, rows) (lambda I + K~(rows, rows))⁻¹ Y(rows), n x q.
Dense reference(const Dense& k, const std::vector<Index>& rows, double lambda) {
  const auto m = static_cast<Index>(rows.size());
  const auto at = [&](Index i) { return rows[static_cast<std::size_t>(i)]; };
  const Dense system = dense(m, m, [&](Index i, Index j) { return k(at(i), at(j)) + (i == j ? lambda : 0.0); });
  const Dense y = dense(m, q, [&](Index i, Index t) { return target(at(i), t); });
  const Dense across = dense(n, m, [&](Index i, Index j) { return k(i, at(j)); });
  return test::product(across, test::product(test::inverse(system), y));
}

// Predictions at all rows, replicated.
template <class T>
Dense predicted(const Approximation<T>& approximation, const RidgeModel& model) {
  Context context;
  std::vector<Index> own;
  for (Index i = approximation.left.range().begin; i < approximation.left.range().end; ++i) own.push_back(i);
  const auto mine = predict(context.execution, approximation.left, model.coefficients, model.targets, own);
  return {n, q, world().all_gather(mine)};
}

template <class T = double>
RidgeModel train(const Approximation<T>& approximation, const std::vector<Index>& rows, RidgeOptions options) {
  Context context;
  RidgeTrainer trainer(context.execution, training_set(rows), std::move(options));
  return trainer.train(approximation);
}

class KernelRidge : public testing::TestWithParam<Kind> {};
INSTANTIATE_TEST_SUITE_P(Kinds, KernelRidge,
                         testing::Values(Kind::identity, Kind::signs, Kind::values, Kind::joining, Kind::tiles));

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
    std::vector<double> squares(static_cast<std::size_t>(q), 0.0);
    for (const Index left_out : rows) {
      std::vector<Index> others;
      for (const Index i : rows) {
        if (i != left_out) others.push_back(i);
      }
      const Dense values = reference(k, others, lambdas[c]);
      for (Index t = 0; t < q; ++t) {
        squares[static_cast<std::size_t>(t)] += std::pow(values(left_out, t) - target(left_out, t), 2);
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
  approximation.joining = DiagonalJoining{{sign}};
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
  auto skew = make(Kind::joining);
  auto& matrix = std::get<DenseJoining>(skew.joining).matrix;
  matrix.fill([](Index a, Index b) { return joining_entry(a, b) + (a < b ? 1e-3 : 0.0); });
  expect_error(ErrorKind::input, "not symmetric",
               [&] { static_cast<void>(train(skew, every(1), {.lambdas = {1.0}})); });
}

}  // namespace
}  // namespace cairn
