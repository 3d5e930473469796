#include "cairn/data/graph/graph_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/data/io/text_table.hpp"

namespace cairn {

namespace {

using Format = EdgeLayout::Format;

constexpr Index largest_number = Index{1} << 62;  // differences and sums of two of them still fit
constexpr std::size_t shown = 60;                 // characters of a line in a message

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw Error(ErrorKind::input, fmt::format("{}: {}", path, reason));
}

// Takes the first field off `rest`; empty at its end. Between fields are blanks, tabs or commas.
std::string_view take_field(std::string_view& rest) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == ',' || c == '\r'; };
  std::size_t begin = 0;
  while (begin < rest.size() && is_blank(rest[begin])) ++begin;
  std::size_t end = begin;
  while (end < rest.size() && !is_blank(rest[end])) ++end;
  const std::string_view field = rest.substr(begin, end - begin);
  rest.remove_prefix(end);
  return field;
}

std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields;
  for (std::string_view field = take_field(line); !field.empty(); field = take_field(line)) fields.emplace_back(field);
  return fields;
}

std::string lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

bool read_number(std::string_view field, Index& number) {
  const char* last = field.data() + field.size();
  const auto [end, code] = std::from_chars(field.data(), last, number);
  return code == std::errc{} && end == last && !field.empty();
}

// Blank, or a comment of the format.
bool has_no_data(std::string_view line, Format format) {
  const std::string_view first = take_field(line);
  if (first.empty()) return true;
  if (format == Format::gr) return first == "c" || first.starts_with('#');
  if (format == Format::mtx) return first.starts_with('%');
  return first.starts_with('#') || first.starts_with('%');
}

// The first two lines that are no comments; fewer if there are not as many.
std::vector<std::string> first_data_lines(const TextBlocks& text, Format format) {
  for (std::size_t most = 64;; most *= 64) {
    const std::vector<std::string> lines = text.first_lines(most);
    std::vector<std::string> found;
    for (const std::string& line : lines) {
      if (!has_no_data(line, format) && found.size() < 2) found.push_back(line);
    }
    if (found.size() == 2 || lines.size() < most) return found;
  }
}

// What a file of names has between its fields, outside of quotes.
char separator_of(std::string_view line) {
  char found = ' ';
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (quoted || (c != '\t' && c != ',')) continue;
    if (c == '\t') return c;
    found = c;
  }
  return found;
}

// None if a quote is not closed.
std::vector<std::string> named_fields(std::string_view line) {
  std::vector<std::string> fields;
  FieldSplitter splitter(separator_of(line));
  try {
    for (const std::string_view field : splitter.split(line)) fields.emplace_back(trimmed(field));
  } catch (const Error&) {
    return {};
  }
  return fields;
}

// A name (a, 12-345, 192.168.0.1), not a number that was written wrongly.
bool is_name(const std::string& field) {
  const auto letter = [](char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || (static_cast<unsigned char>(c) & 0x80U) != 0 ||
           std::string_view("-:/_").find(c) != std::string_view::npos;
  };
  return !is_number(field) && (std::ranges::any_of(field, letter) || std::ranges::count(field, '.') > 1);
}

// Whether the first edge has names. @param header  gets the line above it that names columns, if there is one
bool has_names(const std::vector<std::string>& lines, std::string& header) {
  constexpr std::array<std::string_view, 16> of_columns{"source",  "target",  "from",  "to",  "u",     "v",
                                                        "src",     "dst",     "start", "end", "node1", "node2",
                                                        "vertex1", "vertex2", "head",  "tail"};
  const auto above = named_fields(lines[0]), below = named_fields(lines.size() > 1 ? lines[1] : "");
  if (above.size() < 2) return false;
  const auto of_column = [&](const std::string& field) {
    return std::ranges::find(of_columns, lower_case(field)) != of_columns.end();
  };
  const bool by_length = above.size() == 3 && below.size() == 3 && !is_number(above[2]) && is_number(below[2]);
  if (below.size() != above.size() || (!by_length && (!of_column(above[0]) || !of_column(above[1])))) {
    return is_name(above[0]) || is_name(above[1]);
  }
  if (!is_name(below[0]) && !is_name(below[1])) return false;
  header = lines[0];
  return true;
}

// Names of columns above an edge list: two words, and two integers below them.
bool is_header(const std::vector<std::string>& lines) {
  if (lines.size() < 2) return false;
  const std::vector<std::string> names = fields_of(lines[0]), below = fields_of(lines[1]);
  if (names.size() < 2 || names.size() != below.size()) return false;
  const auto word = [](const std::string& name) { return std::isalpha(static_cast<unsigned char>(name[0])) != 0; };
  Index number = 0;
  return word(names[0]) && word(names[1]) && read_number(below[0], number) && read_number(below[1], number);
}

