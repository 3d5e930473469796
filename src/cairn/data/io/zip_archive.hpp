// What is in a .zip archive. Private to this folder.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cairn/data/io/byte_stream.hpp"

namespace cairn {

/// A file in an archive.
struct ZipMember {
  std::string name;
  Index method = 0;    ///< 0: stored as it is, 8: deflated
  Index offset = 0;    ///< of its packed bytes in the archive
  Index packed = 0;    ///< how many there are
  Index size = 0;      ///< how many bytes they give
  Index checksum = 0;  ///< CRC-32 of these
  [[nodiscard]] bool stored() const { return method == 0; }
};

/// The files of an archive, folders left out, in the order of its directory; those of 4 GiB and more too (ZIP64).
/// @throws Error(input) for a damaged or truncated archive, and a file in it that is encrypted or packed in another
/// way. Local.
[[nodiscard]] std::vector<ZipMember> zip_members(const std::string& path);

/// The bytes of one of them. @throws Error(input) if the archive cannot be opened; its read() if the bytes do not give
/// what was packed. Local.
[[nodiscard]] std::unique_ptr<ByteStream> open_zip_member(const std::string& path, const ZipMember& member);

}  // namespace cairn
