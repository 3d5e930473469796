// Division, computation and output of the rows of a path-length table. Private to this folder.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "cairn/base/schedule/execution.hpp"
#include "cairn/data/graph/vertex_list.hpp"
#include "cairn/similarity/shortest_paths/path_length.hpp"
#include "cairn/store/files/length_table_file.hpp"

namespace cairn {

/// Block that is computed together: number of sources, and number of consecutive targets in their list.
struct TableCut {
  Index rows = 1, columns = 1;
};

struct PathTable {
  VertexList sources{}, targets{};
  hdf5::ElementType number{};
  double scale = 1.0;
  TableCut cut{};

  [[nodiscard]] Index rows() const { return sources.size(); }
  [[nodiscard]] Index columns() const { return targets.size(); }
  [[nodiscard]] Index row_blocks() const { return (rows() + cut.rows - 1) / cut.rows; }
  [[nodiscard]] Index column_pieces() const { return (columns() + cut.columns - 1) / cut.columns; }
  [[nodiscard]] Index blocks() const { return row_blocks() * column_pieces(); }
};

/// Blocks of 16 MB, or of one sweep per thread; columns are divided if that is more than `most_bytes` (0: 2 GiB).
/// Independent of the ranks. Local.
[[nodiscard]] TableCut cut_of(const PathTable& table, const PathLength& lengths, Index most_bytes, int threads);

/// Metrics of writing a table.
struct PathTableMetrics {
  LengthsFound found;  ///< of the whole table, by positions in the lists
  Index kept = 0;      ///< blocks from an earlier run
  double rows_per_second = 0.0;
};

/// The rows of one table.
class PathTableRows {
 public:
  /// Computes one batch on each rank, to estimate the total time. All arguments must outlive it. Collective.
  PathTableRows(const Execution& execution, const PathLength& lengths, const PathTable& table);
  ~PathTableRows();
  PathTableRows(const PathTableRows&) = delete;
  PathTableRows& operator=(const PathTableRows&) = delete;

  /// Seconds on all ranks together, without writing.
  [[nodiscard]] double planned_seconds() const { return seconds_; }
  /// Bytes of a rank: a block, the memory of sweeps, and the lists of vertices.
  [[nodiscard]] double planned_bytes() const;

  /// Writes what the file does not hold yet; ends early on all ranks if a length is too large for its number.
  /// @throws as the file. Collective.
  [[nodiscard]] PathTableMetrics write(LengthTableFile& file);

 private:
  struct Piece;
  [[nodiscard]] Piece prepare(Index piece) const;
  [[nodiscard]] std::vector<Index> rows_of(Index row_block) const;
  [[nodiscard]] LengthsFound compute(const Piece& piece, const std::vector<Index>& rows,
                                     std::span<std::byte> out) const;
  [[nodiscard]] std::vector<char> held(const LengthTableFile& file, LengthsFound& found) const;

  const Execution& execution_;
  const PathLength& lengths_;
  const PathTable& table_;
  std::vector<Index> order_;  // positions of sources, in the order of processing
  std::unique_ptr<Piece> piece_;
  double seconds_ = 0.0;
};

}  // namespace cairn
