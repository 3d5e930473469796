#include "cairn/data/points/csv_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "cairn/base/error.hpp"
#include "cairn/base/process/reading_room.hpp"
#include "cairn/data/io/csv_fields.hpp"
#include "cairn/data/io/text_table.hpp"
#include "cairn/data/missing_value.hpp"
#include "cairn/data/points/csv_separator.hpp"

namespace cairn {

namespace {

using Fields = std::vector<std::string_view>;

// Numbers that ascend by one (0, 1, 2, ... or 1990, 1991, ...): the header that table programs write where columns have
// no names, or years.
bool count_upwards(const Fields& numbers) {
  const std::string_view least = trimmed(numbers.front());
  Index first = 0;
  const char* const end = least.data() + least.size();
  if (const auto [rest, code] = std::from_chars(least.data(), end, first); code != std::errc{} || rest != end) {
    return false;
  }
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    if (trimmed(numbers[k]) != std::to_string(first + static_cast<Index>(k))) return false;
  }
  return true;
}

// Columns of texts, by name or number.
std::vector<std::string> text_list(const PointSource& source) {
  std::vector<std::string> list;
  for (const TextColumn& column : source.text_columns()) {
    if (!column.name.empty()) list.push_back(column.name);
  }
  return list;
}

// Fields that are to be coordinates, as far as numbers name them.
Fields coordinates(const Fields& fields, const PointSource& source) {
  const bool all = source.columns.empty() || !names_in(source.columns, fields.size()).empty();
  std::vector<bool> taken(fields.size(), all);
  for (const std::size_t k : numbered_columns(source.columns, fields.size())) taken[k] = true;
  for (const std::size_t k : numbered_columns(source.ignored, fields.size())) taken[k] = false;
  for (const std::size_t k : numbered_columns(text_list(source), fields.size())) taken[k] = false;
  Fields chosen;
  for (std::size_t k = 0; k < fields.size(); ++k) {
    if (taken[k]) chosen.push_back(fields[k]);
  }
  return chosen;
}

// Whether a column is asked for by a name that this line has.
bool has_name_asked_for(const Fields& fields, const PointSource& source) {
  for (const auto& list : {source.columns, source.ignored, text_list(source)}) {
    for (const std::string& name : names_in(list, fields.size())) {
      if (std::any_of(fields.begin(), fields.end(), [&](auto field) { return trimmed(field) == name; })) return true;
    }
  }
  return false;
}

// True if a line that is read as a point may be a header: its coordinates ascend by one. Three are asked for, and two
// beside a text, such as `country,1990,1991`.
bool is_doubtful(const Fields& fields, const PointSource& source) {
  const Fields chosen = coordinates(fields, source);
  const bool named = std::ranges::any_of(fields, [](auto field) { return !is_number(field) && !is_missing(field); });
  return chosen.size() >= (named ? 2 : 3) && count_upwards(chosen);
}

// Sets `header`, or `mixed` where the first line is neither a header nor a point.
void judge_first_line(const Fields& fields, const PointSource& source, CsvLayout& layout) {
  const Fields chosen = coordinates(fields, source);
  const auto numbers = std::count_if(chosen.begin(), chosen.end(), [](auto field) { return is_number(field); });
  const bool named =
      std::any_of(chosen.begin(), chosen.end(), [](auto field) { return !is_number(field) && !is_missing(field); });
  layout.header = has_name_asked_for(fields, source) || (numbers == 0 && named);
  layout.mixed = !layout.header && numbers > 0 && numbers < std::ssize(chosen);
}

const Fields& split_first(FieldSplitter& splitter, const std::string& path, const std::string& line) {
  try {
    return splitter.split(line);
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("{}:1: {}", path, error.what()));
  }
}

}  // namespace

CsvLayout find_csv_layout(const TextBlocks& text, const PointSource& given) {
  const std::vector<std::string> lines = text.first_lines(2);
  if (lines.empty()) throw Error(ErrorKind::input, text.path() + ": has no rows of data");
  CsvLayout layout;
  const bool has_keys = !given.missing.empty() && given.missing != "nan";
  refuse_prologue(text.path(), lines,
                  has_keys ? fmt::format("; {} says which separator it is", given.keys("separator")) : "");
  layout.separator = find_separator(given.separator, lines);
  FieldSplitter splitter(layout.separator);
  const Fields& fields = split_first(splitter, text.path(), lines.front());
  PointSource source = given;
  if (std::ssize(fields) == source.unlabelled) source.label.clear();
  layout.table = {source.path, fields.size(), {}, separator_name(layout.separator)};
  judge_first_line(fields, source, layout);
  if (layout.header) {
    constexpr Index name_bytes = 160;  // of a text where it is read, reported and kept
    ReadingRoom::require(std::ssize(fields) * name_bytes,
                         fmt::format("{}:1: the names of its {} columns take", text.path(), fields.size()));
    for (const std::string_view field : fields) layout.table.names.emplace_back(trimmed(field));
  }
  const auto columns = source.text_columns();
  std::vector<std::size_t> taken;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (columns[k].name.empty()) continue;
    layout.texts[k] = find_column(layout.table, columns[k].name);
    if (layout.texts[k] == no_column) {
      throw Error(ErrorKind::input,
                  fmt::format("{}: {} = {}: there is no such column {}", text.path(), source.keys(columns[k].key),
                              columns[k].name, other_columns(layout.table, columns[k].name)));
    }
    taken.push_back(layout.texts[k]);
  }
  layout.values = value_columns(layout.table, source.columns, ignored_columns(layout.table, source), taken);
  layout.doubtful = !layout.header && is_doubtful(fields, source);
  return layout;
}

}  // namespace cairn
