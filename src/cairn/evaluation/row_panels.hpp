// Transfers rows of K from the ranks that compute them to the owners of the vertices. Private to error_over_rows.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "cairn/base/buffer.hpp"
#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/mpi/row_partition.hpp"
#include "cairn/similarity/panel_source.hpp"
#include "cairn/similarity/source_similarity.hpp"

namespace cairn {

/// Rows of a round. Row k is computed by rank k mod ranks. Rows are stored and sent in the number type of the source
/// (PanelSource), else as doubles.
class RowPanels {
 public:
  /// @param most  maximum number of rows of this rank
  /// @throws Error(resource) if memory is insufficient. Local.
  RowPanels(const SourceSimilarity& similarity, Index most);

  /// Evaluates this rank's rows of a round, distributed over threads. @throws as SourceSimilarity::to_all. Local.
  void compute(const std::vector<Index>& sources, int threads);

  using Take = std::function<void(Index, std::span<const double>)>;
  /// Calls take(v, values) for every vertex v of this rank, ascending; values[k] = K(source k of the round, v).
  /// Memory: 2.25 x travelling_row_bytes and the values of one vertex.
  /// @param rows  number of rows of all ranks
  /// @throws as `take` does, on every rank. Collective.
  void deliver(const Communicator& communicator, const RowPartition& partition, Index rows, const Take& take) const;

 private:
  template <class Number>
  void deliver_numbers(const Communicator& communicator, const RowPartition& partition, Index rows,
                       const Take& take) const;
  template <class Number>
  void pack(Range vertices, std::vector<Number>& out) const;
  [[nodiscard]] std::byte* piece(Index begin) { return values_.data() + begin * similarity_.size() * bytes_; }

  const SourceSimilarity& similarity_;
  const PanelSource* panels_;   // null: every row is a piece of its own
  Index bytes_;                 // per value
  Index rows_ = 0, width_ = 1;  // current rows of this rank; rows per piece, fewer in the last
  Buffer<std::byte> values_;    // pieces, in each of which the values of a vertex are adjacent
};

}  // namespace cairn
