// The lines of a text file one after another, on one rank; bytes that follow them. Private to this folder.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cairn/data/io/byte_stream.hpp"

namespace cairn {

/// Reads a plain, .gz or .xz file from its start. Lines end in \n or \r\n; a byte order mark in front is skipped.
class LineReader {
 public:
  /// @throws Error(input) if the file is missing, unreadable or empty. Local.
  explicit LineReader(std::string path);

  /// The next line without its end, valid until the next call; false at the end of the file.
  [[nodiscard]] bool next(std::string_view& line);
  /// The next line that holds more than blanks, without blanks around it and without what follows `comment`.
  [[nodiscard]] bool next_filled(std::string_view& line, char comment);
  /// Exactly `size` bytes after the last line. @throws Error(input) if the file ends before.
  void bytes(char* target, std::size_t size);

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Of the line read last, counted from 1.
  [[nodiscard]] Index number() const { return number_; }
  /// Throws Error(input) with "path:line: " in front.
  [[noreturn]] void fail(const std::string& reason) const;

 private:
  [[nodiscard]] bool fill();

  std::string path_;
  std::unique_ptr<ByteStream> stream_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // of what is read and not yet used
  Index number_ = 0;
};

/// Takes the next field between blanks off the front of `line`; empty if there is none.
[[nodiscard]] std::string_view take_field(std::string_view& line);
/// The next field as a finite number. @throws Error(input) if there is none, with the word for what is missing
[[nodiscard]] double take_number(std::string_view& line, const char* what);
/// The next field as an integer. @throws Error(input) likewise
[[nodiscard]] Index take_integer(std::string_view& line, const char* what);
/// All of `field` as an integer. @throws Error(input)
[[nodiscard]] Index parse_integer(std::string_view field, const char* what);

}  // namespace cairn
