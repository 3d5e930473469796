// What a transport moves: points with weights, two sets of them, dealt so that each rank has its share of both.
#pragma once

#include <span>
#include <vector>

#include "cairn/base/execution.hpp"
#include "cairn/base/matrix_view.hpp"
#include "cairn/base/mpi/row_partition.hpp"
#include "cairn/linalg/tall/row_block.hpp"

namespace cairn {

/// The two sides of a transport.
enum class Side { source, target };

[[nodiscard]] constexpr Side other(Side side) { return side == Side::source ? Side::target : Side::source; }
[[nodiscard]] constexpr const char* name_of(Side side) { return side == Side::source ? "source" : "target"; }

/// The points of both sides as one list in which they take turns, in proportion to their numbers: a share of the list
/// is the same share of either side. It depends on both numbers alone; each side keeps its order.
class InterleavedRows {
 public:
  InterleavedRows(Index source, Index target, int ranks);

  /// Of the list.
  [[nodiscard]] const RowPartition& partition() const { return partition_; }
  /// Numbers of the points of a side that the rows of a rank are: a contiguous range.
  [[nodiscard]] Range range(Side side, int rank) const { return range(side, partition_.range(rank)); }
  /// The same of some rows of the list.
  [[nodiscard]] Range range(Side side, Range rows) const { return {before(side, rows.begin), before(side, rows.end)}; }
  /// The row of point `number` of a side.
  [[nodiscard]] Index row(Side side, Index number) const;
  /// The rank that has it.
  [[nodiscard]] int owner(Side side, Index number) const { return partition_.owner(row(side, number)); }

 private:
  // Points of the side in front of a row.
  [[nodiscard]] Index before(Side side, Index row) const;

  Index source_, target_;
  RowPartition partition_;
};

/// One side: different points with positive weights, each rank with a range of them.
template <class T>
struct Measure {
  Index size = 0;  ///< points of all ranks
  Range own;       ///< numbers of this rank's points
  Index dimension = 0;
  std::vector<T> coordinates;   ///< own points, row-major
  std::vector<double> weights;  ///< of own points; those of all ranks sum to 1

  [[nodiscard]] MatrixView<const T> points() const { return {coordinates.data(), own.size(), dimension}; }
};

/// Points of which equal ones were made one, wherever they are at the moment.
template <class T>
struct MergedPoints {
  Index size = 0;             ///< different points with a weight above 0, in the order in which they first come
  std::vector<Index> groups;  ///< of this rank's rows: the number of its point; -1: its weight is 0
  Index dropped = 0;          ///< rows of weight 0, over all ranks
  // Points that this rank holds, in any order.
  std::vector<Index> numbers;
  std::vector<double> weights;  ///< they sum to 1 over all ranks
  std::vector<T> coordinates;
};

/// Merges equal rows; 0 and -0 are equal. Weights are added in the order of the rows. The points are numbered the same
/// on any number of ranks. @param weights  of this rank's rows, at least 0 and finite, not all 0; empty everywhere: all
/// are equal. Collective. Memory: about three times the rows for a moment; equal rows of a rank travel once.
template <class T>
[[nodiscard]] MergedPoints<T> merge_points(const Communicator& communicator, const RowBlock<T>& rows,
                                           std::span<const double> weights);

/// Brings merged points to the ranks that own them. Collective.
template <class T>
[[nodiscard]] Measure<T> deal_points(const Communicator& communicator, const MergedPoints<T>& merged,
                                     const InterleavedRows& rows, Side side, Index dimension);

}  // namespace cairn
