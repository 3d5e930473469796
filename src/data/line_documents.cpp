// Documents in files of lines: tsv, one a line, one JSON object a line.
#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "data/document_formats.hpp"
#include "data/json_fields.hpp"
#include "data/text_blocks.hpp"
#include "data/text_table.hpp"

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
  void for_each(const Communicator& communicator, const UseDocument& use, const EndBlock& end) const override {
    lines_.for_each_line(
        communicator,
        [&](std::string_view line, Index number) {
          use({line, {}, {}}, number);
        },
        end);
  }
};

// Which columns of a table hold what; counted from 0.
class Columns {
 public:
  Columns(const DocumentSource& source, const std::string& path, const std::string& first_line) : path_(path) {
    std::string_view rest = first_line;
    for (std::size_t tab = 0; tab != std::string_view::npos;) {
      tab = rest.find('\t');
      names_.emplace_back(rest.substr(0, tab));
      if (tab != std::string_view::npos) rest.remove_prefix(tab + 1);
    }
    label_ = find(source.label, "data.label");
    split_ = find(source.split, "data.split");
    text_ = source.text.empty() ? names_.size() - 1 : *find(source.text, "data.text");
    if (text_ == label_ || text_ == split_) {
      throw Error(ErrorKind::usage, fmt::format("{}: column {} is to hold the text and something else; data.text says "
                                                "which column holds the text, by default the last",
                                                path, text_ + 1));
    }
  }

  [[nodiscard]] bool has_header() const { return header_; }

  [[nodiscard]] DocumentText split(std::string_view line) const {
    DocumentText document;
    std::size_t column = 0;
    for (;; ++column) {
      const bool last = column + 1 == names_.size();
      const std::size_t tab = last && column == text_ ? std::string_view::npos : line.find('\t');
      const std::string_view field = line.substr(0, tab);
      if (column == text_) document.text = field;
      if (column == label_) document.label = named(field, "label", column);
      if (column == split_) document.split = named(field, "split", column);
      if (tab == std::string_view::npos) break;
      line.remove_prefix(tab + 1);
    }
    if (column + 1 == names_.size()) return document;
    throw Error(ErrorKind::input, fmt::format("has {} columns, and the first line has {}", column + 1, names_.size()));
  }

 private:
  std::optional<std::size_t> find(const std::string& column, const char* key) {
    if (column.empty()) return std::nullopt;
    std::size_t number = 0;
    const auto [end, code] = std::from_chars(column.data(), column.data() + column.size(), number);
    if (code == std::errc{} && end == column.data() + column.size()) {
      if (number >= 1 && number <= names_.size()) return number - 1;
      throw Error(ErrorKind::input, fmt::format("{}: {} = {}: its first line has {} columns (tabs stand between them)",
                                                path_, key, column, names_.size()));
    }
    header_ = true;
    for (std::size_t k = 0; k < names_.size(); ++k) {
      if (trimmed(names_[k]) == column) return k;
    }
    throw Error(ErrorKind::input, fmt::format("{}:1: {} = {}: no column of the header has this name; columns have "
                                              "numbers from 1, too",
                                              path_, key, column));
  }

  // A label without the quotes and blanks around it.
  static std::string_view named(std::string_view field, const char* what, std::size_t column) {
    field = trimmed(field);
    if (field.size() >= 2 && field.front() == '"' && field.back() == '"') field = field.substr(1, field.size() - 2);
    if (field.empty()) throw Error(ErrorKind::input, fmt::format("the {} is missing (column {})", what, column + 1));
    return field;
  }

  std::string path_;
  std::vector<std::string> names_;  // fields of the first line
  bool header_ = false;
  std::size_t text_ = 0;
  std::optional<std::size_t> label_, split_;
};

class Table final : public LineDocuments {
 public:
  Table(const DocumentSource& source, const std::string& path)
      : LineDocuments(path), columns_(source, path, first_line(lines_)) {}

  void for_each(const Communicator& communicator, const UseDocument& use, const EndBlock& end) const override {
    bool header = columns_.has_header() && communicator.is_root();  // its first block is the first of the file
    lines_.for_each_line(
        communicator,
        [&](std::string_view line, Index number) {
          if (trimmed(line).empty()) return;
          if (!std::exchange(header, false)) use(columns_.split(line), number);
        },
        end);
  }

 private:
  static std::string first_line(const TextBlocks& lines) {
    const std::vector<std::string> first = lines.first_lines(1);
    if (first.empty()) throw Error(ErrorKind::input, lines.path() + ": holds nothing but blanks");
    return first.front();
  }
  Columns columns_;
};

class JsonLines final : public LineDocuments {
 public:
  JsonLines(const DocumentSource& source, const std::string& path) : LineDocuments(path), fields_(source) {}
  void for_each(const Communicator& communicator, const UseDocument& use, const EndBlock& end) const override {
    lines_.for_each_line(
        communicator,
        [&](std::string_view line, Index number) {
          if (trimmed(line).empty()) return;
          fields_.read(line, [&](const DocumentText& document) { use(document, number); });
        },
        end);
  }

 private:
  DocumentFields fields_;
};

}  // namespace

DocumentFields::DocumentFields(const DocumentSource& source)
    : names_{source.text.empty() ? "text" : source.text, source.label, source.split} {
  for (std::size_t k = 1; k < names_.size(); ++k) {
    if (names_[k].empty()) continue;
    if (names_[k] == names_[0] || (k == 2 && names_[1] == names_[2])) {
      throw Error(ErrorKind::usage,
                  fmt::format("the field '{}' is named by two of data.text, data.label, data.split", names_[k]));
    }
  }
}

void DocumentFields::read(std::string_view object, const std::function<void(const DocumentText&)>& use) const {
  const auto values = read_json_fields(object, names_);
  const char* keys[] = {"data.text", "data.label", "data.split"};
  for (std::size_t k = 0; k < names_.size(); ++k) {
    if (names_[k].empty()) continue;
    if (!values[k]) throw Error(ErrorKind::input, fmt::format("has no field '{}' ({})", names_[k], keys[k]));
    if (k > 0 && values[k]->empty()) throw Error(ErrorKind::input, fmt::format("its field '{}' is empty", names_[k]));
  }
  const auto value = [&](std::size_t k) {
    return names_[k].empty() ? std::string_view() : std::string_view(*values[k]);
  };
  use({value(0), value(1), value(2)});
}

std::unique_ptr<DocumentFile> open_line_documents(const DocumentSource& source, const std::string& path,
                                                  const std::string& format) {
  if (format == "tsv") return std::make_unique<Table>(source, path);
  if (format == "jsonl") return std::make_unique<JsonLines>(source, path);
  return std::make_unique<PlainLines>(path);
}

}  // namespace cairn
