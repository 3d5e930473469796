// The core matrix from K among more objects than the landmarks.
#include "cairn/approximation/column_sampling/block_core.hpp"

#include <gmock/gmock.h>

#include "cairn/approximation/column_sampling/nystrom.hpp"
#include "cairn/approximation/column_sampling/principal_block.hpp"
#include "cairn/approximation/extend.hpp"
#include "cairn/base/error.hpp"
#include "cairn/similarity/columns.hpp"
#include "expected_errors.hpp"
#include "method_run.hpp"

namespace cairn::block_core_test {
namespace {

using test::Dense;
using test::dense;
using test::difference;
using test::method;
using test::MethodChoice;
using test::product;
using test::run;
using test::TestPoints;
using test::transposed;
using test::world;

constexpr Index n = 240, s = 12;

test::EntryFunction kernel() { return test::rbf(TestPoints(n, 4), 0.4); }

// Indefinite: half of its eigenvalues are negative.
test::EntryFunction sigmoid() {
  return [points = TestPoints(n, 5)](Index i, Index j) { return std::tanh(0.2 * points.dot(i, j) - 0.3); };
}

MethodChoice with_rows(Index rows) {
  MethodChoice parameters = method("nystrom");
  return parameters.set("core-rows", rows);
}

// The projection Q Qᵀ K Q Qᵀ onto the range of C = K S: C (CᵀC)⁻¹ CᵀKC (CᵀC)⁻¹ Cᵀ.
Dense projected(const test::EntryFunction& entry, const std::vector<Index>& landmarks) {
  const Dense c = dense(n, std::ssize(landmarks), [&](Index i, Index j) { return entry(i, landmarks[j]); });
  const Dense inverse = test::inverse(product(transposed(c), c));
  const Dense left = product(c, inverse);
  const Dense middle = product(product(transposed(c), dense(n, n, entry)), c);
  return product(product(left, middle), transposed(left));
}

TEST(BlockCore, OfAllObjectsIsTheProjection) {
  for (const auto& entry : {kernel(), sigmoid()}) {
    const auto outcome = run({entry, n, s}, with_rows(n));
    EXPECT_LT(difference(outcome.matrix, projected(entry, outcome.landmarks)), 1e-9);
    EXPECT_EQ(outcome.approximation.report.s2, n);
    EXPECT_TRUE(outcome.approximation.symmetric);
  }
}

TEST(BlockCore, TakesTheEntriesOfOneTriangleInStrips) {
  const auto outcome = run({sigmoid(), n, s}, with_rows(4 * s));
  EXPECT_EQ(outcome.evaluations, n * s + entries_of_strips(3 * s, block_strips));
  EXPECT_EQ(entries_of_strips(3, 8), 3 + 2 + 1);
  EXPECT_EQ(entries_of_strips(16, 8), 2 * (16 + 14 + 12 + 10 + 8 + 6 + 4 + 2));
  EXPECT_EQ(entries_of_strips(0, 8), 0);
}

TEST(BlockCore, IsFarBetterThanTheLandmarksAloneWhereKIsIndefinite) {
  double plain = 0.0, better = 0.0;
  const Dense exact = dense(n, n, sigmoid());
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    plain += difference(run({sigmoid(), n, s, seed}, method("nystrom")).matrix, exact);
    better += difference(run({sigmoid(), n, s, seed}, with_rows(4 * s)).matrix, exact);
  }
  EXPECT_LT(better, 0.75 * plain) << "sums over seeds 0 to 4";
}

TEST(BlockCore, IsSemidefiniteWhereKIs) {
  const auto outcome = run({kernel(), n, s}, with_rows(4 * s));
  EXPECT_EQ(outcome.approximation.report.negative_eigenvalues, 0);
  MethodChoice embedding = with_rows(4 * s);
  embedding.set("embedding", true);
  const auto factors = run({kernel(), n, s}, embedding);
  EXPECT_STREQ(core_layout(factors.approximation.core_matrix), "identity");
  EXPECT_LT(difference(factors.matrix, outcome.matrix), 1e-10);
}

TEST(BlockCore, EmbedsWithSignsWhereKIsIndefinite) {
  MethodChoice embedding = with_rows(4 * s);
  const auto outcome = run({sigmoid(), n, s}, embedding);
  embedding.set("embedding", true);
  const auto factors = run({sigmoid(), n, s}, embedding);
  EXPECT_STREQ(core_layout(factors.approximation.core_matrix), "diagonal");
  EXPECT_GT(factors.approximation.report.negative_eigenvalues, 0);
  EXPECT_LT(difference(factors.matrix, outcome.matrix), 1e-10);
  embedding.set("spectrum", "positive");
  const auto positive = run({sigmoid(), n, s}, embedding);
  EXPECT_STREQ(core_layout(positive.approximation.core_matrix), "identity");
  EXPECT_LT(positive.approximation.report.rank, factors.approximation.report.rank);
}

TEST(BlockCore, IsThatOfTheLandmarksWithoutFurtherRows) {
  EXPECT_LT(difference(run({sigmoid(), n, s}, with_rows(s)).matrix, run({sigmoid(), n, s}, method("nystrom")).matrix),
            1e-14);
}

TEST(BlockCore, OfAZeroMatrixIsZero) {
  const auto zero = [](Index, Index) { return 0.0; };
  EXPECT_THAT(run({zero, n, s}, with_rows(4 * s)).matrix.values, testing::Each(0.0));
}

TEST(BlockCore, RefusesFewerRowsThanLandmarksOrMoreThanObjects) {
  const auto with = [](Index rows) { return [=] { (void)run({kernel(), n, s}, with_rows(rows)); }; };
  test::expect_error(with(s - 1), ErrorKind::usage, {"core-rows = 11 is less than the number of landmarks, 12"});
  test::expect_error(with(n + 1), ErrorKind::usage, {"core-rows = 241 is more than the number of objects, 240"});
}

// K~ of landmarks whose number grows, with a block that grows beside them.
TEST(BlockCore, EvaluatesFurtherRowsOnceWhileLandmarksAreAdded) {
  test::Context context(world(), 3);
  const test::FunctionSimilarity<double> similarity(sigmoid());
  const NumberedObjects objects(RowPartition(n, world().size()), world().rank());
  const auto sample = std::make_shared<SampleBlock<double>>();
  const auto with = [&](Index landmarks, Index rows) {
    Problem<double> problem{context.execution, similarity, objects, {}, 0, with_rows(rows).values()};
    problem.landmarks = select_uniform<double>(context.execution, objects, landmarks);
    problem.sample = sample;
    return approximate(nystrom_method(), std::move(problem));
  };
  (void)with(s, 4 * s);
  EXPECT_EQ(std::ssize(sample->indices), 3 * s);
  const Index before = world().sum(similarity.evaluations()), held = std::ssize(sample->indices);
  const auto all = with(3 * s, n);
  const Index count = std::ssize(sample->indices);
  EXPECT_LT(n - 3 * s, count) << "some objects of the block are landmarks now";
  const Index evaluations = world().sum(similarity.evaluations()) - before;
  EXPECT_GE(evaluations, n * 3 * s + (count * count - held * held) / 2);
  EXPECT_LE(evaluations, n * 3 * s + entries_of_strips(count, block_strips) - held * held / 2);
  EXPECT_LT(difference(test::reconstruct(context.execution, all), projected(sigmoid(), all.left_origin->indices)),
            1e-9);
}

TEST(SampleBlock, ThatGrowsHasKAmongAllItsObjectsThatAreNoLandmarks) {
  test::Context context(world(), 3);
  const test::FunctionSimilarity<double> similarity(sigmoid());
  const NumberedObjects objects(RowPartition(n, world().size()), world().rank());
  Problem<double> problem{context.execution, similarity, objects, {}, 0, method("nystrom").values()};
  SampleBlock<double> block;
  add_to_block(problem, std::vector<Index>{5, 3, 77, 12, 9, 100, 101, 102, 103, 110}, block);
  add_to_block(problem, std::vector<Index>{1, 200, 31}, block);
  add_to_block(problem, std::vector<Index>{}, block);
  const std::vector<Index> landmarks = {77, 8, 200}, sample = {77, 8, 200, 5, 3, 12, 9, 100, 101, 102, 103, 110, 1, 31};
  const auto chosen = objects.gather(world(), landmarks);
  const TallMatrix<double> columns(evaluate_columns(context.execution, similarity, objects, *chosen, "a", "b"));
  const BlockCyclicMatrix among =
      principal_block(problem, columns, landmarks, block, std::make_shared<const ProcessGrid>(world()));
  ASSERT_EQ(among.rows(), std::ssize(sample));
  for (Index j = 0; j < among.local_columns(); ++j) {
    for (Index i = 0; i < among.local_rows(); ++i) {
      const Index row = among.global_row(i), column = among.global_column(j);
      EXPECT_EQ(among.local(i, j), sigmoid()(sample[row], sample[column])) << row << ", " << column;
    }
  }
}

// Rows are drawn by their leverage: one group of objects that no landmark is similar to but a few are.
TEST(LeverageRows, ComeWhereTheColumnsHaveDirectionsOfTheirOwn) {
  const test::FunctionSimilarity<double> similarity([](Index i, Index j) {
    if (i == j) return 1.0;
    const bool rare = i >= n - 6 && j >= n - 6;
    return rare ? 0.9 : i < n - 6 && j < n - 6 ? 0.99 : 0.0;
  });
  test::Context context(world(), 3);
  const NumberedObjects objects(RowPartition(n, world().size()), world().rank());
  Landmarks<double> landmarks;
  landmarks.indices = {0, n - 1};
  landmarks.objects = objects.gather(world(), landmarks.indices);
  const auto columns = evaluate_columns(context.execution, similarity, objects, *landmarks.objects, "a", "b");
  const Values values = method("nystrom").values();
  Index rare = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    context.execution.seed = seed;
    Problem<double> problem{context.execution, similarity, objects, {}, 0, values};
    problem.landmarks.indices = landmarks.indices;
    const std::vector<Index> rows = leverage_rows(problem, columns, std::vector<Index>{7}, 6);
    EXPECT_EQ(rows.size(), 6U);
    EXPECT_TRUE(std::ranges::is_sorted(rows));
    EXPECT_EQ(std::ranges::adjacent_find(rows), rows.end());
    EXPECT_THAT(rows, testing::Not(testing::Contains(testing::AnyOf(0, 7, n - 1))));
    rare += std::ranges::count_if(rows, [](Index x) { return x >= n - 6; });
  }
  // Both groups have the same leverage, so that about half of the rows are rare ones, which are 5 of 238 objects.
  EXPECT_GT(rare, 30) << "of 120, seeds 0 to 19; uniform draws give about 3";
}

}  // namespace
}  // namespace cairn::block_core_test
