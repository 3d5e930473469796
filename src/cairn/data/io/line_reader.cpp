#include "cairn/data/io/line_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "cairn/base/error.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/data/io/encoding.hpp"
#include "cairn/data/io/text_table.hpp"

namespace cairn {

namespace {

constexpr std::size_t first_buffer = std::size_t{1} << 18;
constexpr std::size_t longest_line = std::size_t{1} << 30;
constexpr std::string_view blanks = " \t\r\v\f";

}  // namespace

LineReader::LineReader(std::string path) : path_(std::move(path)), stream_(ByteStream::open(path_)) {
  buffer_.resize(first_buffer);
  if (!fill()) throw Error(ErrorKind::input, path_ + ": is empty");
  const std::string_view text(buffer_.data(), end_);
  refuse_other_mark(path_, text);
  if (text.starts_with(utf8_mark)) begin_ = utf8_mark.size();
}

// Appends more bytes to those not yet used; false at the end of the file.
bool LineReader::fill() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) {
    if (end_ > longest_line)
      throw Error(ErrorKind::input, path_ + ": a line is longer than 1 GiB; this is no text file");
    buffer_.resize(2 * buffer_.size());
  }
  const std::size_t got = stream_->read(buffer_.data() + end_, buffer_.size() - end_);
  end_ += got;
  Watchdog::beat();
  return got > 0;
}

bool LineReader::next(std::string_view& line) {
  std::size_t searched = 0;
  for (;;) {
    const auto* from = buffer_.data() + begin_ + searched;
    const auto* found = static_cast<const char*>(std::memchr(from, '\n', end_ - begin_ - searched));
    if (found != nullptr) {
      line = std::string_view(buffer_.data() + begin_, static_cast<std::size_t>(found - buffer_.data()) - begin_);
      begin_ += line.size() + 1;
      break;
    }
    searched = end_ - begin_;
    if (fill()) continue;
    if (begin_ == end_) return false;
    line = std::string_view(buffer_.data() + begin_, end_ - begin_);
    begin_ = end_;
    break;
  }
  if (line.ends_with('\r')) line.remove_suffix(1);
  ++number_;
  return true;
}

bool LineReader::next_filled(std::string_view& line, char comment) {
  while (next(line)) {
    line = trimmed(line.substr(0, line.find(comment)));
    if (!line.empty()) return true;
  }
  return false;
}

void LineReader::bytes(char* target, std::size_t size) {
  while (size > 0) {
    const std::size_t piece = std::min(size, end_ - begin_);
    std::memcpy(target, buffer_.data() + begin_, piece);
    begin_ += piece;
    target += piece;
    size -= piece;
    if (size > 0 && !fill()) throw Error(ErrorKind::input, path_ + ": is truncated");
  }
}

void LineReader::fail(const std::string& reason) const {
  throw Error(ErrorKind::input, fmt::format("{}:{}: {}", path_, number_, reason));
}

std::string_view take_field(std::string_view& line) {
  const std::size_t begin = std::min(line.find_first_not_of(blanks), line.size());
  const std::size_t end = std::min(line.find_first_of(blanks, begin), line.size());
  const std::string_view field = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return field;
}

double take_number(std::string_view& line, const char* what) {
  const std::string_view field = take_field(line);
  if (field.empty()) throw Error(ErrorKind::input, fmt::format("{} is missing", what));
  return parse_number<double>(field);
}

Index take_integer(std::string_view& line, const char* what) {
  const std::string_view field = take_field(line);
  if (field.empty()) throw Error(ErrorKind::input, fmt::format("{} is missing", what));
  return parse_integer(field, what);
}

Index parse_integer(std::string_view field, const char* what) {
  Index value = 0;
  const auto [end, code] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (code != std::errc{} || end != field.data() + field.size() || field.empty()) {
    throw Error(ErrorKind::input, fmt::format("'{}' is not an integer ({})", excerpt(field), what));
  }
  return value;
}

}  // namespace cairn
