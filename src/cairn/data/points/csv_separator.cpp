#include "cairn/data/points/csv_separator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/data/io/text_table.hpp"

namespace cairn {

namespace {

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

}  // namespace

bool has_decimal_comma(std::string_view field) {
  std::string text(trimmed(field));
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos || comma == 0 || comma + 1 >= text.size()) return false;
  const auto digit = [&](std::size_t k) { return std::isdigit(static_cast<unsigned char>(text[k])) != 0; };
  if (!digit(comma - 1) || !digit(comma + 1)) return false;
  text[comma] = '.';
  return is_number(text);
}

std::string separator_name(char separator) {
  const auto* found = std::ranges::find(separators, separator, [](const auto& one) { return one.second; });
  return found->first;
}

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

}  // namespace cairn
