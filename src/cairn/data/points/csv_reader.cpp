#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/joined.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/mpi/collective_reading.hpp"
#include "cairn/base/process/reading_budget.hpp"
#include "cairn/data/io/column_choice.hpp"
#include "cairn/data/io/csv_fields.hpp"
#include "cairn/data/io/text_blocks.hpp"
#include "cairn/data/io/text_table.hpp"
#include "cairn/data/missing_value.hpp"
#include "cairn/data/points/point_reader.hpp"
#include "cairn/data/points/text_points.hpp"

namespace cairn {

namespace {

// Detection of the field separator of a text table.

// True if a field is a number with a decimal comma (1,5); Cairn's tables have a point. Local.
[[nodiscard]] bool has_decimal_comma(std::string_view field);

constexpr std::array<std::pair<const char*, char>, 5> separators = {
    {{"comma", ','}, {"semicolon", ';'}, {"tab", '\t'}, {"pipe", '|'}, {"blank", ' '}}};

// Positions of a character outside quotes. A quote opens at the start of a field; one that is not closed does not
// count.
std::vector<std::size_t> places(std::string_view line, char separator) {
  std::vector<std::size_t> found;
  bool quoted = false, starts = true;
  for (std::size_t k = 0; k < line.size(); ++k) {
    const char c = line[k];
    if (c == '"' && (quoted || starts)) quoted = !quoted;
    if (c == separator && !quoted) found.push_back(k);
    starts = !quoted && (c == ',' || c == ';' || c == '\t' || c == '|' || c == ' ');
  }
  if (!quoted) return found;
  found.clear();
  for (std::size_t k = 0; k < line.size(); ++k) {
    if (line[k] == separator) found.push_back(k);
  }
  return found;
}

bool is_decimal_table(std::string_view line, char separator) {
  std::vector<std::size_t> ends = places(line, separator);
  if (ends.empty()) return false;
  ends.push_back(line.size());
  std::size_t begin = 0, commas = 0;
  for (const std::size_t end : ends) {
    const std::string_view field = line.substr(begin, end - begin);
    const bool decimal = has_decimal_comma(field);
    if (!decimal && !is_number(field)) return false;
    commas += decimal ? 1 : 0;
    begin = end + 1;
  }
  return commas > 0;
}

std::size_t blank_fields(std::string_view line) {
  std::size_t count = 0;
  bool inside = false;
  for (const char c : line) {
    const bool blank = c == ' ' || c == '\t' || c == '\r';
    if (!blank && !inside) ++count;
    inside = !blank;
  }
  return count;
}

std::size_t field_count(std::string_view line, char separator) {
  return separator == ' ' ? blank_fields(line) : places(line, separator).size() + 1;
}

bool has_decimal_comma(std::string_view field) {
  std::string text(trimmed(field));
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos || comma == 0 || comma + 1 >= text.size()) return false;
  const auto digit = [&](std::size_t k) { return std::isdigit(static_cast<unsigned char>(text[k])) != 0; };
  if (!digit(comma - 1) || !digit(comma + 1)) return false;
  text[comma] = '.';
  return is_number(text);
}

// "comma", "semicolon", "tab", "blank", "pipe". Local.
std::string separator_name(char separator) {
  const auto* found = std::ranges::find(separators, separator, [](const auto& one) { return one.second; });
  return found->first;
}

// The field separator for a name: auto, comma, semicolon, tab, blank, pipe.
// auto: semicolon or tab if all fields that it separates are numbers, with or without a decimal comma. Otherwise the
// first of comma, semicolon, tab and pipe that the first line has outside quotes, preferably one that both lines have
// equally often. Blanks if the line has none of them.
// @param lines  the first lines of the file, at least one. Local.
char find_separator(const std::string& name, const std::vector<std::string>& lines) {
  const auto* asked = std::ranges::find(separators, name, [](const auto& one) { return std::string(one.first); });
  if (asked != separators.end()) return asked->second;
  for (const char c : {';', '\t'}) {
    if (is_decimal_table(lines.front(), c)) return c;
  }
  char first = ' ';
  for (const auto& [word, c] : separators) {
    const std::size_t count = places(lines.front(), c).size();
    if (c == ' ' || count == 0) continue;
    if (lines.size() < 2 || places(lines[1], c).size() == count) return c;
    if (first == ' ') first = c;
  }
  return first;
}

// @throws Error(input) if the first line is Excel's sep=; or a comment: it begins with #, and the next line begins
// with #, too, or has another number of fields. @param advice  names the key of the separator; empty: there is none.
// Local.
void refuse_prologue(const std::string& path, const std::vector<std::string>& lines, const std::string& advice) {
  std::string first(trimmed(lines.front()));
  std::erase(first, '"');
  constexpr std::size_t longest = 5;  // sep= and a separator
  if (first.starts_with("sep=") && first.size() <= longest) {
    throw Error(ErrorKind::input, fmt::format("{}:1: '{}' is a line for Excel: delete it{}", path, first, advice));
  }
  if (!first.starts_with('#') || lines.size() < 2) return;
  const char separator = find_separator("auto", {lines[1]});
  const Index fields = static_cast<Index>(field_count(lines[1], separator));
  const bool comments = trimmed(lines[1]).starts_with('#') && fields == 1;
  if (!comments && static_cast<Index>(field_count(lines[0], separator)) == fields) return;  // a header, or texts
  throw Error(ErrorKind::input,
              fmt::format("{}:1: '{}' is a comment, and tables have none: delete lines that begin with #", path,
                          excerpt(first)));
}

// The layout of a CSV file, as its first line shows it.

struct CsvLayout {
  char separator = ',';
  bool header = false;
  bool mixed = false;     ///< the first line is data, but some fields are not numbers: the error reports this
  bool doubtful = false;  ///< the first line is taken for data, but may be meant as a header
  TableColumns table;
  std::array<std::size_t, 4> texts{no_column, no_column, no_column, no_column};  ///< as PointSource::text_columns()
  std::vector<std::size_t> values;  ///< columns that are read, in this order
};

using Fields = std::vector<std::string_view>;

// True if the numbers ascend by one (0, 1, 2, ... or 1990, 1991, ...): a header that table programs write for columns
// without names, or years.
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

// Fields that become coordinates, as far as columns are chosen by number.
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

// True if a column is requested by a name in this line.
bool has_name_asked_for(const Fields& fields, const PointSource& source) {
  for (const auto& list : {source.columns, source.ignored, text_list(source)}) {
    for (const std::string& name : names_in(list, fields.size())) {
      if (std::any_of(fields.begin(), fields.end(), [&](auto field) { return trimmed(field) == name; })) return true;
    }
  }
  return false;
}

// True if a line that is read as a point may be a header: its coordinates ascend by one. This takes at least three
// coordinates, or two next to a text, such as `country,1990,1991`.
bool is_doubtful(const Fields& fields, const PointSource& source) {
  const Fields chosen = coordinates(fields, source);
  const bool named = std::ranges::any_of(fields, [](auto field) { return !is_number(field) && !is_missing(field); });
  return chosen.size() >= (named ? 2 : 3) && count_upwards(chosen);
}

// Sets `header`, or `mixed` if the first line is neither a header nor a point.
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

// The first line is a header if it has a name by which a column is requested (not a column number), or if none of its
// fields that become coordinates is a number and at least one is a name. Local.
// @throws Error(input) for an empty file or a column that does not exist; Error(usage) as value_columns
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
    constexpr Index name_bytes = 160;  // per name, to read, report and store it
    ReadingBudget::require(std::ssize(fields) * name_bytes,
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

// Coordinate columns that hold texts in this line: "workclass, education, ... (9 of 15)".
std::string text_columns(const CsvLayout& layout, const std::vector<std::string_view>& fields) {
  constexpr std::size_t shown = 12;
  std::string names;
  std::size_t count = 0;
  for (const std::size_t k : layout.values) {
    if (is_number(fields[k]) || is_missing(fields[k])) continue;
    const std::string name = column_name(layout.table, k);
    if (++count <= shown) names += (count > 1 ? ", " : "") + (name.empty() ? std::to_string(k + 1) : name);
  }
  return fmt::format("{}{} ({} of {})", names, count > shown ? ", ..." : "", count, layout.values.size());
}

std::string skip_advice(const PointSource& source) {
  return fmt::format("; {} = skip leaves out rows with missing values", source.keys("missing"));
}

// Position of a field's line in the table.
struct LinePlace {
  bool first = false;       // first line of the file
  bool first_data = false;  // first line that is not a header
};

// True if the last column has neither a name nor a value: then each line ends in a separator.
bool ends_in_separator(const CsvLayout& layout, LinePlace place, const std::vector<std::string_view>& fields,
                       std::size_t column) {
  if (column + 1 != layout.table.count || !trimmed(fields[column]).empty()) return false;
  return layout.table.names.empty() ? place.first_data : layout.table.names.back().empty();
}

std::string last_advice(const CsvLayout& layout, const PointSource& source) {
  return fmt::format(
      "; the last column has no name and no value, as after a {} at the end of a line: {} = {} leaves it "
      "out",
      layout.table.separator, source.keys("ignore"), layout.table.count);
}

// Why a field of a table is not a coordinate, and a remedy, by parameters that the table may have.
std::string advice(const CsvLayout& layout, const PointSource& source, LinePlace place,
                   const std::vector<std::string_view>& fields, std::size_t column) {
  const bool has_keys = !source.missing.empty() && source.missing != "nan";
  const std::string_view field = fields[column];
  if (has_decimal_comma(field)) {
    return fmt::format("; numbers have a point in Cairn's tables, not a comma: write the file with decimal points{}",
                       layout.separator == ',' ? "" : fmt::format(", such as by sed 's/,/./g' {}", source.path));
  }
  if (place.first && layout.mixed) {
    std::string text = "; other fields of this line are numbers, and a header has none";
    if (has_keys) {
      text += fmt::format(" (a column that {} or {} names makes it one)", source.keys("label"), source.keys("columns"));
      if (is_missing(field)) text += skip_advice(source);
      if (ends_in_separator(layout, place, fields, column)) text += last_advice(layout, source);
    }
    return text;
  }
  if (has_keys && ends_in_separator(layout, place, fields, column)) return last_advice(layout, source);
  if (is_missing(field)) return has_keys ? skip_advice(source) : "";
  if (is_number(field) || source.missing.empty()) return "";
  if (!place.first_data) {
    return has_keys && source.label.empty() ? fmt::format(" (a column of labels is named by {}; {} leaves columns out)",
                                                          source.keys("label"), source.keys("ignore"))
                                            : "";
  }
  return fmt::format(
      "; columns of texts: {}: {}", text_columns(layout, fields),
      !has_keys
          ? "FILE:COLUMN,COLUMN chooses others"
          : fmt::format("{} leaves columns out{}", source.keys("ignore"),
                        source.label.empty() ? fmt::format(", {} makes one the label", source.keys("label")) : ""));
}

// Parses the lines of one rank.
template <class T>
class RowParser {
 public:
  RowParser(const CsvLayout& layout, const PointSource& source, bool has_first_line)
      : layout_(layout),
        source_(source),
        columns_(source.text_columns()),
        skips_(source.missing == "skip"),
        keeps_empty_(source.missing == "nan"),
        splitter_(layout.separator),
        first_is_next_(has_first_line),
        data_are_next_(has_first_line),
        missing_(layout.values.size()) {
    parsed_.width = static_cast<Index>(layout.values.size());
  }

  void line(std::string_view text) {
    if (trimmed(text).empty()) return;
    const bool first = std::exchange(first_is_next_, false);
    if (first && layout_.header) return;
    const bool first_data = std::exchange(data_are_next_, false);
    const std::vector<std::string_view>& fields = splitter_.split(text);
    if (fields.size() != layout_.table.count) {
      throw Error(
          ErrorKind::input,
          fmt::format(
              "{} columns, but the first line has {}{}", fields.size(), layout_.table.count,
              trimmed(text).starts_with('#') ? "; tables have no comments: delete lines that begin with #" : ""));
    }
    const Index row = rows_++;
    if (skips_ && lacks_value(fields)) return;
    append(fields, {first, first_data});
    places_.push_back(row);
    ++kept_;
  }

  void end_block(Index block) {
    parsed_.blocks.push_back({block, kept_});
    all_blocks_.push_back({block, rows_});
    skipped_ += rows_ - kept_;
    all_kept_ += kept_;
    rows_ = kept_ = 0;
  }

  [[nodiscard]] Index skipped() const { return skipped_; }
  // Number of rows without a value, for each column that becomes a coordinate, if such rows are skipped.
  [[nodiscard]] const std::vector<Index>& missing() const { return missing_; }
  [[nodiscard]] Index kept() const { return all_kept_; }
  [[nodiscard]] const ParsedRows<T>& rows() const { return parsed_; }

  // The rows; if some may be skipped, with their numbers in the file, from 0. Collective.
  ParsedRows<T> take(const Communicator& communicator) {
    if (!skips_) return std::move(parsed_);
    Index total = 0, next = 0;
    const std::vector<Index> first = first_rows(communicator, all_blocks_, total);
    for (std::size_t b = 0; b < first.size(); ++b) {
      for (Index k = 0; k < parsed_.blocks[b].rows; ++k, ++next) {
        parsed_.numbers.push_back(first[b] + places_[next]);
      }
    }
    return std::move(parsed_);
  }

 private:
  [[nodiscard]] bool lacks_value(const std::vector<std::string_view>& fields) {
    bool lacks = false;
    for (std::size_t k = 0; k < layout_.values.size(); ++k) {
      if (!is_missing(fields[layout_.values[k]])) continue;
      ++missing_[k];
      lacks = true;
    }
    return lacks;
  }

  void append(const std::vector<std::string_view>& fields, LinePlace place) {
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      if (layout_.texts[k] == no_column) continue;
      const std::string_view field = trimmed(fields[layout_.texts[k]]);
      check_label(field);
      if (field.empty() && columns_[k].key != "label") {
        throw Error(ErrorKind::input,
                    fmt::format("column {}: the {} is missing", layout_.texts[k] + 1, columns_[k].key));
      }
      (parsed_.texts.*columns_[k].texts).emplace_back(field);
    }
    for (const std::size_t k : layout_.values) {
      if (keeps_empty_ && trimmed(fields[k]).empty()) {
        parsed_.values.push_back(std::numeric_limits<T>::quiet_NaN());
        continue;
      }
      try {
        parsed_.values.push_back(parse_number<T>(fields[k]));
      } catch (const Error& error) {
        const std::string named = layout_.header ? layout_.table.names[k] : "";
        const std::string name = named.empty() ? "" : fmt::format(" ({})", named);
        throw Error(error.kind(), fmt::format("column {}{}: {}{}", k + 1, name, error.what(),
                                              advice(layout_, source_, place, fields, k)));
      }
    }
  }

  const CsvLayout& layout_;
  const PointSource& source_;
  std::array<TextColumn, 4> columns_;
  bool skips_, keeps_empty_;
  FieldSplitter splitter_;
  bool first_is_next_, data_are_next_;
  ParsedRows<T> parsed_;
  std::vector<Index> places_;            // numbers of the kept rows in their blocks
  std::vector<ParsedBlock> all_blocks_;  // including skipped rows
  Index rows_ = 0, kept_ = 0, skipped_ = 0, all_kept_ = 0;
  std::vector<Index> missing_;  // per column of layout_.values
};

// Warning if so many rows are skipped that the columns with missing values are probably not meant as coordinates.
std::string warning_of_skipped(const CsvLayout& layout, const PointSource& source, Index skipped, Index kept,
                               const std::vector<Index>& missing) {
  constexpr double few = 0.2;
  constexpr std::size_t shown = 3;
  if (static_cast<double>(skipped) <= few * static_cast<double>(skipped + kept)) return {};
  std::vector<std::size_t> order(missing.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return missing[a] > missing[b]; });
  std::vector<std::string> columns;
  for (const std::size_t k : std::span(order).first(std::min(shown, order.size()))) {
    if (missing[k] > 0)
      columns.push_back(fmt::format("{} in {}", column_name(layout.table, layout.values[k]), missing[k]));
  }
  return fmt::format("{}: {} of {} rows are skipped, as values are missing: {}; {} leaves a column out", source.path,
                     skipped, skipped + kept, joined(columns, ", "), source.keys("ignore"));
}

