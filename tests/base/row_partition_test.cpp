#include "cairn/base/mpi/row_partition.hpp"

#include <gtest/gtest.h>

#include "cairn/base/error.hpp"

namespace cairn::row_partition_test {
namespace {

TEST(RowPartition, BlocksAreContiguousAndCoverAllRows) {
  for (const Index rows : {0, 1, 15, 16, 17, 1000, 20000, 123457}) {
    for (const int ranks : {1, 2, 3, 4, 7, 64, 2000}) {
      const RowPartition partition(rows, ranks);
      Index next = 0;
      for (int r = 0; r < ranks; ++r) {
        EXPECT_EQ(partition.range(r).begin, next);
        EXPECT_LE(partition.range(r).begin, partition.range(r).end);
        next = partition.range(r).end;
      }
      EXPECT_EQ(next, rows) << rows << " rows on " << ranks << " ranks";
    }
  }
}

TEST(RowPartition, OwnerIsTheRankWhoseRangeHoldsTheRow) {
  for (const Index rows : {1, 40, 1000, 123457}) {
    for (const int ranks : {1, 3, 5, 200}) {
      const RowPartition partition(rows, ranks);
      for (Index row = 0; row < rows; row += 13) EXPECT_TRUE(partition.range(partition.owner(row)).contains(row));
    }
  }
}

TEST(RowPartition, BoundariesAreMultiplesOfTheUnit) {
  const RowPartition partition(123457, 5);
  EXPECT_EQ(RowPartition::unit(123457), 64);
  for (int r = 0; r < 5; ++r) EXPECT_EQ(partition.range(r).begin % 64, 0);
}

TEST(RowPartition, UnitIsBetween16And1024) {
  EXPECT_EQ(RowPartition::unit(1), 16);
  EXPECT_EQ(RowPartition::unit(200000), 128);
  EXPECT_EQ(RowPartition::unit(Index{1} << 40), 1024);
}

TEST(RowPartition, HoldsMoreRowsThan32Bits) {
  const RowPartition partition(Index{1} << 40, 3);
  EXPECT_EQ(partition.range(2).end, Index{1} << 40);
  EXPECT_EQ(partition.owner((Index{1} << 40) - 1), 2);
}

TEST(RowPartition, NegativeRowsAreRefused) { EXPECT_THROW(RowPartition(-1, 2), Error); }

}  // namespace
}  // namespace cairn::row_partition_test
