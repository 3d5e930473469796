// Bytes of a file from its start, decompressed where they are compressed. Private to this folder.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "cairn/base/index.hpp"
#include "cairn/base/process/reading_room.hpp"

namespace cairn {

/// A sequential reader.
class ByteStream {
 public:
  /// Opens a plain, .gz or .xz file, or the only file in a .zip archive, told by its first bytes.
  /// @throws Error(input) if it is missing, a folder, or unreadable. Local.
  static std::unique_ptr<ByteStream> open(const std::string& path);
  virtual ~ByteStream() = default;

  /// Up to `size` bytes; fewer at the end only, 0 after it.
  /// @throws Error(input) if the file is damaged or truncated; Error(resource) if what this process has made of the
  /// bytes so far leaves it too little memory (ReadingWatch)
  std::size_t read(char* target, std::size_t size);
  /// Passes over `size` bytes; at the end it stops.
  virtual void skip(Index size);
  /// A byte of the file gives at most so many: what a header says is checked against it before memory is taken.
  [[nodiscard]] virtual Index largest_expansion() const = 0;
  [[nodiscard]] bool compressed() const { return largest_expansion() > 1; }

 protected:
  explicit ByteStream(const std::string& path) : watch_(path) {}
  virtual std::size_t read_some(char* target, std::size_t size) = 0;

 private:
  ReadingWatch watch_;
  std::size_t unseen_ = 0;  // bytes since it looked
};

/// The only file in a .zip archive. @throws Error(input) if it holds several files or none, or one that is stored
/// in another way than deflated. Local.
[[nodiscard]] std::unique_ptr<ByteStream> open_zip(const std::string& path);

/// Bytes of a regular file. @throws Error(input) if it is missing or no regular file. Local.
[[nodiscard]] Index file_size(const std::string& path);

/// Bytes that a ByteStream of the file gives: a compressed one is decompressed to know. @throws Error(input). Local.
[[nodiscard]] Index content_size(const std::string& path);

}  // namespace cairn
