#include "cairn/data/pair_list.hpp"

#include <fmt/format.h>

#include <string_view>

#include "cairn/base/error.hpp"
#include "cairn/data/io/csv_fields.hpp"
#include "cairn/data/io/line_reader.hpp"
#include "cairn/data/io/text_table.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

namespace {

char separator_of(std::string_view line) {
  for (const char separator : {'\t', ','}) {
    if (line.find(separator) != std::string_view::npos) return separator;
  }
  return ' ';
}

}  // namespace

struct PairList::Reader {
  LineReader lines;
  bool numbers;
  FieldSplitter fields{' '};
  bool begun = false;
  std::string heading{};

  // Parses the pair of a line; false for a heading.
  bool take(std::string_view line, Pair& pair) {
    if (!begun) fields = FieldSplitter(separator_of(line));
    const bool first = !std::exchange(begun, true);
    const std::vector<std::string_view>& found = fields.split(line);
    if (found.size() != 2) {
      throw Error(ErrorKind::input,
                  fmt::format("has {} {}; a pair has two", found.size(), found.size() == 1 ? "field" : "fields"));
    }
    pair = {std::string(trimmed(found[0])), std::string(trimmed(found[1])), lines.number()};
    if (pair.first.empty() || pair.second.empty()) throw Error(ErrorKind::input, "has an empty field");
    check_label(pair.first);
    check_label(pair.second);
    if (!first || !numbers || parse_integer(pair.first) || parse_integer(pair.second)) return true;
    heading = line;
    return false;
  }
};

PairList::PairList(const std::string& path, bool numbers)
    : reader_(std::make_unique<Reader>(Reader{LineReader(path), numbers})) {}
PairList::~PairList() = default;

const std::string& PairList::heading() const { return reader_->heading; }

std::vector<PairList::Pair> PairList::next(Index most) {
  std::vector<Pair> pairs;
  Pair pair;
  for (std::string_view line; std::ssize(pairs) < most && reader_->lines.next(line);) {
    line = trimmed(line);
    if (line.empty()) continue;
    try {
      if (reader_->take(line, pair)) pairs.push_back(std::move(pair));
    } catch (const Error& error) {
      refuse_line(reader_->lines.path(), reader_->lines.number(), error.what());
    }
  }
  return pairs;
}

std::string if_heading(Index line, bool comments) {
  if (line != 1) return "";
  return comments ? "; a line that names the column begins with #" : "; leave out a line that names the columns";
}

void refuse_line(const std::string& path, Index line, const std::string& reason) {
  throw Error(ErrorKind::input, fmt::format("{}:{}: {}", path, line, reason));
}

}  // namespace cairn
