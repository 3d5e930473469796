// Documents in files of lines: tsv, one a line, one JSON object a line.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cairn/base/joined.hpp"
#include "cairn/data/documents/document_formats.hpp"
#include "cairn/data/documents/table_columns.hpp"
#include "cairn/data/io/json_fields.hpp"
#include "cairn/data/io/text_blocks.hpp"
#include "cairn/data/io/text_table.hpp"

namespace cairn {

namespace {

class LineDocuments : public DocumentFile {
 public:
  explicit LineDocuments(const std::string& path) : lines_(path) {}
  [[nodiscard]] std::string place(Index line) const override { return fmt::format("{}:{}", lines_.path(), line + 1); }

 protected:
  TextBlocks lines_;
};

class PlainLines final : public LineDocuments {
 public:
  using LineDocuments::LineDocuments;
  void read_each(const Communicator& communicator, const UseDocument& use, const EndBlock& end) const override {
    lines_.for_each_line(
        communicator, [&](std::string_view line, Index number) { use({.text = line}, number); }, end);
  }
  [[nodiscard]] std::string text_source() const override { return "a line each"; }
};

class Table final : public LineDocuments {
 public:
  Table(const DocumentSource& source, const std::string& path)
      : LineDocuments(path), columns_(source, path, TableKind::tsv, first_fields(lines_)) {}

  void read_each(const Communicator& communicator, const UseDocument& use, const EndBlock& end) const override {
    bool header = columns_.has_header() && communicator.is_root();  // its first block is the first of the file
    std::vector<std::string_view> fields;
    lines_.for_each_line(
        communicator,
        [&](std::string_view line, Index number) {
          if (trimmed(line).empty() || std::exchange(header, false)) return;
          split(line, fields);
          use(columns_.document(fields), number);
        },
        end);
  }
  [[nodiscard]] std::string text_source() const override { return columns_.text_source(); }

 private:
  static std::vector<std::string> first_fields(const TextBlocks& lines) {
    const std::vector<std::string> first = lines.first_lines(1);
    if (first.empty()) throw Error(ErrorKind::input, lines.path() + ": holds nothing but blanks");
    std::vector<std::string> fields;
    std::string_view rest = first.front();
    for (std::size_t tab = 0; tab != std::string_view::npos;) {
      tab = rest.find('\t');
      fields.emplace_back(rest.substr(0, tab));
      if (tab != std::string_view::npos) rest.remove_prefix(tab + 1);
    }
    return fields;
  }

  // What follows the last column's tab belongs to it, if it is that of the texts.
  void split(std::string_view line, std::vector<std::string_view>& fields) const {
    fields.clear();
    for (;;) {
      const bool whole = fields.size() + 1 == columns_.size() && columns_.text() + 1 == columns_.size();
      const std::size_t tab = whole ? std::string_view::npos : line.find('\t');
      fields.push_back(line.substr(0, tab));
      if (tab == std::string_view::npos) return;
      line.remove_prefix(tab + 1);
    }
  }

  DocumentColumns columns_;
};

class JsonLines final : public LineDocuments {
 public:
  JsonLines(const DocumentSource& source, const std::string& path) : LineDocuments(path), fields_(source) {}
  void read_each(const Communicator& communicator, const UseDocument& use, const EndBlock& end) const override {
    lines_.for_each_line(
        communicator,
        [&](std::string_view line, Index number) {
          if (trimmed(line).empty()) return;
          fields_.read(line, [&](const DocumentText& document) { use(document, number); });
        },
        end);
  }
  [[nodiscard]] std::string text_source() const override { return fields_.text_source(); }

 private:
  DocumentFields fields_;
};

}  // namespace

DocumentFields::DocumentFields(const DocumentSource& source)
    : names_{source.text.empty() ? "text" : source.text, source.label, source.split, source.group, source.identifier},
      keys_{source.keys("text"), source.keys("label"), source.keys("split"), source.keys("group"), source.keys("id")} {
  for (std::size_t k = 1; k < names_.size(); ++k) {
    if (names_[k].empty()) continue;
    if (std::find(names_.begin(), names_.begin() + static_cast<std::ptrdiff_t>(k), names_[k]) !=
        names_.begin() + static_cast<std::ptrdiff_t>(k)) {
      throw Error(ErrorKind::usage,
                  fmt::format("the field '{}' is named by two of {}", names_[k], joined(keys_, ", ")));
    }
  }
}

void DocumentFields::read(std::string_view object, const std::function<void(const DocumentText&)>& use) const {
  const auto values = read_json_fields(object, names_);
  for (std::size_t k = 0; k < names_.size(); ++k) {
    if (names_[k].empty()) continue;
    if (k > 0 && !values[k]) throw Error(ErrorKind::input, fmt::format("has no field '{}' ({})", names_[k], keys_[k]));
    if (k > 0 && values[k]->empty()) throw Error(ErrorKind::input, fmt::format("its field '{}' is empty", names_[k]));
  }
  const auto value = [&](std::size_t k) { return values[k] ? std::string_view(*values[k]) : std::string_view(); };
  use({value(0), value(1), value(2), value(3), value(4), !values[0].has_value()});
}

std::string DocumentFields::text_source() const { return fmt::format("field '{}'", names_[0]); }

std::unique_ptr<DocumentFile> open_line_documents(const DocumentSource& source, const std::string& path,
                                                  const std::string& format) {
  if (format == "tsv") return std::make_unique<Table>(source, path);
  if (format == "jsonl") return std::make_unique<JsonLines>(source, path);
  return std::make_unique<PlainLines>(path);
}

}  // namespace cairn
