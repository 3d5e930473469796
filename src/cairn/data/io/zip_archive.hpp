// The contents of a .zip archive. Private to this folder.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cairn/data/io/byte_stream.hpp"

namespace cairn {

/// A file in an archive.
struct ZipMember {
  std::string name;
  Index method = 0;    ///< 0: stored unchanged, 8: deflated
  Index offset = 0;    ///< offset of its packed bytes in the archive
  Index packed = 0;    ///< number of packed bytes
  Index size = 0;      ///< number of unpacked bytes
  Index checksum = 0;  ///< CRC-32 of the unpacked bytes
  [[nodiscard]] bool stored() const { return method == 0; }
};

/// The files of an archive, without folders, in the order of its directory, also those of 4 GiB and more (ZIP64).
/// @throws Error(input) for a damaged or truncated archive, and for a file in it that is encrypted or packed in another
/// way. Local.
[[nodiscard]] std::vector<ZipMember> zip_members(const std::string& path);

/// Opens one of them. @throws Error(input) if the archive cannot be opened; its read() throws if the data do not match
/// the directory. Local.
[[nodiscard]] std::unique_ptr<ByteStream> open_zip_member(const std::string& path, const ZipMember& member);

}  // namespace cairn