void read_counts(const std::string& path, EdgeLayout& layout, const std::string& vertices, const std::string& edges) {
  Index n = 0;
  Index m = 0;
  if (!read_number(vertices, n) || !read_number(edges, m) || n < 1 || m < 0 || n > largest_number) {
    fail(path, fmt::format("'{}' is no header: it must count at least one vertex, and the edges",
                           layout.header.substr(0, shown)));
  }
  layout.vertices = n;
  layout.edges = m;
}

// DIMACS: `p sp n m` of the 9th challenge, `p tw n m` of PACE.
void read_dimacs_header(const std::string& path, EdgeLayout& layout) {
  const std::vector<std::string> fields = fields_of(layout.header);
  if (fields.size() != 4 || fields[0] != "p" || (fields[1] != "sp" && fields[1] != "tw")) {
    fail(path,
         fmt::format("'{}' is there instead of the header `p sp n m` or `p tw n m`", layout.header.substr(0, shown)));
  }
  read_counts(path, layout, fields[2], fields[3]);
  layout.lengths = fields[1] == "sp";
  layout.fields_before = layout.lengths ? 1 : 0;
}

// The banner (%%MatrixMarket matrix coordinate FIELD SYMMETRY), then rows, columns and entries.
void read_matrix_market_header(const TextBlocks& text, EdgeLayout& layout) {
  const std::string& path = text.path();
  const std::string banner = text.first_lines(1).front();
  const std::vector<std::string> words = fields_of(lower_case(banner));
  const std::vector<std::string> due = fields_of("%%matrixmarket matrix coordinate");
  if (words.size() != 5 || !std::equal(due.begin(), due.end(), words.begin())) {
    fail(path, fmt::format("'{}' is there instead of `%%MatrixMarket matrix coordinate ...`", banner.substr(0, shown)));
  }
  if (words[3] != "pattern" && words[3] != "real" && words[3] != "integer") {
    fail(path, fmt::format("entries of kind '{}' are no lengths; pattern, real and integer are", words[3]));
  }
  if (words[4] != "symmetric" && words[4] != "general") {
    fail(path, fmt::format("a matrix that is {} is no undirected graph; symmetric and general ones are", words[4]));
  }
  const std::vector<std::string> fields = fields_of(layout.header);
  if (fields.size() != 3) {
    fail(path, fmt::format("'{}' is there instead of rows, columns and entries", layout.header.substr(0, shown)));
  }
  if (fields[0] != fields[1]) {
    fail(path, fmt::format("{} rows and {} columns: the matrix of a graph is square", fields[0], fields[1]));
  }
  read_counts(path, layout, fields[0], fields[2]);
  layout.lengths = words[3] != "pattern";
}

const char* line_form(const EdgeLayout& layout) {
  if (layout.format == Format::cedge) return "id u v length";
  if (layout.fields_before == 1) return "a u v length";
  return layout.lengths ? "u v length" : "u v";
}

}  // namespace

Format edge_format(const std::string& path, const std::string& format, const KeyNames& keys) {
  constexpr std::array<std::pair<const char*, Format>, 5> known{{{"edges", Format::edges},
                                                                 {"gr", Format::gr},
                                                                 {"mtx", Format::mtx},
                                                                 {"cedge", Format::cedge},
                                                                 {"hdf5", Format::hdf5}}};
  for (const auto& [name, result] : known) {
    if (format == name) return result;
  }
  if (!format.empty()) {
    throw Error(ErrorKind::usage,
                fmt::format("{}: '{}' is not known for a graph; there are edges, gr, mtx, cedge and hdf5",
                            keys("format"), format));
  }
  std::string_view name = path;
  if (name.ends_with(".gz") || name.ends_with(".xz")) name.remove_suffix(3);
  constexpr std::array<std::pair<const char*, Format>, 11> endings{{{".gr", Format::gr},
                                                                    {".mtx", Format::mtx},
                                                                    {".cedge", Format::cedge},
                                                                    {".edges", Format::edges},
                                                                    {".edgelist", Format::edges},
                                                                    {".el", Format::edges},
                                                                    {".tsv", Format::edges},
                                                                    {".csv", Format::edges},
                                                                    {".txt", Format::edges},
                                                                    {".h5", Format::hdf5},
                                                                    {".hdf5", Format::hdf5}}};
  for (const auto& [ending, result] : endings) {
    if (name.ends_with(ending)) return result;
  }
  throw Error(ErrorKind::usage, fmt::format("{}: the name does not tell the format; name it with {}: edges, gr, mtx, "
                                            "cedge or hdf5",
                                            path, keys("format")));
}

