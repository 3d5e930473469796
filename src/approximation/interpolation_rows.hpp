// From columns of P, where they were computed, to its rows, where they belong.
#pragma once

#include <span>
#include <vector>

#include "approximation/interpolation.hpp"

namespace cairn {

/// A computed column that is kept elsewhere; vertices ascending.
struct ColumnView {
  Index landmark = 0;
  std::span<const std::int32_t> vertices;
  std::span<const double> values;
};

/// P by rows of all columns of all ranks, e_k at the landmarks where their rows are unit rows. Entries travel twice, in
/// rounds of landmarks of about 200 MB over all ranks: first to be counted, then to be stored.
/// @param mine  this rank's columns, ascending by landmark; each column is on one rank
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
  /// The rows, e_k at the landmarks where their rows are unit rows. Collective.
  [[nodiscard]] SparseRows<double> finish(const Communicator& communicator, const std::vector<Index>& landmarks,
                                          bool unit_rows) &&;

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

/// Divides each row by its sum. @return rows left alone because their sum is 0. Collective.
[[nodiscard]] Index normalize_rows(const Communicator& communicator, SparseRows<double>& p);

/// Sums over some of the columns of P, at some vertices.
struct PartialRowSums {
  std::vector<std::int32_t> vertices;
  std::vector<double> sums;
};

/// max |sum - 1| over the vertices but those of `unit_rows`, of all parts of all ranks. Collective.
[[nodiscard]] double row_sum_error(const Communicator& communicator, const std::vector<Index>& unit_rows,
                                   Index vertices, const std::vector<PartialRowSums>& parts);

/// max |sum of a row - 1|. Collective.
[[nodiscard]] double row_sum_error(const Communicator& communicator, const SparseRows<double>& p);

}  // namespace cairn
