// Redistribution of P from computed columns to rows on their owners.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "cairn/approximation/biharmonic/interpolation.hpp"
#include "cairn/base/mpi/node_array.hpp"

namespace cairn {

/// P by rows from all columns of all ranks, e_k at the landmarks if their rows are unit rows. Entries are sent twice,
/// in rounds of about half a megabyte per rank: first to be counted, then to be stored.
/// @param mine  this rank's columns, preferably with neighbors adjacent; each column is on one rank
/// Collective. Memory: 16 bytes per entry of own rows, and a round.
[[nodiscard]] SparseRows<double> rows_of_columns(const Communicator& communicator, const std::vector<Index>& landmarks,
                                                 bool unit_rows, Index vertices, const std::vector<ColumnView>& mine);

/// Keeps the `kept` entries of largest magnitude of each own row while columns arrive; zeros are no entries. Memory: 12
/// bytes per entry that a row can keep, and 8 more in finish().
class LargestOfRows {
 public:
  /// Collective.
  LargestOfRows(const Communicator& communicator, Index vertices, Index kept);
  /// Sends the columns' entries to the owners of their rows. Ranks may pass different numbers of columns, including
  /// none. Collective.
  void add(const Communicator& communicator, const std::vector<ColumnSolver::Column>& columns);
  /// Adds a column whose entries are all in own rows. Local.
  void add_own(const ColumnView& column);
  /// Removes all entries. Local.
  void clear();
  /// The rows, e_k at the landmarks if their rows are unit rows. Collective.
  [[nodiscard]] SparseRows<double> finish(const Communicator& communicator, const std::vector<Index>& landmarks,
                                          bool unit_rows) &&;

  /// The current entries of some own rows, as bytes; the length depends on the number of rows alone. Local.
  [[nodiscard]] std::vector<std::byte> pack(Range rows) const;
  [[nodiscard]] std::size_t packed_bytes(Range rows) const;
  /// Restores own rows from the bytes of pack(). @throws Error(input) if these are invalid. Local.
  void unpack(Range rows, std::span<const std::byte> bytes);

  [[nodiscard]] const RowPartition& partition() const { return partition_; }
  [[nodiscard]] Range range() const { return range_; }
  [[nodiscard]] Index kept() const { return kept_; }

 private:
  void insert(Index row, std::int32_t landmark, double value);
  [[nodiscard]] bool smaller(Index a, Index b) const;
  void sift_down(Index begin, Index at);

  RowPartition partition_;
  Range range_;
  Index kept_;
  std::vector<std::int32_t> counts_;  // of entries, by own row
  // By own row, space for `kept` entries: in any order, and once it is full a heap, the smallest on top.
  std::vector<std::int32_t> landmarks_;
  std::vector<double> values_;
};

/// Divides each row by its sum, unless the sum is below `least_row_sum`: the dropped entries then weigh as much as ten
/// times the kept ones, which would grow without bound. @return number of rows left unchanged. Collective.
inline constexpr double least_row_sum = 0.1;
[[nodiscard]] Index normalize_rows(const Communicator& communicator, SparseRows<double>& p);

/// Sums of the rows of P before entries are dropped, accumulated over one or several columns at a time: stored once per
/// node, 8 bytes per vertex.
class RowSums {
 public:
  /// Starts with all sums 0. Collective.
  RowSums(const Communicator& communicator, Index vertices);
  /// Thread-safe, also among the ranks of the node; local.
  void add(std::span<const std::int32_t> vertices, std::span<const double> values);
  /// max |sum - 1| over all vertices except those of `unit_rows`, once all ranks have added their columns. Collective.
  [[nodiscard]] double largest_error(const Communicator& communicator, const std::vector<Index>& unit_rows);

  /// Calls visit(first vertex, sums over all ranks) piece by piece; the pieces depend on the number of vertices alone.
  /// Collective; `visit` must not communicate.
  void for_each_piece(const Communicator& communicator,
                      const std::function<void(Index, std::span<const double>)>& visit);
  [[nodiscard]] Index vertices() const { return sums_.size(); }
  static constexpr Index piece = Index{1} << 17;

 private:
  NodeArray<double> sums_;
};

/// max |sum of a row - 1|. Collective.
[[nodiscard]] double row_sum_error(const Communicator& communicator, const SparseRows<double>& p);

}  // namespace cairn
