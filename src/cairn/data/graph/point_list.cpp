#include "cairn/data/graph/point_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "cairn/base/error.hpp"
#include "cairn/base/small_letters.hpp"
#include "cairn/data/io/csv_fields.hpp"
#include "cairn/data/io/csv_records.hpp"
#include "cairn/data/io/text_table.hpp"
#include "cairn/data/pair_list.hpp"

namespace cairn {

namespace {

constexpr std::array<std::string_view, 4> longitudes{"longitude", "lon", "lng", "long"};
constexpr std::array<std::string_view, 2> latitudes{"latitude", "lat"};
constexpr std::array<std::string_view, 1> across{"x"}, up{"y"};

// The only column with one of these names.
std::optional<std::size_t> column_of(const std::vector<std::string>& header, std::span<const std::string_view> names) {
  std::optional<std::size_t> found;
  for (std::size_t k = 0; k < header.size(); ++k) {
    if (std::ranges::find(names, in_small_letters(header[k])) == names.end()) continue;
    if (found) return std::nullopt;
    found = k;
  }
  return found;
}

// The first of tab, semicolon, comma and blank that is in the line.
char separator_in(std::string_view line) {
  for (const char separator : {'\t', ';', ','}) {
    if (line.find(separator) != std::string_view::npos) return separator;
  }
  return ' ';
}

// Records of a file, split into fields.
class Fields {
 public:
  explicit Fields(const std::string& path) : path_(path), records_(path) {}

  // The fields of the next record that is no comment; false after the last. @throws Error(input) with file:line
  bool next() {
    do {
      if (!records_.next(record_, line_)) return false;
    } while (record_.starts_with('#'));
    if (!splitter_) splitter_.emplace(separator_in(record_));
    fields_.clear();
    try {
      for (const std::string_view field : splitter_->split(trimmed(record_))) fields_.emplace_back(trimmed(field));
    } catch (const Error& error) {
      refuse_line(path_, line(), error.what());
    }
    return true;
  }

  [[nodiscard]] const std::vector<std::string>& fields() const { return fields_; }
  [[nodiscard]] Index line() const { return line_ + 1; }

 private:
  const std::string& path_;
  CsvRecords records_;
  std::string record_;
  Index line_ = 0;
  std::optional<FieldSplitter> splitter_;
  std::vector<std::string> fields_;
};

bool are_two_numbers(const std::vector<std::string>& fields) {
  return fields.size() == 2 && is_number(fields[0]) && is_number(fields[1]);
}

}  // namespace

std::optional<CoordinateColumns> coordinate_columns(const std::vector<std::string>& header) {
  const auto longitude = column_of(header, longitudes), latitude = column_of(header, latitudes);
  if (longitude && latitude) return CoordinateColumns{*longitude, *latitude, true};
  const auto x = column_of(header, across), y = column_of(header, up);
  if (x && y) return CoordinateColumns{*x, *y, false};
  return std::nullopt;
}

std::vector<std::string> first_fields(const std::string& path) {
  Fields file(path);
  try {
    return file.next() ? file.fields() : std::vector<std::string>{};
  } catch (const Error&) {
    return {};  // no table: its reader says so
  }
}

bool lists_points(const std::string& path, bool headers_alone) {
  const std::vector<std::string> fields = first_fields(path);
  return coordinate_columns(fields) || (!headers_alone && are_two_numbers(fields));
}

PointList read_point_list(const std::string& path) {
  PointList list;
  Fields file(path);
  bool there = file.next();
  CoordinateColumns columns;
  std::size_t width = 2;
  if (const auto named = coordinate_columns(file.fields())) {
    columns = *named;
    list.degrees = named->degrees;
    width = file.fields().size();
    there = file.next();
  }
  for (; there; there = file.next()) {
    const std::vector<std::string>& fields = file.fields();
    if (fields.size() != width) {
      refuse_line(path, file.line(), fmt::format("has {} fields instead of {}", fields.size(), width));
    }
    try {
      list.points.push_back({parse_number<double>(fields[columns.x]), parse_number<double>(fields[columns.y])});
    } catch (const Error& error) {
      refuse_line(path, file.line(), error.what());
    }
    list.lines.push_back(file.line());
  }
  if (list.points.empty()) throw Error(ErrorKind::input, path + ": lists no point");
  return list;
}

}  // namespace cairn
