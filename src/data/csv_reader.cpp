#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/collective_guard.hpp"
#include "base/log.hpp"
#include "data/text_blocks.hpp"
#include "data/text_points.hpp"

namespace cairn {

namespace {

// A line in fields; quotes are taken off, a doubled quote inside them is one.
class FieldSplitter {
 public:
  explicit FieldSplitter(char separator) : separator_(separator) {}

  const std::vector<std::string_view>& split(std::string_view line) {
    fields_.clear();
    unquoted_.clear();
    unquoted_.reserve(line.size());
    std::size_t at = 0;
    if (separator_ == ' ') line = trimmed(line);
    do {
      if (separator_ == ' ') at = std::min(line.find_first_not_of(" \t", at), line.size());
      fields_.push_back(at < line.size() && line[at] == '"' ? quoted(line, at) : plain(line, at));
    } while (at++ < line.size());
    return fields_;
  }

 private:
  // Both leave `at` on the separator that ends the field, or at the end of the line.
  std::string_view plain(std::string_view line, std::size_t& at) const {
    const std::size_t begin = at;
    at = std::min(separator_ == ' ' ? line.find_first_of(" \t", at) : line.find(separator_, at), line.size());
    return line.substr(begin, at - begin);
  }

  std::string_view quoted(std::string_view line, std::size_t& at) {
    const std::size_t begin = unquoted_.size();
    for (++at; at < line.size(); ++at) {
      if (line[at] == '"' && (++at >= line.size() || line[at] != '"')) {
        if (at < line.size() && line[at] != separator_ && !(separator_ == ' ' && line[at] == '\t')) {
          throw Error(ErrorKind::input, "text follows a closing quote");
        }
        return std::string_view(unquoted_).substr(begin);
      }
      unquoted_.push_back(line[at]);
    }
    throw Error(ErrorKind::input, "a quote is not closed");
  }

  char separator_;
  std::vector<std::string_view> fields_;
  std::string unquoted_;  // reserved for the whole line: views into it stay good
};

constexpr std::size_t no_column = static_cast<std::size_t>(-1);

struct CsvLayout {
  char separator = ',';
  bool header = false;
  bool doubtful = false;  // the first line is taken for data, but may be meant as a header
  std::size_t fields = 0;
  std::size_t label = no_column;
  std::vector<std::size_t> values;  // columns that are read, in this order
};

char find_separator(const std::string& line) {
  for (const char c : {',', ';', '\t'}) {
    if (line.find(c) != std::string::npos) return c;
  }
  return ' ';
}

// A label that is a whole number names a column from 1; any other text a column of the header.
std::size_t label_number(const std::string& label) {
  std::size_t number = 0;
  const auto [end, code] = std::from_chars(label.data(), label.data() + label.size(), number);
  return code == std::errc{} && end == label.data() + label.size() && number > 0 ? number - 1 : no_column;
}

// Column numbers (0, 1, 2, ... or 1, 2, 3, ...): the header that table programs write where columns have no names.
bool count_upwards(const std::vector<std::string_view>& fields, std::size_t label) {
  constexpr std::size_t enough = 4;  // fewer may well be a point
  std::vector<std::string_view> names;
  for (std::size_t k = 0; k < fields.size(); ++k) {
    if (k != label) names.push_back(trimmed(fields[k]));
  }
  if (names.size() < enough || (names[0] != "0" && names[0] != "1")) return false;
  const std::size_t first = names[0] == "0" ? 0 : 1;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (names[k] != std::to_string(first + k)) return false;
  }
  return true;
}

using Fields = std::vector<std::string_view>;
using Columns = std::vector<std::string>;

// What `name` means: a column of the header, or a number from 1; no_column where it is neither.
std::size_t find_column(const Fields& fields, bool header, const std::string& name) {
  if (header) {  // a name that is a number goes before the number of a column
    const auto named = std::find_if(fields.begin(), fields.end(), [&](auto f) { return trimmed(f) == name; });
    if (named != fields.end()) return static_cast<std::size_t>(named - fields.begin());
  }
  const std::size_t number = label_number(name);
  return number < fields.size() ? number : no_column;
}

// True where the first line is no data: a column that is to hold values does not, or is named.
bool is_header(const Fields& fields, const PointSource& source, const Columns& columns) {
  if (columns.empty()) {
    const std::size_t label = label_number(source.label);
    for (std::size_t k = 0; k < fields.size(); ++k) {
      if (k != label && !is_number(fields[k])) return true;
    }
    return false;
  }
  if (!source.label.empty() && label_number(source.label) >= fields.size()) return true;
  return std::any_of(columns.begin(), columns.end(), [&](const std::string& name) {
    const std::size_t number = label_number(name);
    return number >= fields.size() || !is_number(fields[number]);
  });
}

std::string columns_text(const CsvLayout& layout) {
  return fmt::format("({} columns{})", layout.fields, layout.header ? "" : ", no header line");
}

void find_values(const Fields& fields, const PointSource& source, const Columns& columns, CsvLayout& layout) {
  for (const std::string& name : columns) {
    layout.values.push_back(find_column(fields, layout.header, name));
    if (layout.values.back() == no_column) {
      throw Error(ErrorKind::input,
                  fmt::format("{}: there is no column {} {}", source.path, name, columns_text(layout)));
    }
  }
  if (!columns.empty()) return;
  for (std::size_t k = 0; k < fields.size(); ++k) {
    if (k != layout.label) layout.values.push_back(k);
  }
  if (layout.values.empty()) throw Error(ErrorKind::input, source.path + ": has no columns beside the label");
}

CsvLayout find_layout(const TextBlocks& text, const PointSource& source, const Columns& columns) {
  const std::vector<std::string> lines = text.first_lines(1);
  if (lines.empty()) throw Error(ErrorKind::input, text.path() + ": has no rows of data");
  CsvLayout layout;
  layout.separator = find_separator(lines.front());
  FieldSplitter splitter(layout.separator);
  const Fields& fields = splitter.split(lines.front());
  layout.fields = fields.size();
  layout.header = is_header(fields, source, columns);
  if (!source.label.empty()) {
    layout.label = find_column(fields, layout.header, source.label);
    if (layout.label == no_column) {
      throw Error(ErrorKind::input, fmt::format("{}: data.label = {}: there is no such column {}", text.path(),
                                                source.label, columns_text(layout)));
    }
  }
  find_values(fields, source, columns, layout);
  layout.doubtful = !layout.header && columns.empty() && count_upwards(fields, layout.label);
  return layout;
}

template <class T>
void append_row(const std::vector<std::string_view>& fields, const CsvLayout& layout, ParsedRows<T>& rows) {
  if (fields.size() != layout.fields) {
    throw Error(ErrorKind::input, fmt::format("{} columns, but the first line has {}", fields.size(), layout.fields));
  }
  if (layout.label != no_column) {
    check_label(fields[layout.label]);
    rows.labels.emplace_back(trimmed(fields[layout.label]));
  }
  for (const std::size_t k : layout.values) {
    try {
      rows.values.push_back(parse_number<T>(fields[k]));
    } catch (const Error& error) {
      const char* advice = layout.values.size() == layout.fields ? " (a column of labels is named by data.label)" : "";
      throw Error(error.kind(), fmt::format("column {}: {}{}", k + 1, error.what(), advice));
    }
  }
}

}  // namespace

