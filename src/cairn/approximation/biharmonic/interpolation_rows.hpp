// From columns of P, where they were computed, to its rows, where they belong.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "cairn/approximation/biharmonic/interpolation.hpp"
#include "cairn/base/mpi/node_array.hpp"

namespace cairn {

/// A computed column that is kept elsewhere; vertices ascending.
struct ColumnView {
  Index landmark = 0;
  std::span<const std::int32_t> vertices;
  std::span<const double> values;
};

/// P by rows of all columns of all ranks, e_k at the landmarks where their rows are unit rows. Entries travel twice, in
/// rounds of about half a megabyte a rank: first to be counted, then to be stored.
/// @param mine  this rank's columns, best with neighbours next to each other; each column is on one rank
/// Collective. Memory: 16 bytes an entry of own rows, and a round.
[[nodiscard]] SparseRows<double> rows_of_columns(const Communicator& communicator, const std::vector<Index>& landmarks,
                                                 bool unit_rows, Index vertices, const std::vector<ColumnView>& mine);

/// Keeps the `kept` entries of largest magnitude of each own row while columns come in.
class LargestOfRows {
 public:
  LargestOfRows(const Communicator& communicator, Index vertices, Index kept);
  /// Sends the columns' entries to the owners of their rows. Ranks may bring different numbers of columns, none
  /// included. Collective.
  void add(const Communicator& communicator, const std::vector<ColumnSolver::Column>& columns);
  /// Takes columns whose entries are all in own rows. Local.
  void add_own(const std::vector<ColumnSolver::Column>& columns);
  /// The rows, e_k at the landmarks where their rows are unit rows. Collective.
  [[nodiscard]] SparseRows<double> finish(const Communicator& communicator, const std::vector<Index>& landmarks,
                                          bool unit_rows) &&;

  /// What came in so far, of some own rows, as bytes of a length that the number of rows alone decides. Local.
  [[nodiscard]] std::vector<std::byte> pack(Range rows) const;
  [[nodiscard]] std::size_t packed_bytes(Range rows) const;
  /// Makes own rows what pack() gave. @throws Error(input) if that is impossible. Local.
  void unpack(Range rows, std::span<const std::byte> bytes);

  [[nodiscard]] const RowPartition& partition() const { return partition_; }
  [[nodiscard]] Range range() const { return range_; }
  [[nodiscard]] Index kept() const { return kept_; }

 private:
  struct Entry {
    std::int32_t landmark;
    double value;
  };
  void insert(Index row, Entry entry);

  RowPartition partition_;
  Range range_;
  Index kept_;
  std::vector<std::vector<Entry>> rows_;  // heaps, the smallest first
};

/// Divides each row by its sum, unless that is below `least_row_sum`: the entries that were dropped then weigh as much
/// as ten times those that were kept, and these would grow without bound. @return rows left alone. Collective.
inline constexpr double least_row_sum = 0.1;
[[nodiscard]] Index normalize_rows(const Communicator& communicator, SparseRows<double>& p);

/// Sums of the rows of P, added up column by column, or over some columns at a time, before anything is dropped: held
/// once per node, 8 bytes a vertex.
class RowSums {
 public:
  /// All 0. Collective.
  RowSums(const Communicator& communicator, Index vertices);
  /// Thread-safe, and with the other ranks of the node; local.
  void add(std::span<const std::int32_t> vertices, std::span<const double> values);
  /// max |sum - 1| over the vertices but those of `unit_rows`, once all ranks have added what they have. Collective.
  [[nodiscard]] double largest_error(const Communicator& communicator, const std::vector<Index>& unit_rows);

  /// Calls visit(first vertex, sums over all ranks) piece by piece, in pieces that the number of vertices alone
  /// decides. Collective; `visit` must not communicate.
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
