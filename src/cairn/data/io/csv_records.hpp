// Records of a CSV file whose fields may be quoted (RFC 4180). Private to this folder.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cairn/data/io/byte_stream.hpp"

namespace cairn {

/// Reads a file's records one after another, on one rank. A record ends at a line end outside quotes. Blank lines and a
/// byte order mark at the start are skipped.
class CsvRecords {
 public:
  /// @throws Error(input) if the file is missing, unreadable, empty, UTF-16 or -32, or binary. Local.
  explicit CsvRecords(const std::string& path);

  /// The next record as in the file, without its line end, and the number, from 0, of its first line; false after the
  /// last record. @throws Error(input) for a quote that is not closed
  bool next(std::string& record, Index& line);
  /// Number of the current line, from 0.
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

}  // namespace cairn
