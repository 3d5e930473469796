#include <gmock/gmock.h>

#include "cairn/approximation/approximation.hpp"
#include "cairn/approximation/entry_evaluation.hpp"
#include "cairn/approximation/fetch_rows.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"
#include "method_run.hpp"

namespace cairn::entries_test {
namespace {

using test::Context;
using test::Dense;
using test::dense;
using test::world;

constexpr Index n = 130;

double left_entry(Index i, Index k) { return std::sin(static_cast<double>(3 * i + 7 * k + 1)); }
double right_entry(Index i, Index k) { return std::cos(static_cast<double>(5 * i - 2 * k)); }
double core_entry(Index k, Index l) { return 0.1 * static_cast<double>((k * 3 + l * 5) % 11) - 0.4; }

template <class T>
RowBlock<T> rows_of(Index columns, double (*entry)(Index, Index)) {
  RowBlock<T> block(RowPartition(n, world().size()), world().rank(), columns);
  for (Index i = block.range().begin; i < block.range().end; ++i)
    for (Index k = 0; k < columns; ++k) block.row(i)[k] = static_cast<T>(entry(i, k));
  return block;
}

enum class Shape { dense, diagonal, identity, symmetric };

template <class T>
Approximation<T> make(Shape shape, Index p, Index q) {
  Approximation<T> approximation;
  approximation.left = rows_of<T>(p, left_entry);
  if (shape != Shape::symmetric) approximation.right = rows_of<T>(q, right_entry);
  approximation.symmetric = shape == Shape::symmetric;
  if (shape == Shape::dense || shape == Shape::symmetric) {
    BlockCyclicMatrix core_matrix(std::make_shared<const ProcessGrid>(world()), p, q);
    core_matrix.fill([&](Index k, Index l) {
      return shape == Shape::dense ? core_entry(k, l) : core_entry(std::min(k, l), std::max(k, l));
    });
    approximation.core_matrix = DenseCore{std::move(core_matrix)};
  } else if (shape == Shape::diagonal) {
    std::vector<double> values(p);
    for (Index k = 0; k < p; ++k) values[k] = core_entry(k, k);
    approximation.core_matrix = DiagonalCore{std::move(values)};
  } else {
    approximation.core_matrix = IdentityCore{p};
  }
  return approximation;
}

double core_of(Shape shape, Index k, Index l) {
  if (shape == Shape::dense) return core_entry(k, l);
  if (shape == Shape::symmetric) return core_entry(std::min(k, l), std::max(k, l));
  if (k != l) return 0.0;
  return shape == Shape::diagonal ? core_entry(k, k) : 1.0;
}

Dense brute_force(Shape shape, Index p, Index q, Transform transform = Transform::none) {
  const Dense left = dense(n, p, left_entry);
  const Dense right = dense(n, q, shape == Shape::symmetric ? left_entry : right_entry);
  const Dense core_matrix = dense(p, q, [&](Index k, Index l) { return core_of(shape, k, l); });
  Dense result = test::product(test::product(left, core_matrix), test::transposed(right));
  if (transform == Transform::sqrt) {
    for (double& value : result.values) value = std::sqrt(std::max(0.0, value));
  }
  return result;
}

// Entries that ranks ask for: other numbers of them on every rank, repeats, and none on rank 1.
std::pair<std::vector<Index>, std::vector<Index>> wanted() {
  std::vector<Index> rows, columns;
  const Random random(5, Stream::test);
  for (Index e = 0; world().rank() != 1 && e < 300 + 50 * world().rank(); ++e) {
    rows.push_back(e % 3 == 0 ? 17 : random.below(n, static_cast<std::uint64_t>(e)));
    columns.push_back(random.below(n, static_cast<std::uint64_t>(e), 1));
  }
  return {rows, columns};
}

template <class T>
void expect_entries(const Approximation<T>& approximation, const Dense& expected, double tolerance) {
  Context context;
  const auto [rows, columns] = wanted();
  const std::vector<double> values = approximate_entries(context.execution, approximation, rows, columns);
  ASSERT_EQ(values.size(), rows.size());
  for (std::size_t e = 0; e < values.size(); ++e) {
    EXPECT_NEAR(values[e], expected(rows[e], columns[e]), tolerance);
  }
  // The second call has J from the first; without memory for J, it comes in panels or stays where it is.
  EntryEvaluation<T> whole(context.execution, approximation);
  EntryEvaluation<T> spread(context.execution, approximation, {.replicated = 0, .on_grid = Index{50} << 10});
  for (int call = 0; call < 2; ++call) {
    EXPECT_EQ(whole.at(rows, columns), values);
    const std::vector<double> others = spread.at(rows, columns);
    ASSERT_EQ(others.size(), values.size());
    for (std::size_t e = 0; e < values.size(); ++e) EXPECT_NEAR(others[e], values[e], tolerance);
  }
}

class Entries : public testing::TestWithParam<Shape> {};
INSTANTIATE_TEST_SUITE_P(Shapes, Entries,
                         testing::Values(Shape::dense, Shape::diagonal, Shape::identity, Shape::symmetric));

TEST_P(Entries, AreThoseOfTheProduct) {
  const Index p = 9, q = GetParam() == Shape::dense ? 14 : 9;
  expect_entries(make<double>(GetParam(), p, q), brute_force(GetParam(), p, q), 1e-12);
  expect_entries(make<float>(GetParam(), p, q), brute_force(GetParam(), p, q), 1e-4);
}

TEST_P(Entries, AreRootsWhereTheTransformSaysSo) {
  const Index p = 9, q = GetParam() == Shape::dense ? 14 : 9;
  Approximation<double> approximation = make<double>(GetParam(), p, q);
  approximation.transform = Transform::sqrt;
  expect_entries(approximation, brute_force(GetParam(), p, q, Transform::sqrt), 1e-6);
}

TEST_P(Entries, AreMeansOfBothDirectionsWhereSymmetrized) {
  const Index p = 9, q = GetParam() == Shape::dense ? 14 : 9;
  Approximation<double> approximation = make<double>(GetParam(), p, q);
  approximation.transform = Transform::sqrt;
  approximation.symmetrize = true;
  const Dense k = brute_force(GetParam(), p, q, Transform::sqrt);
  const Dense mean = dense(n, n, [&](Index i, Index j) { return 0.5 * (k(i, j) + k(j, i)); });
  expect_entries(approximation, mean, 1e-6);
  Context context;
  EXPECT_LT(test::difference(test::reconstruct(context.execution, approximation), mean), 1e-7);
}

TEST_P(Entries, AndColumnsAreTheSame) {
  const Index p = 9, q = GetParam() == Shape::dense ? 14 : 9;
  Context context;
  EXPECT_LT(test::difference(test::reconstruct(context.execution, make<double>(GetParam(), p, q)),
                             brute_force(GetParam(), p, q)),
            1e-13);
  EXPECT_LT(test::difference(test::reconstruct(context.execution, make<float>(GetParam(), p, q)),
                             brute_force(GetParam(), p, q)),
            1e-5);
}

// 26 rows of L are a batch here, and 209 rows of R come at a time.
TEST(Entries, OfRowsThatAreLongerThanABatchHoldsTogether) {
  constexpr Index width = 20000, every = 7;
  const auto approximation = make<double>(Shape::diagonal, width, width);
  Context context;
  const auto [rows, columns] = wanted();
  const std::vector<double> values = approximate_entries(context.execution, approximation, rows, columns);
  ASSERT_EQ(values.size(), rows.size());
  for (std::size_t e = 0; e < values.size(); e += every) {
    double expected = 0.0;
    for (Index k = 0; k < width; ++k)
      expected += left_entry(rows[e], k) * core_entry(k, k) * right_entry(columns[e], k);
    EXPECT_NEAR(values[e], expected, 1e-8) << "entry " << e;
  }
}

// Of a large J, little moves if few rows of L meet it: a part of a small one does, and all rows of a large one.
TEST(SpreadCore, StaysWhereItIsIfThatMovesFewerBytes) {
  const entry_limits::CoreLimits limits{.replicated = 0, .on_grid = Index{50} << 10};
  EXPECT_EQ(32, limits.grid_rows(400, 400, 2));
  EXPECT_FALSE(limits.grid_pays(400, 400, 1, 1));
  EXPECT_TRUE(limits.grid_pays(400, 400, 30, 2));
  EXPECT_FALSE(limits.grid_pays(400, 400, 40, 2));  // two rounds
  EXPECT_TRUE(limits.grid_pays(400, 400, 40, 4));
  for (const Index size : {400, 40}) {
    Approximation<double> approximation = make<double>(Shape::dense, size, size);
    approximation.symmetrize = true;
    const Dense k = brute_force(Shape::dense, size, size);
    const Dense mean = dense(n, n, [&](Index i, Index j) { return 0.5 * (k(i, j) + k(j, i)); });
    Context context;
    EntryEvaluation<double> spread(context.execution, approximation, limits);
    const std::vector<Index> rows = {world().rank(), 100, 50, 50}, columns = {5, 129, world().rank(), 90};
    const std::vector<double> values = spread.at(rows, columns);
    for (std::size_t e = 0; e < rows.size(); ++e) EXPECT_NEAR(values[e], mean(rows[e], columns[e]), 1e-11 * size);
    EXPECT_TRUE(spread.at({}, {}).empty());
  }
}

// A core matrix of more than 64 MiB is never held whole by a rank.
TEST(LargeCore, IsMultipliedByPanels) {
  const Index size = 2'900;
  const Approximation<double> approximation = make<double>(Shape::dense, size, size);
  Context context;
  const std::vector<Index> rows = {0, 129, 64, 64}, columns = {5, 129, 7, 90};
  const std::vector<double> values = approximate_entries(context.execution, approximation, rows, columns);
  for (std::size_t e = 0; e < rows.size(); ++e) {
    std::vector<double> right;
    for (Index l = 0; l < size; ++l) right.push_back(right_entry(columns[e], l));
    double expected = 0.0;
    for (Index k = 0; k < size; ++k) {
      double sum = 0.0;
      for (Index l = 0; l < size; ++l) sum += core_entry(k, l) * right[l];
      expected += left_entry(rows[e], k) * sum;
    }
    EXPECT_NEAR(values[e], expected, 1e-9 * static_cast<double>(size));
  }
}

TEST(Columns, KeepTheOrderThatIsAskedFor) {
  Context context;
  const std::vector<Index> columns = {77, 3, 77};
  const Dense expected = brute_force(Shape::dense, 4, 6);
  const RowBlock<double> block = approximate_columns(context.execution, make<double>(Shape::dense, 4, 6), columns);
  for (Index i = block.range().begin; i < block.range().end; ++i) {
    for (std::size_t c = 0; c < columns.size(); ++c) EXPECT_NEAR(block.row(i)[c], expected(i, columns[c]), 1e-12);
  }
}

TEST(FetchRows, BringsRowsFromTheirOwners) {
  const RowBlock<double> factor = rows_of<double>(5, left_entry);
  const auto [rows, columns] = wanted();
  const Buffer<double> fetched = fetch_rows(world(), factor, rows);
  ASSERT_EQ(fetched.size(), static_cast<Index>(rows.size()) * 5);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (Index k = 0; k < 5; ++k) EXPECT_EQ(fetched[static_cast<Index>(r) * 5 + k], left_entry(rows[r], k));
  }
}

}  // namespace
}  // namespace cairn::entries_test
