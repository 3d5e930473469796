#include "cairn/data/graph/edge_list_head.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "cairn/base/error.hpp"
#include "cairn/base/joined.hpp"
#include "cairn/base/log.hpp"
#include "cairn/base/printable.hpp"
#include "cairn/base/small_letters.hpp"
#include "cairn/data/io/text_table.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

namespace {

using Fields = std::vector<std::string>;

constexpr std::array<std::string_view, 22> words_of_ends{
    "source", "target", "from", "to",      "u",       "v",       "src",   "dst",  "start", "end",  "node1",
    "node2",  "i",      "j",    "vertex1", "vertex2", "from_id", "to_id", "head", "tail",  "init", "term"};
constexpr std::array<std::string_view, 13> words_of_lengths{"length", "len",     "weight", "distance", "dist",
                                                            "cost",   "time",    "km",     "miles",    "meters",
                                                            "metres", "seconds", "minutes"};

template <std::size_t count>
bool is_one_of(const std::array<std::string_view, count>& words, const std::string& field) {
  return std::ranges::find(words, in_small_letters(field)) != words.end();
}

// The separator between fields, outside quotes.
char separator_of(std::string_view line) {
  char found = ' ';
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (quoted || (c != '\t' && c != ',' && c != ';')) continue;
    if (c == '\t') return c;
    if (found != ';') found = c;
  }
  return found;
}

// Fields separated by any mixture of blanks, tabs and commas.
Fields mixed_fields(std::string_view line) {
  constexpr std::string_view between = " \t,\r";
  Fields fields;
  for (std::size_t begin = line.find_first_not_of(between); begin != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(between, begin), line.size());
    fields.emplace_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(between, end);
  }
  return fields;
}

// The fields of a line; none if a quote is not closed.
Fields fields_of_line(std::string_view line, char separator) {
  Fields fields;
  FieldSplitter splitter(separator);
  try {
    for (const std::string_view field : splitter.split(line)) fields.emplace_back(trimmed(field));
  } catch (const Error&) {
    return {};
  }
  return fields;
}

// A name (a, 12-345, 192.168.0.1), not a malformed number.
bool is_name(const std::string& field) {
  const auto letter = [](char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || (static_cast<unsigned char>(c) & 0x80U) != 0 ||
           std::string_view("-:/_").find(c) != std::string_view::npos;
  };
  if (has_leading_zeros(field)) return true;
  return !is_number(field) && (std::ranges::any_of(field, letter) || std::ranges::count(field, '.') > 1);
}

bool is_word(const std::string& field) {
  return !field.empty() && std::isalpha(static_cast<unsigned char>(field[0])) != 0;
}

// The fields of the ends and the weight, as far as the line has them.
Fields chosen(const Fields& fields, const EdgeLayout& layout) {
  Fields some;
  for (std::size_t k = 0; k < (layout.lengths ? 3U : 2U); ++k) {
    some.push_back(layout.columns[k] < fields.size() ? fields[layout.columns[k]] : "");
  }
  return some;
}

// True if the first line names columns. @param above, below  ends, and weight if there is one, of the first two lines
// @param named  vertices have names
bool names_columns(const Fields& above, const Fields& below, bool named) {
  if (above.size() < 2 || below.size() != above.size()) return false;
  if (is_word(above[0]) && is_word(above[1]) && is_number(below[0]) && is_number(below[1])) return true;
  const bool over_length = above.size() == 3 && !is_number(above[2]) && is_number(below[2]);
  return named && (over_length || (is_one_of(words_of_ends, above[0]) && is_one_of(words_of_ends, above[1])));
}

// The position of a column, given by its number from 1 or its name in the header.
std::size_t place_of(const std::string& column, const Fields& fields, const std::string& path, const KeyNames& keys) {
  Index number = 0;
  if (read_vertex_number(column, number)) {
    if (number >= 1 && number <= std::ssize(fields)) return static_cast<std::size_t>(number - 1);
  } else if (const auto found = std::ranges::find(fields, column); found != fields.end()) {
    if (std::find(found + 1, fields.end(), column) == fields.end())
      return static_cast<std::size_t>(found - fields.begin());
    throw Error(ErrorKind::input, fmt::format("{}: several columns are called {}: {} takes numbers from 1, too", path,
                                              printable(column), keys("columns")));
  }
  Fields shown;
  for (const std::string& field : fields) shown.push_back(printable(field));
  throw Error(ErrorKind::input, fmt::format("{}: {} names the column '{}', and the first line has {} columns: {}", path,
                                            keys("columns"), column, fields.size(), joined(shown, ", ")));
}

// Sets the columns that the parameter chooses. @param lines  split into fields
void choose_columns(const std::string& path, const std::vector<Fields>& lines, const GraphSource& source,
                    EdgeLayout& layout) {
  const Fields columns = comma_list(source.columns);
  if (columns.size() != 2 && columns.size() != 3) {
    throw Error(ErrorKind::usage, fmt::format("{} = {}: two columns hold the ends of edges, and a third their lengths",
                                              source.keys("columns"), source.columns));
  }
  layout.lengths = columns.size() == 3;
  bool by_name = false;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    layout.columns[k] = place_of(columns[k], lines[0], path, source.keys);
    Index number = 0;
    by_name = by_name || !read_vertex_number(columns[k], number);
    if (std::count(layout.columns.begin(), layout.columns.begin() + static_cast<std::ptrdiff_t>(k), layout.columns[k]) >
        0) {
      throw Error(ErrorKind::usage,
                  fmt::format("{} = {}: names a column twice", source.keys("columns"), source.columns));
    }
  }
  layout.fields = lines[0].size();
  layout.has_header = by_name;
}

