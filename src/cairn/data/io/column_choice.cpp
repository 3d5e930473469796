#include "cairn/data/io/column_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "cairn/base/error.hpp"
#include "cairn/base/small_letters.hpp"
#include "cairn/data/points/point_keys.hpp"
#include "cairn/parameters/suggestion.hpp"

namespace cairn {

namespace {

// Columns first to last, from 0; none if first is no_column.
struct Columns {
  std::size_t first = no_column;
  std::size_t last = no_column;
};

std::size_t number_from_one(std::string_view text) {
  std::size_t number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  return code == std::errc{} && end == text.data() + text.size() && number > 0 ? number - 1 : no_column;
}

// A number, or a range of numbers, all within the file.
Columns numbered(std::string_view word, std::size_t count) {
  const std::size_t dash = word.find('-');
  const std::size_t first = number_from_one(word.substr(0, dash));
  const std::size_t last = dash == std::string_view::npos ? first : number_from_one(word.substr(dash + 1));
  if (first >= count || last >= count || last < first) return {};
  return {first, last};
}

Columns find(const TableColumns& table, const std::string& word) {
  const auto named = std::find(table.names.begin(), table.names.end(), word);  // a name takes precedence over a number
  if (named == table.names.end()) return numbered(word, table.count);
  if (std::find(named + 1, table.names.end(), word) != table.names.end()) {
    throw Error(ErrorKind::input,
                fmt::format("{}: several columns are called {}; give the number of the one that is meant, from 1",
                            table.path, word));
  }
  const auto column = static_cast<std::size_t>(named - table.names.begin());
  return {column, column};
}

[[noreturn]] void refuse_label(const TableColumns& table, std::size_t label, const char* what) {
  throw Error(ErrorKind::usage,
              fmt::format("{}: column {} holds the labels or other texts of the objects, and is among the {} columns",
                          table.path, column_name(table, label), what));
}

}  // namespace

std::size_t find_column(const TableColumns& table, const std::string& word) {
  const Columns found = find(table, word);
  return found.first == found.last ? found.first : no_column;
}

std::vector<std::size_t> find_columns(const TableColumns& table, const std::vector<std::string>& list) {
  std::vector<std::size_t> columns;
  std::vector<bool> taken(table.count, false);
  for (const std::string& word : list) {
    const Columns found = find(table, word);
    if (found.first == no_column) {
      throw Error(ErrorKind::input,
                  fmt::format("{}: there is no column {} {}", table.path, word, other_columns(table, word)));
    }
    for (std::size_t column = found.first; column <= found.last; ++column) {
      if (taken[column]) {
        throw Error(ErrorKind::usage,
                    fmt::format("{}: column {} is named twice", table.path, column_name(table, column)));
      }
      taken[column] = true;
      columns.push_back(column);
    }
  }
  return columns;
}

std::vector<std::size_t> numbered_columns(const std::vector<std::string>& list, std::size_t count) {
  std::vector<std::size_t> columns;
  for (const std::string& word : list) {
    const Columns found = numbered(word, count);
    if (found.first == no_column) continue;
    for (std::size_t column = found.first; column <= found.last; ++column) columns.push_back(column);
  }
  return columns;
}

std::vector<std::string> names_in(const std::vector<std::string>& list, std::size_t count) {
  std::vector<std::string> names;
  for (const std::string& word : list) {
    if (numbered(word, count).first == no_column) names.push_back(word);
  }
  return names;
}

std::vector<std::string> ignored_columns(const TableColumns& table, const PointSource& source) {
  std::vector<std::string> ignored = source.ignored;
  if (!source.ignored_may_be_missing) return ignored;
  const std::vector<std::string> by_name = names_in(ignored, table.count);
  std::erase_if(ignored, [&](const std::string& word) {
    const bool is_name = std::find(by_name.begin(), by_name.end(), word) != by_name.end();
    return is_name && std::find(table.names.begin(), table.names.end(), word) == table.names.end();
  });
  return ignored;
}

std::vector<std::size_t> value_columns(const TableColumns& table, const std::vector<std::string>& chosen,
                                       const std::vector<std::string>& ignored, const std::vector<std::size_t>& texts) {
  const auto is_text = [&](std::size_t column) { return std::ranges::find(texts, column) != texts.end(); };
  std::vector<bool> is_ignored(table.count, false);
  for (const std::size_t column : find_columns(table, ignored)) {
    if (is_text(column)) refuse_label(table, column, "ignored");
    is_ignored[column] = true;
  }
  std::vector<std::size_t> candidates = find_columns(table, chosen);
  const auto text = std::ranges::find_if(candidates, is_text);
  if (text != candidates.end()) refuse_label(table, *text, "chosen");
  if (chosen.empty()) {
    for (std::size_t column = 0; column < table.count; ++column) {
      if (!is_text(column)) candidates.push_back(column);
    }
  }
  std::erase_if(candidates, [&](std::size_t column) { return is_ignored[column]; });
  if (candidates.empty()) {
    throw Error(ErrorKind::input, fmt::format("{}: has no columns beside {}", table.path,
                                              ignored.empty() ? "the label" : "those that are ignored"));
  }
  return candidates;
}

std::string other_columns(const TableColumns& table, const std::string& word) {
  const auto is_like = [&](int most, const std::string& name) {
    return !name.empty() && edit_distance(in_small_letters(word), in_small_letters(name)) <= most;
  };
  std::string advice;
  for (const int most : {0, std::min(2, static_cast<int>(word.size()) / 3)}) {
    const auto like = std::ranges::find_if(table.names, [&](const std::string& name) { return is_like(most, name); });
    if (like == table.names.end()) continue;
    advice = fmt::format("; did you mean '{}'?", *like);
    break;
  }
  const std::string names = table.names.empty() ? ", no header line" : ": " + name_list(table.names);
  const std::string separator = table.separator.empty() ? "" : "; the separator is " + table.separator;
  return fmt::format("({} columns{}{}){}", table.count, names, separator, advice);
}

std::string column_name(const TableColumns& table, std::size_t column) {
  return table.names.empty() ? std::to_string(column + 1) : table.names[column];
}

}  // namespace cairn
