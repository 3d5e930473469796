// Checksums of what HDF5 files hold: CRC-32, as zlib and Python's zlib.crc32 have it, of bytes as they are in the file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cairn/base/index.hpp"
#include "cairn/data/io/hdf5_handle.hpp"

namespace cairn::hdf5 {

/// Attribute of a data set: the CRC-32 of all its bytes. Also the group with what does not fit there: of a data set
/// with the attribute checksum_rows, the list of the same path, one CRC-32 for every so many rows.
inline constexpr const char* checksum_name = "crc32";
inline constexpr const char* checksum_rows = "crc32_rows";
/// Attribute of a symmetric matrix in tiles, with their number: the list has one CRC-32 for each, row by row.
inline constexpr const char* checksum_tiles = "crc32_tiles";

/// CRC-32 of `bytes` bytes that follow those of which it is `before`. Local.
[[nodiscard]] std::uint32_t crc32(const void* data, Index bytes, std::uint32_t before = 0);
/// Of two pieces that follow each other, the second of `second_bytes` bytes. Local.
[[nodiscard]] std::uint32_t crc32_of_both(std::uint32_t first, std::uint32_t second, Index second_bytes);

/// Of bytes [begin, begin + bytes) of a file; nothing if they cannot be read. Local.
[[nodiscard]] std::optional<std::uint32_t> crc32_of_file(const std::string& path, Index begin, Index bytes);

/// False if the bytes of a contiguous data set are not those of its attribute crc32; true, too, if it has none.
/// Texts of variable length are elsewhere in the file. Local.
[[nodiscard]] bool holds_checksum(const std::string& path, Identifier dataset);

/// The checksums of a data set whose rows are read one by one, by readers of any HDF5 file. Most have none.
class RowCheck {
 public:
  /// @param name  of the data set @throws Error(input) if its checksums are not what they should be. Local.
  RowCheck(std::string path, std::string name, Identifier file, Identifier dataset);

  /// Holds the chunks of these rows against their checksums, each chunk once.
  /// @throws Error(input) that names the file, the data set and rows. Local.
  void require(Range rows);

 private:
  [[noreturn]] void refuse(const std::string& what) const;

  std::string path_, name_;
  Index place_ = 0, rows_ = 0, row_bytes_ = 0, chunk_rows_ = 0;  // chunk_rows_ = 0: nothing to check
  std::vector<std::uint32_t> sums_;
  std::vector<bool> checked_;
};

}  // namespace cairn::hdf5
