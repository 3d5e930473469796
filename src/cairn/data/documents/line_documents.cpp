// Documents in line-based files: tsv, one text per line, one JSON object per line.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/joined.hpp"
#include "cairn/data/documents/document_formats.hpp"
#include "cairn/data/documents/table_columns.hpp"
#include "cairn/data/io/text_blocks.hpp"
#include "cairn/data/io/text_table.hpp"

namespace cairn {

namespace {

// Selected fields of a JSON object.

using Json = nlohmann::json;

// Stores the selected fields during parsing and nothing else of the object.
class FieldReader final : public nlohmann::json_sax<Json> {
 public:
  explicit FieldReader(const std::vector<std::string>& names) : names_(names), values_(names.size()) {}

  [[nodiscard]] std::vector<std::optional<std::string>> take() { return std::move(values_); }
  [[nodiscard]] const std::string& failure() const { return failure_; }

  bool null() override { return depth_ > 0 || refuse("it is no JSON object"); }
  bool boolean(bool value) override { return put(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return put(std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { return put(std::to_string(value)); }
  bool number_float(number_float_t /*value*/, const string_t& text) override { return put(text); }
  bool string(string_t& value) override { return put(value); }
  bool binary(binary_t& /*value*/) override { return refuse("it holds binary data"); }

  bool start_object(std::size_t /*elements*/) override {
    if (depth_ > 0 && current_ != nullptr) return refuse(fmt::format("its field '{}' holds an object", name()));
    ++depth_;
    return true;
  }
  bool end_object() override {
    --depth_;
    return true;
  }
  bool start_array(std::size_t /*elements*/) override {
    if (depth_ == 0) return refuse("it is no JSON object");
    if (current_ != nullptr && depth_ > 1) return refuse(fmt::format("its field '{}' holds an array in one", name()));
    if (current_ != nullptr) current_->emplace();
    ++depth_;
    return true;
  }
  bool end_array() override {
    --depth_;
    return true;
  }
  bool key(string_t& key) override {
    if (depth_ != 1) return true;
    current_ = nullptr;
    const auto found = std::find(names_.begin(), names_.end(), key);
    if (found == names_.end() || key.empty()) return true;
    current_ = &values_[found - names_.begin()];
    return !current_->has_value() || refuse(fmt::format("its field '{}' is a duplicate", key));
  }
  bool parse_error(std::size_t /*position*/, const std::string& /*token*/, const Json::exception& error) override {
    const std::string what = error.what();  // "[json.exception.parse_error.101] parse error at line 1, column 5: ..."
    const std::size_t column = what.find("column");
    return refuse("it is no JSON object: " + (column == std::string::npos ? what : what.substr(column)));
  }

 private:
  [[nodiscard]] std::string name() const { return names_[current_ - values_.data()]; }
  bool put(const std::string& text) {
    if (depth_ == 0) return refuse("it is no JSON object");
    if (current_ == nullptr) return true;
    if (!current_->has_value()) {
      current_->emplace(text);
    } else {
      if (!(*current_)->empty()) **current_ += ' ';
      **current_ += text;
    }
    return true;
  }
  bool refuse(std::string reason) {
    failure_ = std::move(reason);
    return false;
  }

  const std::vector<std::string>& names_;
  std::vector<std::optional<std::string>> values_;
  std::optional<std::string>* current_ = nullptr;  // the field being read, if it is one of `names`
  int depth_ = 0;                                  // number of open objects and arrays
  std::string failure_;
};

// Values of the fields `names` of an object as texts: a string as it is, a number as it is written, true or false; the
// elements of an array of those, separated by blanks; none if the field is missing or null. Other fields may have any
// type.
// @throws Error(input) if `text` is no JSON object, or a field is or contains an object, or is repeated. Local.
std::vector<std::optional<std::string>> read_json_fields(std::string_view text, const std::vector<std::string>& names) {
  FieldReader reader(names);
  if (!Json::sax_parse(text.begin(), text.end(), &reader)) throw Error(ErrorKind::input, reader.failure());
  return reader.take();
}

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
    bool header = columns_.has_header() && communicator.is_root();  // rank 0 has the first block of the file
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

  // Further tabs belong to the last column if it is the text column.
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
