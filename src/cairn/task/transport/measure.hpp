// The two measures of a transport: two sets of points with weights, distributed so that each rank has its share of
// both.
#pragma once

#include <span>
#include <vector>

#include "cairn/base/matrix_view.hpp"
#include "cairn/base/mpi/row_partition.hpp"
#include "cairn/base/schedule/execution.hpp"
#include "cairn/linalg/tall/row_block.hpp"

namespace cairn {

/// The two sides of a transport.
enum class Side { source, target };

[[nodiscard]] constexpr std::size_t index_of(Side side) { return static_cast<std::size_t>(side); }
[[nodiscard]] constexpr Side other(Side side) { return side == Side::source ? Side::target : Side::source; }
[[nodiscard]] constexpr const char* name_of(Side side) { return side == Side::source ? "source" : "target"; }

/// The points of both sides as one list, in which they alternate in proportion to their numbers: a share of the list is
/// the same share of either side. It depends only on both numbers; each side keeps its order.
class InterleavedRows {
 public:
  InterleavedRows(Index source, Index target, int ranks);

  /// Partition of the list.
  [[nodiscard]] const RowPartition& partition() const { return partition_; }
  /// Numbers of the points of a side that are among the rows of a rank: a contiguous range.
  [[nodiscard]] Range range(Side side, int rank) const { return range(side, partition_.range(rank)); }
  /// Numbers of the points of a side that are among `rows` of the list.
  [[nodiscard]] Range range(Side side, Range rows) const { return {before(side, rows.begin), before(side, rows.end)}; }
  /// Row of point `number` of a side.
  [[nodiscard]] Index row(Side side, Index number) const;
  /// Rank that has point `number` of a side.
  [[nodiscard]] int owner(Side side, Index number) const { return partition_.owner(row(side, number)); }

 private:
  // Number of points of the side before a row.
  [[nodiscard]] Index before(Side side, Index row) const;

  Index source_, target_;
  RowPartition partition_;
};

/// One side: distinct points with positive weights; each rank has a range of them.
template <class T>
struct Measure {
  Index size = 0;  ///< number of points of all ranks
  Range own;       ///< numbers of this rank's points
  Index dimension = 0;
  std::vector<T> coordinates;   ///< own points, row-major
  std::vector<double> weights;  ///< of own points; sum to 1 over all ranks

  [[nodiscard]] MatrixView<const T> points() const { return {coordinates.data(), own.size(), dimension}; }
};

/// Points after merging equal rows, not yet distributed to their owners.
template <class T>
struct MergedPoints {
  Index size = 0;  ///< number of distinct points with a weight above 0, in the order of their first occurrence
  std::vector<Index> groups;  ///< for each of this rank's rows: the number of its point; -1 if its weight is 0
  Index dropped = 0;          ///< number of rows with weight 0, over all ranks
  // Points that this rank holds, in any order.
  std::vector<Index> numbers;
  std::vector<double> weights;  ///< sum to 1 over all ranks
  std::vector<T> coordinates;
};

/// Merges equal rows; 0 and -0 are equal. Weights are added in the order of the rows. The numbering of the points does
/// not depend on the number of ranks. @param weights  of this rank's rows, at least 0 and finite, not all 0; empty on
/// all ranks: equal weights. Collective. Memory: temporarily about three times the rows; equal rows of a rank are sent
/// once.
template <class T>
[[nodiscard]] MergedPoints<T> merge_points(const Communicator& communicator, const RowBlock<T>& rows,
                                           std::span<const double> weights);

/// Sends merged points to the ranks that own them. Collective.
template <class T>
[[nodiscard]] Measure<T> deal_points(const Communicator& communicator, const MergedPoints<T>& merged,
                                     const InterleavedRows& rows, Side side, Index dimension);

}  // namespace cairn
