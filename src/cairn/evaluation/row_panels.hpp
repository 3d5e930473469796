// Rows of K on their way from the ranks that compute them to the owners of the vertices. Private to error_over_rows.
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

/// Rows of a round: the k-th of them is computed by rank k mod ranks. They are kept, and travel, in the numbers in
/// which they come (PanelSource), else as doubles.
class RowPanels {
 public:
  /// @param most  rows that this rank holds at once @throws Error(resource) if there is no room for them. Local.
  RowPanels(const SourceSimilarity& similarity, Index most);

  /// Evaluates this rank's rows of a round, dealt to threads. @throws as SourceSimilarity::to_all. Local.
  void compute(const std::vector<Index>& sources, int threads);

  using Take = std::function<void(Index, std::span<const double>)>;
  /// take(v, values) of every vertex v that this rank owns, ascending: values[k] = K(source k of the round, v).
  /// Memory: 2.25 x travelling_row_bytes and the values of one vertex. @param rows  of all ranks @throws as `take`
  /// does, on every rank. Collective.
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
  Index bytes_;                 // of a value
  Index rows_ = 0, width_ = 1;  // that are held; in a piece, of which the last may have fewer
  Buffer<std::byte> values_;    // pieces: the values of a vertex in one stand together
};

}  // namespace cairn
