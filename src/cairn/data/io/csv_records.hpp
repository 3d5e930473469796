// Records of a CSV file whose fields may be quoted (RFC 4180). Private to this folder.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cairn/data/io/byte_stream.hpp"

namespace cairn {

/// Reads a file's records one after another, on one rank. A record ends with its line, but for line ends within quotes.
/// Lines of nothing but blanks are skipped, and so is a byte order mark in front.
class CsvRecords {
 public:
  /// @throws Error(input) if the file is missing, unreadable, empty, UTF-16 or -32, or binary. Local.
  explicit CsvRecords(const std::string& path);

  /// The next record as it stands in the file, without its line end, and the line, from 0, in which it begins; false
  /// after the last one. @throws Error(input) for a quote that is not closed
  bool next(std::string& record, Index& line);
  /// That of the place in hand, from 0.
  [[nodiscard]] Index line() const { return line_; }

 private:
  enum class State { field_begins, plain, quoted, quote_met };
  [[nodiscard]] bool fill();
  bool take_record(std::string& record);
  [[nodiscard]] static State after(State state, char c);

  std::string path_;
  std::unique_ptr<ByteStream> stream_;
  std::vector<char> buffer_;
  std::size_t at_ = 0, end_ = 0;
  Index line_ = 0;
};

/// The fields of a record between commas. Quotes around a field are taken off, a doubled quote within them is one; a
/// quote in a field that does not begin with one is a character like others.
class CsvFields {
 public:
  /// Valid until the next call, while `record` is. @throws Error(input) for text after a closing quote
  const std::vector<std::string_view>& split(std::string_view record);

 private:
  std::string_view take(std::string_view& record);
  std::string_view take_quoted(std::string_view& record);

  std::vector<std::string_view> fields_;
  std::string unquoted_;  // has room for the whole record: views into it stay good
};

}  // namespace cairn
