// Checksums of tables that all ranks fill: one per fixed number of rows, whichever rank writes them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/data/io/hdf5_checksum.hpp"

namespace cairn::hdf5 {

/// Rows per checksum: as many as fit into a mebibyte, at least 1.
[[nodiscard]] Index rows_of_checksum(Index row_bytes);
/// Number of checksums of a table.
[[nodiscard]] Index checksums_of(Index rows, Index row_bytes);
/// Path of the checksums: in the group crc32, under the path of the table.
[[nodiscard]] inline std::string checksum_path(const std::string& table) {
  return std::string(checksum_name) + "/" + table;
}

/// This rank's contribution: checksums of its own rows, in pieces that end where rows of another rank may begin.
class RowChecksums {
 public:
  struct Piece {
    Index first = 0;  ///< row
    Index bytes = 0;
    std::uint32_t sum = 0;
  };

  /// @param chunk_rows  rows per checksum
  explicit RowChecksums(Index chunk_rows) : chunk_rows_(chunk_rows) {}

  /// Adds rows of `row_bytes` bytes, as they are in memory and in the file; rows that follow the previous ones are
  /// appended to their piece.
  void add(Range rows, Index row_bytes, const void* values);

  /// Checksums of all ranks, combined on rank 0 and empty elsewhere; rows that were never added are left out.
  /// @param count  number of checksums of the table. Collective.
  [[nodiscard]] std::vector<std::uint32_t> gather(const Communicator& communicator, Index count) const;

 private:
  Index chunk_rows_;
  Index end_ = -1;  // end of the rows of the last piece
  std::vector<Piece> pieces_;
};

}  // namespace cairn::hdf5
