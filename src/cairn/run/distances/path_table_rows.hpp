// How the rows of a table of path lengths are cut, computed and written. Private to this folder.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "cairn/base/execution.hpp"
#include "cairn/data/graph/vertex_list.hpp"
#include "cairn/similarity/shortest_paths/path_length.hpp"
#include "cairn/store/files/length_table_file.hpp"

namespace cairn {

/// What is computed together: so many sources, and so many targets that are next to each other in their list.
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

/// Blocks of 16 MB, or of one sweep for each thread; columns are cut where that is more than `most_bytes` (0: 2 GiB).
/// It does not depend on the ranks. Local.
[[nodiscard]] TableCut cut_of(const PathTable& table, const PathLength& lengths, Index most_bytes, int threads);

/// What writing found.
struct PathTableFigures {
  LengthsFound found;  ///< in the whole table, by positions in the lists
  Index kept = 0;      ///< blocks of an earlier run
  double rows_per_second = 0.0;
};

/// The rows of one table.
class PathTableRows {
 public:
  /// Computes one batch on each rank, to know how long all will take. All outlive it. Collective.
  PathTableRows(const Execution& execution, const PathLength& lengths, const PathTable& table);
  ~PathTableRows();
  PathTableRows(const PathTableRows&) = delete;
  PathTableRows& operator=(const PathTableRows&) = delete;

  /// On all ranks together, besides writing.
  [[nodiscard]] double planned_seconds() const { return seconds_; }
  /// Of a rank: a block, what sweeps hold, and the lists of vertices.
  [[nodiscard]] double planned_bytes() const;

  /// Writes what the file does not hold; ends early on all ranks if a length is too long for its number.
  /// @throws as the file. Collective.
  [[nodiscard]] PathTableFigures write(LengthTableFile& file);

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
  std::vector<Index> order_;  // positions of sources, as they are best taken
  std::unique_ptr<Piece> piece_;
  double seconds_ = 0.0;
};

}  // namespace cairn
