// Checksums of tables that all ranks fill: one for every so many rows, whoever writes them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/data/io/hdf5_checksum.hpp"

namespace cairn::hdf5 {

/// Rows that one checksum is of: as many as a mebibyte holds, at least 1.
[[nodiscard]] Index rows_of_checksum(Index row_bytes);
/// Checksums of a table.
[[nodiscard]] Index checksums_of(Index rows, Index row_bytes);
/// Where they are: in the group crc32, under the path of the table.
[[nodiscard]] inline std::string checksum_path(const std::string& table) {
  return std::string(checksum_name) + "/" + table;
}

/// What this rank knows of them: those of its own rows, in pieces that end where those of another rank may begin.
class RowChecksums {
 public:
  struct Piece {
    Index first = 0;  ///< row
    Index bytes = 0;
    std::uint32_t sum = 0;
  };

  /// @param chunk_rows  rows that one checksum is of
  explicit RowChecksums(Index chunk_rows) : chunk_rows_(chunk_rows) {}

  /// Rows of `row_bytes` bytes as they are in memory and in the file; rows that follow those before are joined to them.
  void add(Range rows, Index row_bytes, const void* values);

  /// Those of all ranks, put together on rank 0 and empty elsewhere; rows that nobody added are left out.
  /// @param count  of checksums of the table. Collective.
  [[nodiscard]] std::vector<std::uint32_t> gather(const Communicator& communicator, Index count) const;

 private:
  Index chunk_rows_;
  Index end_ = -1;  // of the rows of the last piece
  std::vector<Piece> pieces_;
};

}  // namespace cairn::hdf5
