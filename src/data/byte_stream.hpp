// Bytes of a file from its start, decompressed where they are compressed. Private to this folder.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/index.hpp"

namespace cairn {

/// A sequential reader.
class ByteStream {
 public:
  /// Opens a plain, .gz or .xz file, told by its first bytes.
  /// @throws Error(input) if it is missing, a folder, or unreadable. Local.
  static std::unique_ptr<ByteStream> open(const std::string& path);
  virtual ~ByteStream() = default;

  /// Up to `size` bytes; fewer at the end only, 0 after it.
  /// @throws Error(input) where the file is damaged or cut short
  virtual std::size_t read(char* target, std::size_t size) = 0;
  /// Passes over `size` bytes; at the end it stops.
  virtual void skip(Index size);
  [[nodiscard]] virtual bool compressed() const { return true; }
};

/// Bytes of a regular file. @throws Error(input) if it is missing or no regular file. Local.
[[nodiscard]] Index file_size(const std::string& path);

}  // namespace cairn
