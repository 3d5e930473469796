#include <gtest/gtest.h>

#include <cmath>

#include "cairn/base/error.hpp"
#include "cairn/similarity/columns.hpp"
#include "cairn/similarity/points/point_similarities.hpp"
#include "point_objects.hpp"

namespace {

using namespace cairn;
using cairn::test::make_block;
using cairn::test::make_points;
using cairn::test::normal_coordinate;
using cairn::test::numbers;
using cairn::test::world;

// The columns of one rank's rows, tile by tile without any Schedule: what every number of ranks must give.
template <class T>
std::vector<T> expected_columns(const Similarity<T>& similarity, Index n, Index d, const ObjectBlock& columns,
                                Range rows) {
  std::vector<T> values(rows.size() * columns.size());
  const Index unit = RowPartition::unit(n);
  for (Index begin = rows.begin; begin < rows.end; begin += unit) {
    const Index end = std::min(begin + unit, rows.end);
    const auto block =
        make_block<T>(numbers(begin, end), d, [=](Index a, Index k) { return normal_coordinate(begin + a, k); });
    block->set = columns.set;  // the distance of a landmark from itself is 0, which products give to rounding
    similarity.tile(*block, columns,
                    MatrixView<T>(values.data() + (begin - rows.begin) * columns.size(), end - begin, columns.size()));
  }
  return values;
}

template <class T>
class EvaluateColumns : public testing::Test {};
using Numbers = testing::Types<double, float>;
TYPED_TEST_SUITE(EvaluateColumns, Numbers);

TYPED_TEST(EvaluateColumns, IsTheSameToTheLastBitOnAnyNumberOfRanksAndThreads) {
  using T = TypeParam;
  constexpr Index d = 5;
  for (const Index n : {1, 3, 17, 700}) {
    for (const int threads : {1, 2}) {
      const auto points = make_points<T>(n, d, normal_coordinate);
      const auto landmarks = points.gather(world(), numbers(0, n, 3));
      const auto similarity = make_rbf<T>(d, 0.2);
      test::Context context;
      context.execution.threads = threads;
      const auto c = evaluate_columns(context.execution, *similarity, points, *landmarks, "columns", "loop");
      EXPECT_EQ(c.columns(), landmarks->size());
      const auto expected = expected_columns(*similarity, n, d, *landmarks, points.range());
      for (Index i = c.range().begin; i < c.range().end; ++i) {
        for (Index b = 0; b < c.columns(); ++b) {
          ASSERT_EQ(c.row(i)[b], expected[(i - c.range().begin) * c.columns() + b])
              << n << " points, entry " << i << ", " << b;
        }
      }
    }
  }
}

TYPED_TEST(EvaluateColumns, OneAfterAnotherFillTheSameMatrix) {
  using T = TypeParam;
  constexpr Index n = 100, d = 3;
  const auto points = make_points<T>(n, d, normal_coordinate);
  const auto similarity = make_laplacian<T>(d, 0.2);
  test::Context context;
  RowBlock<T> out(points.partition(), world().rank(), 5);
  const MatrixView<T> mine = out.local();
  for (Index i = 0; i < mine.rows * mine.columns; ++i) mine.data[i] = T(-1);
  const auto first = points.gather(world(), std::vector<Index>{4, 90});
  const auto last = points.gather(world(), std::vector<Index>{50});
  evaluate_columns_into(context.execution, *similarity, points, *first, out, 1, "columns", "first");
  evaluate_columns_into(context.execution, *similarity, points, *last, out, 4, "columns", "last");
  const auto two = expected_columns(*similarity, n, d, *first, points.range());
  const auto one = expected_columns(*similarity, n, d, *last, points.range());
  for (Index i = 0; i < mine.rows; ++i) {
    const auto at = static_cast<std::size_t>(i);
    EXPECT_EQ(mine(i, 0), T(-1));
    EXPECT_EQ(mine(i, 1), two[2 * at]);
    EXPECT_EQ(mine(i, 2), two[2 * at + 1]);
    EXPECT_EQ(mine(i, 3), T(-1));
    EXPECT_EQ(mine(i, 4), one[at]);
  }
}

TYPED_TEST(EvaluateColumns, OfASampleAmongItselfAreTheSameToTheLastBitOnAnyNumberOfRanksAndThreads) {
  using T = TypeParam;
  constexpr Index n = 300, d = 5;
  const auto points = make_points<T>(n, d, normal_coordinate);
  const auto similarity = make_rbf<T>(d, 0.2);
  for (const Index size : {1, 16, 90}) {
    std::vector<Index> sample;
    for (Index r = 0; r < size; ++r) sample.push_back((7 * r + 250) % n);
    const auto columns = points.gather(world(), sample);
    std::vector<T> expected(size * size);
    const Index unit = RowPartition::unit(size);
    for (Index begin = 0; begin < size; begin += unit) {
      const Index count = std::min(unit, size - begin);
      const auto rows = points.gather(world(), std::span(sample).subspan(begin, count));
      similarity->tile(*rows, *columns, MatrixView<T>(expected.data() + begin * size, count, size));
    }
    for (const int threads : {1, 2}) {
      test::Context context;
      context.execution.threads = threads;
      const auto block =
          evaluate_principal_submatrix(context.execution, *similarity, points, sample, "similarities", "loop");
      EXPECT_TRUE(block.partition() == RowPartition(size, world().size()));
      for (Index i = block.range().begin; i < block.range().end; ++i) {
        for (Index j = 0; j < size; ++j) {
          EXPECT_EQ(block.row(i)[j], expected[i * size + j]) << size << " objects, entry " << i << ", " << j;
        }
      }
    }
  }
}

TYPED_TEST(EvaluateColumns, RefusesAMatrixOfAnotherShape) {
  using T = TypeParam;
  const auto points = make_points<T>(40, 2, normal_coordinate);
  const auto landmarks = points.gather(world(), numbers(0, 3));
  test::Context context;
  RowBlock<T> narrow(points.partition(), world().rank(), 3);
  EXPECT_THROW(evaluate_columns_into(context.execution, *make_linear<T>(2), points, *landmarks, narrow, 1, "c", "l"),
               Error);
}

TEST(EvaluateColumnsCounts, EveryEvaluationOnceOverAllRanks) {
  constexpr Index n = 300, d = 2;
  const auto points = make_points<double>(n, d, normal_coordinate);
  const auto landmarks = points.gather(world(), numbers(0, 7));
  const auto similarity = make_euclidean<double>(d);
  test::Context context;
  (void)evaluate_columns(context.execution, *similarity, points, *landmarks, "columns", "first");
  (void)evaluate_columns(context.execution, *similarity, points, *landmarks, "columns", "second");
  EXPECT_EQ(world().sum(similarity->evaluations()), 2 * n * 7);
  const auto phases = context.phases.summarize(world());
  ASSERT_EQ(phases.size(), 1U);
  EXPECT_EQ(phases[0].name, "columns");
  EXPECT_EQ(phases[0].evaluations, 2 * n * 7);
  EXPECT_GT(phases[0].busy, 0.0);
}

TEST(EvaluateColumnsCounts, ASampleAmongItselfByItsTilesInTheLedger) {
  constexpr Index n = 200, d = 2, size = 90;
  const auto points = make_points<double>(n, d, normal_coordinate);
  const auto similarity = make_euclidean<double>(d);
  test::Context context;
  (void)evaluate_principal_submatrix(context.execution, *similarity, points, numbers(20, 20 + size), "among", "loop");
  EXPECT_EQ(world().sum(similarity->evaluations()), size * size);
  EXPECT_EQ(context.ledger.tiles(), 6);
  EXPECT_EQ(world().sum(context.ledger.finished()), 6);
  const auto phases = context.phases.summarize(world());
  ASSERT_EQ(phases.size(), 1U);
  EXPECT_EQ(phases[0].evaluations, size * size);
}

TEST(EvaluateColumnsErrors, NameThePairOnEveryRank) {
  constexpr Index n = 300, d = 2;
  const auto points = make_points<double>(
      n, d, [](Index i, Index k) { return i == 233 && k == 1 ? std::nan("") : normal_coordinate(i, k); });
  const auto landmarks = points.gather(world(), numbers(10, 20));
  const auto similarity = make_rbf<double>(d, 0.5);
  test::Context context;
  std::string message;
  try {
    (void)evaluate_columns(context.execution, *similarity, points, *landmarks, "columns", "loop");
  } catch (const Error& error) {
    message = error.what();
    EXPECT_EQ(error.kind(), ErrorKind::numeric);
  }
  EXPECT_NE(message.find("object 233 and object 10"), std::string::npos) << message;
}

}  // namespace
