#include <gtest/gtest.h>

#include <limits>

#include "cairn/base/error.hpp"
#include "cairn/linalg/dense/block_cyclic_layout.hpp"
#include "cairn/linalg/dense/redistribution.hpp"
#include "replicated.hpp"

namespace cairn::layout_test {
namespace {

using test::Replicated;
using test::replicated;
using test::world;

struct Shape {
  Index rows, columns;
};

class Layouts : public testing::TestWithParam<Shape> {
 protected:
  const Replicated matrix = test::random_matrix(GetParam().rows, GetParam().columns, 11);
  const std::shared_ptr<const ProcessGrid> grid = test::world_grid();
};

// One entry, fewer rows than ranks, exact blocks, a block and a bit, no column, no row, several blocks a rank.
INSTANTIATE_TEST_SUITE_P(OddSizes, Layouts,
                         testing::Values(Shape{1, 1}, Shape{2, 5}, Shape{64, 64}, Shape{65, 129}, Shape{129, 65},
                                         Shape{7, 0}, Shape{0, 7}, Shape{0, 0}, Shape{600, 3}, Shape{3, 600},
                                         Shape{300, 301}));

TEST_P(Layouts, EveryEntryHasExactlyOneOwner) {
  BlockCyclicMatrix ones(grid, GetParam().rows, GetParam().columns);
  ones.fill([](Index, Index) { return 1.0; });
  const Replicated counted = replicated(ones);
  for (const double count : counted.values) ASSERT_EQ(count, 1.0);
  EXPECT_EQ(world().sum(ones.local_rows() * ones.local_columns()), GetParam().rows * GetParam().columns);
}

TEST_P(Layouts, TallGoesToBlockCyclicAndBackUnchanged) {
  const auto tall = test::tall_matrix<double>(matrix);
  const BlockCyclicMatrix cyclic = to_block_cyclic(grid, tall);
  EXPECT_EQ(largest_difference(replicated(cyclic), matrix), 0.0);
  const auto back = to_row_block<double>(cyclic, tall.partition());
  EXPECT_EQ(largest_difference(replicated(back), matrix), 0.0);
}

TEST_P(Layouts, SinglePrecisionGoesToBlockCyclicAndBackUnchanged) {
  const auto tall = test::tall_matrix<float>(matrix);
  const BlockCyclicMatrix cyclic = to_block_cyclic(grid, tall);
  EXPECT_LE(largest_difference(replicated(cyclic), matrix), 1e-6);
  const auto back = to_row_block<float>(cyclic, tall.partition());
  EXPECT_EQ(largest_difference(replicated(back), replicated(tall)), 0.0);
}

TEST_P(Layouts, ReplicatedColumnsAreThoseOfTheMatrix) {
  const BlockCyclicMatrix cyclic = distributed(grid, matrix);
  const Index n = GetParam().columns;
  for (const Range columns : {Range{0, n}, Range{n / 3, n}, Range{0, n / 2}, Range{n / 3, n / 2}, Range{n, n}}) {
    const Buffer<double> panel = replicate_columns(cyclic, columns);
    ASSERT_EQ(panel.size(), matrix.rows * columns.size());
    double largest = 0.0;
    for (Index i = 0; i < matrix.rows; ++i)
      for (Index j = columns.begin; j < columns.end; ++j)
        largest = std::max(largest, std::abs(panel[i * columns.size() + j - columns.begin] - matrix(i, j)));
    EXPECT_EQ(largest, 0.0);
  }
}

TEST_P(Layouts, TheRootGathersAndScattersTheWholeMatrix) {
  const BlockCyclicMatrix cyclic = distributed(grid, matrix);
  const Buffer<double> whole = detail::gather_on_root(cyclic);
  EXPECT_EQ(whole.size(), world().is_root() ? matrix.rows * matrix.columns : 0);
  double largest = 0.0;
  if (world().is_root())
    for (Index j = 0; j < matrix.columns; ++j)
      for (Index i = 0; i < matrix.rows; ++i)
        largest = std::max(largest, std::abs(whole[j * matrix.rows + i] - matrix(i, j)));
  EXPECT_EQ(largest, 0.0);
  const BlockCyclicMatrix back = detail::scatter_from_root(grid, matrix.rows, matrix.columns, whole);
  EXPECT_EQ(largest_difference(replicated(back), matrix), 0.0);
}

TEST(SelectedRows, StandInTheOrderInWhichTheyWerePicked) {
  const Replicated matrix = test::random_matrix(333, 70, 12);
  std::vector<Index> pick = {332, 0, 17, 17, 250};
  const Random random(13, Stream::test);
  for (std::uint64_t i = 0; i < 140; ++i) pick.push_back(random.below(333, i));
  const BlockCyclicMatrix selected = select_rows<double>(test::world_grid(), test::tall_matrix<double>(matrix), pick);
  Replicated expected(static_cast<Index>(pick.size()), 70);
  for (Index i = 0; i < expected.rows; ++i)
    for (Index j = 0; j < 70; ++j) expected(i, j) = matrix(pick[i], j);
  EXPECT_EQ(largest_difference(replicated(selected), expected), 0.0);
}

TEST(SelectedRows, MayBeNone) {
  const auto tall = test::tall_matrix<float>(test::random_matrix(10, 4, 14));
  EXPECT_EQ(select_rows<float>(test::world_grid(), tall, {}).rows(), 0);
}

TEST(SelectedRows, OutsideTheMatrixAreAnErrorOnEveryRank) {
  const auto tall = test::tall_matrix<double>(test::random_matrix(10, 4, 15));
  const std::vector<Index> pick = {3, 10};
  EXPECT_THROW(static_cast<void>(select_rows<double>(test::world_grid(), tall, pick)), Error);
}

TEST(ProcessGrid, HoldsEveryRankOnceAndIsAsSquareAsTheirNumberAllows) {
  const ProcessGrid grid(world());
  EXPECT_EQ(grid.rows() * grid.columns(), world().size());
  EXPECT_LE(grid.rows(), grid.columns());
  EXPECT_EQ(grid.rank_at(grid.row(), grid.column()), world().rank());
  const std::vector<int> rows_of_one_to_four = {1, 1, 1, 2};
  EXPECT_EQ(grid.rows(), rows_of_one_to_four.at(static_cast<std::size_t>(world().size() - 1)));
}

TEST(Limits, MatricesBeyond32BitsAreRefusedOnEveryRankBeforeAnythingIsAllocated) {
  const auto grid = test::world_grid();
  constexpr Index largest = std::numeric_limits<int>::max();
  for (const Shape shape : {Shape{largest + 1, 1}, Shape{1, largest + 1}, Shape{100000, 100000}, Shape{-1, 1}}) {
    const ErrorKind expected = shape.rows < 0 ? ErrorKind::internal : ErrorKind::resource;
    try {
      const BlockCyclicMatrix matrix(grid, shape.rows, shape.columns);
      ADD_FAILURE() << "a matrix of " << shape.rows << " rows was made";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), expected);
      if (expected == ErrorKind::resource) EXPECT_NE(std::string(error.what()).find("more ranks"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace cairn::layout_test
