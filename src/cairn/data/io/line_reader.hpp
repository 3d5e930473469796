// Reads the lines of a text file one after another, on one rank, and bytes after them. Private to this folder.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cairn/data/io/byte_stream.hpp"

namespace cairn {

/// Reads a plain, .gz or .xz file from its start. Lines end in \n or \r\n; a byte order mark at the start is skipped.
class LineReader {
 public:
  /// @throws Error(input) if the file is missing, unreadable or empty. Local.
  explicit LineReader(std::string path);

  /// The next line without its end, valid until the next call; false at the end of the file.
  [[nodiscard]] bool next(std::string_view& line);
  /// The next line that is not blank, without surrounding blanks and without `comment` and what follows it.
  [[nodiscard]] bool next_filled(std::string_view& line, char comment);
  /// Reads exactly `size` bytes after the last line. @throws Error(input) if the file ends before.
  void bytes(char* target, std::size_t size);

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Number of the line read last, from 1.
  [[nodiscard]] Index number() const { return number_; }
  /// Throws Error(input) with the prefix "path:line: ".
  [[noreturn]] void fail(const std::string& reason) const;

 private:
  [[nodiscard]] bool fill();

  std::string path_;
  std::unique_ptr<ByteStream> stream_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // range of buffered bytes not yet used
  Index number_ = 0;
};

/// Removes the next field between blanks from the front of `line`; empty if there is none.
[[nodiscard]] std::string_view take_field(std::string_view& line);
/// The next field as a finite number. @throws Error(input) if there is none; `what` names it
[[nodiscard]] double take_number(std::string_view& line, const char* what);
/// The next field as an integer. @throws Error(input) in the same way
[[nodiscard]] Index take_integer(std::string_view& line, const char* what);
/// All of `field` as an integer. @throws Error(input)
[[nodiscard]] Index parse_integer(std::string_view field, const char* what);

}  // namespace cairn
