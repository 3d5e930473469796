#include "cairn/data/documents/table_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "cairn/base/joined.hpp"
#include "cairn/data/documents/tokenizer.hpp"
#include "cairn/data/io/text_table.hpp"

namespace cairn {

namespace {

// A field of the first line, truncated for a message.
std::string abridged(const std::string& field) {
  constexpr std::size_t longest = 24;
  return field.size() <= longest ? field : std::string(utf8_prefix(field, longest)) + "...";
}

}  // namespace

DocumentColumns::DocumentColumns(const DocumentSource& source, const std::string& path, TableKind kind,
                                 std::vector<std::string> first_line)
    : path_(path), kind_(kind), names_(std::move(first_line)) {
  label_ = find(source.label, source.keys("label"));
  split_ = find(source.split, source.keys("split"));
  group_ = find(source.group, source.keys("group"));
  identifier_ = find(source.identifier, source.keys("id"));
  if (source.text.empty()) require_named_text(source.keys);
  text_ = source.text.empty() ? names_.size() - 1 : *find(source.text, source.keys("text"));
  if (text_ == label_ || text_ == split_ || text_ == group_ || text_ == identifier_) {
    throw Error(ErrorKind::usage, fmt::format("{}: column {} is to hold the text and something else; {} says "
                                              "which column holds the text, by default the last of two",
                                              path_, text_ + 1, source.keys("text")));
  }
}

void DocumentColumns::require_named_text(const KeyNames& keys) const {
  if (names_.size() <= 2) return;
  std::vector<std::string> fields;
  for (const std::string& name : names_) fields.push_back(abridged(name));
  throw Error(ErrorKind::usage, fmt::format("{}: has {} columns; say with {} which one holds the texts, by its "
                                            "number from 1, or by its name if the first line is a header (its first "
                                            "line: {})",
                                            path_, names_.size(), keys("text"), joined(fields, " | ")));
}

std::optional<std::size_t> DocumentColumns::find(const std::string& column, const std::string& key) {
  if (column.empty()) return std::nullopt;
  std::size_t number = 0;
  const auto [end, code] = std::from_chars(column.data(), column.data() + column.size(), number);
  if (code == std::errc{} && end == column.data() + column.size()) {
    if (number >= 1 && number <= names_.size()) return number - 1;
    throw Error(ErrorKind::input,
                fmt::format("{}: {} = {}: its first line has {} columns ({} stand between them)", path_, key, column,
                            names_.size(), kind_ == TableKind::tsv ? "tabs" : "commas"));
  }
  header_ = true;
  const auto is_named = [&](const std::string& name) { return trimmed(name) == column; };
  const auto named = std::ranges::find_if(names_, is_named);
  if (std::ranges::count_if(names_, is_named) == 1) return static_cast<std::size_t>(named - names_.begin());
  throw Error(ErrorKind::input,
              fmt::format("{}:1: {} = {}: {} of the header has this name; columns have numbers from 1, too", path_, key,
                          column, named == names_.end() ? "no column" : "more than one column"));
}

// The field without surrounding blanks and, for tsv, without quotes. It must not be empty.
std::string_view DocumentColumns::named(std::string_view field, const char* what, std::size_t column) const {
  field = trimmed(field);
  const bool quoted = field.size() >= 2 && field.front() == '"' && field.back() == '"';
  if (quoted && kind_ == TableKind::tsv) field = field.substr(1, field.size() - 2);
  if (field.empty()) throw Error(ErrorKind::input, fmt::format("the {} is missing (column {})", what, column + 1));
  return field;
}

std::string DocumentColumns::text_source() const {
  if (header_) return fmt::format("column '{}'", trimmed(names_[text_]));
  return fmt::format("column {} of {}, no header line", text_ + 1, names_.size());
}

DocumentText DocumentColumns::document(std::span<const std::string_view> fields) const {
  if (fields.size() != names_.size()) {
    throw Error(ErrorKind::input,
                fmt::format("has {} columns, and the first line has {}", fields.size(), names_.size()));
  }
  DocumentText document;
  document.text = fields[text_];
  if (label_) document.label = named(fields[*label_], "label", *label_);
  if (split_) document.split = named(fields[*split_], "split", *split_);
  if (group_) document.group = named(fields[*group_], "group", *group_);
  if (identifier_) document.identifier = named(fields[*identifier_], "identifier", *identifier_);
  return document;
}

}  // namespace cairn