template <class T>
OwnedRows<T> read_csv(const Communicator& communicator, const PointSource& source, const Columns& columns) {
  const auto text = collectively(communicator, [&] { return TextBlocks(source.path); });
  const CsvLayout layout = collectively(communicator, [&] { return find_layout(text, source, columns); });
  if (layout.doubtful && communicator.is_root()) {
    log(LogLevel::warning, source.path + ":1: is read as a point; delete this line if it numbers the columns");
  }
  FieldSplitter splitter(layout.separator);
  ParsedRows<T> parsed;
  parsed.width = static_cast<Index>(layout.values.size());
  bool header_is_next = layout.header && communicator.is_root();  // block 0 is rank 0's
  Index rows = 0;
  text.for_each_line(
      communicator,
      [&](std::string_view line, Index) {
        if (trimmed(line).empty()) return;
        if (header_is_next) {
          header_is_next = false;
          return;
        }
        append_row(splitter.split(line), layout, parsed);
        ++rows;
      },
      [&](Index block, Index) {
        parsed.blocks.push_back({block, rows});
        rows = 0;
      });
  return send_to_owners(communicator, source.path, std::move(parsed));
}

std::vector<std::string> csv_column_names(const PointSource& source, const Columns& columns) {
  const TextBlocks text(source.path);
  const CsvLayout layout = find_layout(text, source, columns);
  FieldSplitter splitter(layout.separator);
  const std::string line = text.first_lines(1).front();
  const Fields& fields = splitter.split(line);
  std::vector<std::string> names;
  for (const std::size_t k : layout.values) {
    names.push_back(layout.header ? std::string(trimmed(fields[k])) : std::to_string(k + 1));
  }
  return names;
}

template OwnedRows<float> read_csv(const Communicator&, const PointSource&, const Columns&);
template OwnedRows<double> read_csv(const Communicator&, const PointSource&, const Columns&);

}  // namespace cairn