// Rejects a header that does not begin with the ends, or has more columns than a list has.
void check_header(const std::string& path, const std::string& line, const Fields& names, const KeyNames& keys) {
  const auto is_end = [&](std::size_t k) { return is_one_of(words_of_ends, names[k]); };
  const auto is_length = [&](std::size_t k) { return is_one_of(words_of_lengths, names[k]); };
  const bool other_order = is_length(0) || is_length(1) || (names.size() > 2 && is_end(2) && !(is_end(0) && is_end(1)));
  if (names.size() <= 3 && !other_order) return;
  throw Error(
      ErrorKind::input,
      fmt::format(
          "{}: its header '{}' is not that of u v [length]: {} = U,V[,LENGTH] says which of the columns are the "
          "ends and the length",
          path, printable(line), keys("columns")));
}

}  // namespace

bool is_plain_comment(std::string_view line) {
  const std::string_view text = trimmed(line);
  return text.size() < 2 || text[1] == ' ' || text[1] == '\t' || text[1] == text[0];
}

bool read_vertex_number(std::string_view field, Index& number) {
  const char* const last = field.data() + field.size();
  const auto [end, code] = std::from_chars(field.data(), last, number);
  if (code != std::errc{} || field.empty()) return false;
  const std::string_view rest(end, static_cast<std::size_t>(last - end));
  return rest.empty() ||
         (rest.size() > 1 && rest[0] == '.' && rest.find_first_not_of('0', 1) == std::string_view::npos);
}

bool has_leading_zeros(std::string_view field) {
  return field.size() > 1 && field[0] == '0' &&
         std::ranges::all_of(field, [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
}

void read_list_head(const std::string& path, const std::vector<std::string>& lines, const GraphSource& source,
                    EdgeLayout& layout) {
  const bool quotes =
      std::ranges::any_of(lines, [](const std::string& line) { return line.find('"') != std::string::npos; });
  layout.first_line = lines[0];
  layout.separator = separator_of(lines[0]);
  layout.split = quotes || layout.separator == ';' || !source.columns.empty();
  std::vector<Fields> fields;
  for (const std::string& line : lines) fields.push_back(fields_of_line(line, layout.separator));
  const bool same_width = fields.size() > 1 && fields[1].size() == fields[0].size();
  const Fields mixed = mixed_fields(lines[0]);
  const bool numbers = mixed.size() > 1 && is_number(mixed[0]) && is_number(mixed[1]);
  if (!layout.split && (numbers || !same_width)) {
    fields.clear();
    for (const std::string& line : lines) fields.push_back(mixed_fields(line));
  }
  if (fields[0].size() < 2 && source.columns.empty()) return;  // the line will be refused
  layout.lengths = fields[0].size() > 2;
  if (!source.columns.empty()) choose_columns(path, fields, source, layout);
  const Fields above = chosen(fields[0], layout), below = fields.size() > 1 ? chosen(fields[1], layout) : Fields{};
  const bool as_wide = fields.size() > 1 && fields[1].size() == fields[0].size();
  const auto named = [&](const Fields& ends) {
    if (source.names != "auto") return source.names == "true";
    return ends.size() > 1 && (is_name(ends[0]) || is_name(ends[1]));
  };
  layout.has_header = layout.has_header || (as_wide && names_columns(above, below, named(below)));
  layout.named = named(layout.has_header ? below : above);
  layout.split = layout.split || layout.named;
  if (layout.fields == 0) layout.fields = layout.lengths ? 3 : 2;
  if (!layout.has_header) return;
  layout.header = lines[0];
  layout.header_fields = above;
  if (source.columns.empty()) check_header(path, lines[0], fields[0], source.keys);
}

void check_comments(const std::string& path, const std::vector<std::string>& comments, const EdgeLayout& layout) {
  if (!layout.named) return;
  for (const std::string& line : comments) {
    if (is_plain_comment(line)) continue;
    const Fields fields = fields_of_line(line, layout.separator);
    if (fields.size() != layout.fields || fields.size() < 2) continue;
    const Fields some = chosen(fields, layout);
    if (layout.lengths && is_number(some[2])) {
      throw Error(ErrorKind::input,
                  fmt::format("{}: '{}' stands above the first edge and begins as a comment, and is like an edge: make "
                              "it one by a header line (u{}v{}length), or a comment by a blank behind {}",
                              path, printable(line), layout.separator, layout.separator, line.front()));
    }
    if (!layout.lengths) log(LogLevel::warning, fmt::format("{}: '{}' is taken for a comment", path, printable(line)));
  }
}

std::string columns_text(const EdgeLayout& layout) {
  const auto column = [&](std::size_t k) {
    return layout.has_header ? fmt::format("'{}'", printable(layout.header_fields[k]))
                             : std::to_string(layout.columns[k] + 1);
  };
  const bool chosen_some = layout.fields > (layout.lengths ? 3U : 2U) || layout.columns != EdgeLayout{}.columns;
  if (!layout.has_header && !chosen_some) return {};
  std::string text = fmt::format("ends of edges are in the columns {} and {}", column(0), column(1));
  if (layout.lengths) text += fmt::format(", lengths in {}", column(2));
  if (layout.fields > (layout.lengths ? 3U : 2U)) text += fmt::format("; the others of {} are ignored", layout.fields);
  return text;
}

std::vector<std::string> header_names(const EdgeLayout& layout) {
  return {layout.header_fields[0], layout.header_fields[1]};
}

}  // namespace cairn
