// Checksums of data in HDF5 files: CRC-32, as computed by zlib and Python's zlib.crc32, of the bytes in the file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cairn/base/index.hpp"
#include "cairn/data/io/hdf5_handle.hpp"

namespace cairn::hdf5 {

/// Attribute of a data set: the CRC-32 of all its bytes. Also the group of longer checksum lists: for a data set with
/// the attribute checksum_rows it has a list at the same path, one CRC-32 for each block of that many rows.
inline constexpr const char* checksum_name = "crc32";
inline constexpr const char* checksum_rows = "crc32_rows";
/// Attribute of a symmetric matrix in tiles, the number of tiles: the list has one CRC-32 for each, row by row.
inline constexpr const char* checksum_tiles = "crc32_tiles";

/// CRC-32 of `bytes` bytes that follow bytes with the CRC-32 `before`. Local.
[[nodiscard]] std::uint32_t crc32(const void* data, Index bytes, std::uint32_t before = 0);
/// CRC-32 of two consecutive pieces, the second of `second_bytes` bytes. Local.
[[nodiscard]] std::uint32_t crc32_of_both(std::uint32_t first, std::uint32_t second, Index second_bytes);

/// CRC-32 of bytes [begin, begin + bytes) of a file; nothing if they cannot be read. Local.
[[nodiscard]] std::optional<std::uint32_t> crc32_of_file(const std::string& path, Index begin, Index bytes);
/// The same of the file of an HDF5 object that this rank has open, which need not be opened again. Local.
[[nodiscard]] std::optional<std::uint32_t> crc32_of_file(Identifier object, Index begin, Index bytes);

/// False if the bytes of a contiguous data set do not match its attribute crc32; true if it has none. Texts of variable
/// length are elsewhere in the file. Local.
[[nodiscard]] bool holds_checksum(Identifier dataset);

/// Checksums of a data set that readers of any HDF5 file read row by row. Most data sets have none.
class RowCheck {
 public:
  /// @param name  name of the data set @throws Error(input) if its checksums are invalid. Local.
  RowCheck(std::string path, std::string name, Identifier file, Identifier dataset);

  /// Compares the chunks of these rows with their checksums, each chunk once.
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
