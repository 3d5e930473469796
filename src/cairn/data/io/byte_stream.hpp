// The bytes of a file from its start, decompressed if necessary. Private to this folder.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "cairn/base/index.hpp"
#include "cairn/base/process/reading_budget.hpp"

namespace cairn {

/// A sequential reader.
class ByteStream {
 public:
  /// Opens a plain, .gz or .xz file, or the only file in a .zip archive, recognized by its first bytes.
  /// @throws Error(input) if it is missing, a folder, or unreadable. Local.
  static std::unique_ptr<ByteStream> open(const std::string& path);
  virtual ~ByteStream() = default;

  /// Reads up to `size` bytes; fewer only at the end, 0 after it.
  /// @throws Error(input) if the file is damaged or truncated; Error(resource) if the data made from the bytes so far
  /// leave this process too little memory (ReadingWatch)
  std::size_t read(char* target, std::size_t size);
  /// Skips `size` bytes; stops at the end.
  virtual void skip(Index size);
  /// Upper bound on the bytes from one byte of the file: headers are checked against it before memory is allocated.
  [[nodiscard]] virtual Index largest_expansion() const = 0;
  [[nodiscard]] bool compressed() const { return largest_expansion() > 1; }

 protected:
  explicit ByteStream(const std::string& path) : watch_(path) {}
  virtual std::size_t read_some(char* target, std::size_t size) = 0;

 private:
  ReadingWatch watch_;
  std::size_t unseen_ = 0;  // bytes since its last check
};

/// Opens the only file in a .zip archive. @throws Error(input) if it holds several files or none, or one that is
/// neither stored nor deflated. Local.
[[nodiscard]] std::unique_ptr<ByteStream> open_zip(const std::string& path);

/// Size of a regular file in bytes. @throws Error(input) if it is missing or no regular file. Local.
[[nodiscard]] Index file_size(const std::string& path);

/// Number of bytes that a ByteStream of the file gives; a compressed file is decompressed to count them. @throws
/// Error(input). Local.
[[nodiscard]] Index content_size(const std::string& path);

/// The name without .gz, .xz or .zip at its end. Local.
[[nodiscard]] std::string without_compression(std::string name);

}  // namespace cairn