EdgeLayout find_edge_layout(const TextBlocks& text, Format format) {
  EdgeLayout layout;
  layout.format = format;
  const std::vector<std::string> lines = first_data_lines(text, format);
  if (lines.empty()) fail(text.path(), "has no edges");
  const std::string& line = lines.front();
  if (format == Format::gr || format == Format::mtx) {
    layout.header = line;
    if (format == Format::gr)
      read_dimacs_header(text.path(), layout);
    else
      read_matrix_market_header(text, layout);
  } else {
    layout.fields_before = format == Format::cedge ? 1 : 0;
    if (format == Format::edges && is_header(lines)) layout.header = line;
    layout.lengths = format == Format::cedge || fields_of(line).size() > 2;
    if (format == Format::edges && layout.header.empty() && has_names(lines, layout.header)) {
      layout.named = true;
      layout.separator = separator_of(line);
      layout.lengths = named_fields(line).size() > 2;
    }
  }
  return layout;
}

std::vector<std::string> header_names(const EdgeLayout& layout) {
  std::vector<std::string> names = named_fields(layout.header);
  names.resize(2);
  return names;
}

// Names may begin as comments do: behind the head of the file only `# text` is one.
bool EdgeParser::is_comment(std::string_view line) const {
  if (!has_no_data(line, layout_.format)) return false;
  if (!layout_.named || at_head_) return true;
  const std::string_view text = trimmed(line);
  return text.size() < 2 || text[1] == ' ' || text[1] == '\t' || text[1] == text[0];
}

bool EdgeParser::parse(std::string_view line, Edge& edge) {
  if (is_comment(line)) return false;
  at_head_ = false;
  if (header_is_next_) {
    header_is_next_ = false;
    return false;
  }
  if (layout_.named) {
    parse_named(line, edge);
    return true;
  }
  std::string_view rest = line;
  if (line.starts_with(',') || line.ends_with(',') || line.find(",,") != std::string_view::npos) refuse(line);
  for (std::size_t k = 0; k < layout_.fields_before; ++k) {
    const std::string_view field = take_field(rest);
    if (layout_.format == Format::gr && field != "a") refuse(line);
  }
  const std::string_view u = take_field(rest);
  const std::string_view v = take_field(rest);
  const std::string_view length = take_field(rest);
  if (v.empty() || length.empty() == layout_.lengths || !take_field(rest).empty()) refuse(line);
  edge.u = vertex(u);
  edge.v = vertex(v);
  take_length(length, edge);
  return true;
}

void EdgeParser::parse_named(std::string_view line, Edge& edge) {
  const std::vector<std::string_view>& fields = splitter_.split(line);
  if (fields.size() != (layout_.lengths ? 3 : 2)) refuse(line);
  const auto name = [&](std::string_view field) {
    const std::string_view text = trimmed(field);
    if (text.empty() || text.find('\0') != std::string_view::npos) refuse(line);
    if (text.size() < field.size() && text.front() == '"') {
      throw Error(ErrorKind::input, fmt::format("a blank is in front of the quote of {}", text.substr(0, shown)));
    }
    return text;
  };
  edge.u_name = name(fields[0]);
  edge.v_name = name(fields[1]);
  if (layout_.lengths) take_length(trimmed(fields[2]), edge);
}

void EdgeParser::take_length(std::string_view field, Edge& edge) const {
  if (!weighted_ || !layout_.lengths) return;
  edge.length = parse_number<double>(field);
  if (edge.length > 0.0) return;
  throw Error(ErrorKind::input, fmt::format("the length {} is not positive", field.substr(0, shown)));
}

void EdgeParser::refuse(std::string_view line) const {
  throw Error(ErrorKind::input,
              fmt::format("'{}' is there instead of `{}`", line.substr(0, shown), line_form(layout_)));
}

Index EdgeParser::vertex(std::string_view field) const {
  Index number = 0;
  if (!read_number(field, number)) {
    throw Error(ErrorKind::input, fmt::format("'{}' is not the number of a vertex (names of vertices are read if the "
                                              "first edge of a list has them)",
                                              field.substr(0, shown)));
  }
  if (layout_.vertices && (number < 1 || number > *layout_.vertices)) {
    throw Error(ErrorKind::input,
                fmt::format("vertex {} is outside 1 to {}, as the header has it", number, *layout_.vertices));
  }
  if (number < 0 || number > largest_number) {
    throw Error(ErrorKind::input, fmt::format("vertex {} is outside 0 to 2^62", number));
  }
  return number;
}

}  // namespace cairn
