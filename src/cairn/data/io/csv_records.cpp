#include "cairn/data/io/csv_records.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/base/error.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/data/io/encoding.hpp"
#include "cairn/data/io/text_table.hpp"

namespace cairn {

namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;
constexpr std::size_t longest_record = std::size_t{1} << 30;

}  // namespace

CsvRecords::CsvRecords(const std::string& path) : path_(path), stream_(ByteStream::open(path)), buffer_(buffer_bytes) {
  if (!fill()) throw Error(ErrorKind::input, path + ": is empty");
  const std::string_view text(buffer_.data(), end_);
  refuse_binary(path, text);
  if (text.starts_with(utf8_mark)) at_ = utf8_mark.size();
}

bool CsvRecords::fill() {
  end_ = stream_->read(buffer_.data(), buffer_.size());
  at_ = 0;
  Watchdog::beat();
  return end_ > 0;
}

bool CsvRecords::next(std::string& record, Index& line) {
  do {
    line = line_;
    if (!take_record(record)) return false;
  } while (trimmed(record).empty());
  return true;
}

CsvRecords::State CsvRecords::after(State state, char c) {
  if (state == State::quoted) return c == '"' ? State::quote_met : State::quoted;
  if (c == '"' && state != State::plain) return State::quoted;  // it opens the field, or is the second of two
  return c == ',' ? State::field_begins : State::plain;
}

// Reads a record, also a blank one; false at the end of the file.
bool CsvRecords::take_record(std::string& record) {
  record.clear();
  State state = State::field_begins;
  Index quote_line = line_;
  for (bool begun = false;; begun = true) {
    if (at_ == end_ && !fill()) {
      if (state != State::quoted) return begun;
      throw Error(ErrorKind::input,
                  fmt::format("{}:{}: a quote that begins here is not closed", path_, quote_line + 1));
    }
    const char c = buffer_[at_++];
    if (c == '\n') ++line_;
    if (c == '\n' && state != State::quoted) break;
    const State before = state;
    state = after(state, c);
    if (before == State::field_begins && state == State::quoted) quote_line = line_;
    record += c;
    if (record.size() > longest_record) {
      throw Error(ErrorKind::input, fmt::format("{}:{}: a record is longer than 1 GiB", path_, quote_line + 1));
    }
  }
  if (record.ends_with('\r')) record.pop_back();
  return true;
}

}  // namespace cairn
