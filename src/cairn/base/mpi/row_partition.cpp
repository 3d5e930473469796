#include "cairn/base/mpi/row_partition.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "cairn/base/error.hpp"

namespace cairn {

namespace {

constexpr Index ceil_divide(Index a, Index b) { return (a + b - 1) / b; }

}  // namespace

RowPartition::RowPartition(Index rows, int ranks) : rows_(rows), ranks_(ranks) {
  if (rows < 0 || ranks < 1) throw Error(ErrorKind::internal, "a row partition needs rows >= 0 and ranks >= 1");
}

Index RowPartition::unit(Index rows) {
  const auto floor = static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(rows / 1024)));
  return std::clamp<Index>(floor, 16, 1024);
}

// Units are distributed evenly: the first `units % ranks` ranks hold one more.
Range RowPartition::range(int rank) const {
  const Index units = ceil_divide(rows_, unit(rows_));
  const Index each = units / ranks_;
  const Index more = units % ranks_;
  const Index first = rank * each + std::min<Index>(rank, more);
  const Index last = first + each + (rank < more ? 1 : 0);
  return {std::min(first * unit(rows_), rows_), std::min(last * unit(rows_), rows_)};
}

int RowPartition::owner(Index row) const {
  const Index units = ceil_divide(rows_, unit(rows_));
  const Index each = units / ranks_;
  const Index more = units % ranks_;
  const Index u = row / unit(rows_);
  const Index in_larger = more * (each + 1);
  return static_cast<int>(u < in_larger ? u / (each + 1) : more + (u - in_larger) / each);
}

}  // namespace cairn