PointReport report_of(const CsvLayout& layout, const PointSource& source) {
  PointReport report;
  report.file_columns = static_cast<Index>(layout.table.count);
  report.text = true;
  report.header = layout.header;
  if (layout.texts.front() != no_column) report.columns.label = column_name(layout.table, layout.texts.front());
  if (layout.header) {
    for (const std::size_t k : layout.values) report.columns.names.push_back(layout.table.names[k]);
  }
  for (const std::size_t k : find_columns(layout.table, ignored_columns(layout.table, source))) {
    report.ignored.push_back(column_name(layout.table, k));
  }
  return report;
}

}  // namespace

template <class T>
CsvRows<T> read_csv(const Communicator& communicator, const PointSource& source) {
  const auto text = collectively(communicator, [&] { return TextBlocks(source.path); });
  const CsvLayout layout = collectively(communicator, [&] {
    return within_reading_budget(fmt::format("{}:1: the columns of this line, between which {} says what stands, take",
                                             source.path, source.keys("separator")),
                                 [&] { return find_csv_layout(text, source); });
  });
  RowParser<T> parser(layout, source, communicator.is_root());  // rank 0 has block 0
  text.for_each_line(
      communicator, [&](std::string_view line, Index) { parser.line(line); },
      [&](Index block, Index) { parser.end_block(block); });
  CsvRows<T> result{.rows = {}, .report = report_of(layout, source), .columns = layout.values};
  result.report.skipped = communicator.sum(parser.skipped());
  if (layout.doubtful) {
    result.report.warnings.push_back(source.path + ":1: is read as a point; delete this line if it names the columns");
  }
  if (result.report.skipped > 0 && communicator.maximum(std::ssize(parser.rows().values)) == 0) {
    throw Error(ErrorKind::input, source.path + ": every row has a missing value");
  }
  std::vector<Index> missing = parser.missing();
  communicator.sum(std::span(missing));
  const Index kept = communicator.sum(parser.kept());
  const std::string warning = warning_of_skipped(layout, source, result.report.skipped, kept, missing);
  if (!warning.empty()) result.report.warnings.push_back(warning);
  result.rows = send_to_owners(communicator, source.path, parser.take(communicator));
  return result;
}

template CsvRows<float> read_csv(const Communicator&, const PointSource&);
template CsvRows<double> read_csv(const Communicator&, const PointSource&);

}  // namespace cairn
