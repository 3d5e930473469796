#include "cairn/data/trees/kelp_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "cairn/base/error.hpp"
#include "cairn/base/joined.hpp"
#include "cairn/data/io/text_table.hpp"
#include "cairn/data/trees/bracket_parser.hpp"

namespace cairn {

namespace {

constexpr std::string_view blanks = " \t\r\n\v\f";

// Reads the field that begins at `at` and advances `at` to its end.
KelpField take_field_at(std::string_view text, std::size_t column, std::size_t& at) {
  constexpr std::string_view begin = "|B";
  const std::size_t start = at;
  if (text.substr(at).starts_with("|<|") || text.substr(at).starts_with("|,|") || text.substr(at).starts_with("|>|")) {
    fail_at(column + at, "a mark of a pair of objects, and one object was expected");
  }
  if (!text.substr(at).starts_with(begin)) fail_at(column + at, "a field |Btype:name| was expected");
  at += begin.size();
  const std::size_t colon = text.find_first_of(":|", at);
  if (colon == std::string_view::npos || text[colon] != ':') fail_at(column + start, "the field has no name");
  const std::string_view type = text.substr(at, colon - at);
  const std::size_t close = text.find('|', colon + 1);
  if (close == std::string_view::npos) fail_at(column + start, "the name of the field does not end with |");
  const std::string_view name = text.substr(colon + 1, close - colon - 1);
  if (type.empty() || name.empty()) fail_at(column + start, "the field has no type or no name");
  const std::string mark = fmt::format("|E{}|", type);
  const std::size_t end = text.find(mark, close + 1);
  if (end == std::string_view::npos)
    fail_at(column + start, fmt::format("the field does not end: {} is missing", mark));
  at = end + mark.size();
  return {type, name, text.substr(close + 1, end - close - 1), column + close + 1};
}

}  // namespace

std::vector<KelpField> kelp_fields(std::string_view text, std::size_t column) {
  std::vector<KelpField> fields;
  for (std::size_t at = 0;;) {
    at = text.find_first_not_of(blanks, at);
    if (at == std::string_view::npos) return fields;
    fields.push_back(take_field_at(text, column, at));
  }
}

KelpLine kelp_line(std::string_view line) {
  const std::size_t end = std::min(line.find('|'), line.size());
  return {trimmed(line.substr(0, end)), line.substr(end), end + 1};
}

const KelpField& kelp_field(const std::vector<KelpField>& fields, std::string_view type, const char* what,
                            std::string_view name, const std::string& key) {
  std::vector<std::string_view> names;
  const KelpField* found = nullptr;
  for (const KelpField& field : fields) {
    if (field.type != type) continue;
    if (std::ranges::find(names, field.name) != names.end()) {
      throw Error(ErrorKind::input, fmt::format("has two {}s '{}'", what, field.name));
    }
    names.push_back(field.name);
    if (name.empty() || field.name == name) found = &field;
  }
  if (names.empty()) throw Error(ErrorKind::input, fmt::format("has no {}", what));
  if (found == nullptr) {
    throw Error(ErrorKind::input,
                fmt::format("has no {} '{}' ({}); there are {}", what, name, key, joined(names, ", ")));
  }
  if (name.empty() && names.size() > 1) {
    throw Error(ErrorKind::input,
                fmt::format("has several {}s: choose one with {}: {}", what, key, joined(names, ", ")));
  }
  return *found;
}

void for_each_kelp_number(std::string_view vector, const std::function<void(std::string_view, double)>& use) {
  std::unordered_set<std::string_view> before;
  for (std::string_view text = trimmed(vector); !text.empty(); text = trimmed(text)) {
    const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
    const std::string_view one = text.substr(0, end);
    const std::size_t colon = one.rfind(':');
    if (colon == std::string_view::npos || colon == 0) {
      throw Error(ErrorKind::input, fmt::format("the feature '{}' is not NAME:NUMBER", excerpt(one)));
    }
    const std::string_view name = one.substr(0, colon);
    if (!before.insert(name).second) {
      throw Error(ErrorKind::input, fmt::format("the feature {} is a duplicate", excerpt(name)));
    }
    try {
      use(name, parse_number<double>(one.substr(colon + 1)));
    } catch (const Error& error) {
      throw Error(error.kind(), fmt::format("the feature {}: {}", excerpt(name), error.what()));
    }
    text.remove_prefix(end);
  }
}

}  // namespace cairn
