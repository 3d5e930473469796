#include "cairn/data/graph/graph_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/small_letters.hpp"
#include "cairn/data/graph/edge_list_head.hpp"
#include "cairn/data/io/text_table.hpp"
#include "cairn/data/osm/osm_file.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

namespace {

using Format = EdgeLayout::Format;

constexpr Index largest_number = Index{1} << 62;  // differences and sums of two of them still fit
constexpr std::size_t shown = 60;                 // characters of a line in a message

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw Error(ErrorKind::input, fmt::format("{}: {}", path, reason));
}

// Removes the first field from `rest`; empty at its end. Fields are separated by blanks, tabs or commas.
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

bool read_number(std::string_view field, Index& number) {
  const char* last = field.data() + field.size();
  const auto [end, code] = std::from_chars(field.data(), last, number);
  return code == std::errc{} && end == last && !field.empty();
}

// True if a line is blank or a comment of the format.
bool has_no_data(std::string_view line, Format format) {
  const std::string_view first = take_field(line);
  if (first.empty()) return true;
  if (format == Format::gr) return first == "c" || first.starts_with('#');
  if (format == Format::mtx) return first.starts_with('%');
  return first.starts_with('#') || first.starts_with('%');
}

// The first two lines that are not comments; fewer if there are not two.
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

// The nonblank lines above the first edge, among the first 64 lines.
std::vector<std::string> comments_above(const TextBlocks& text, const std::string& first_edge) {
  std::vector<std::string> found;
  for (const std::string& line : text.first_lines(64)) {
    if (line == first_edge) break;
    if (!trimmed(line).empty()) found.push_back(line);
  }
  return found;
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

// Reads the banner (%%MatrixMarket matrix coordinate FIELD SYMMETRY), then rows, columns and entries.
void read_matrix_market_header(const TextBlocks& text, EdgeLayout& layout) {
  const std::string& path = text.path();
  const std::string banner = text.first_lines(1).front();
  const std::vector<std::string> words = fields_of(in_small_letters(banner));
  const std::vector<std::string> due = fields_of("%%matrixmarket matrix coordinate");
  if (words.size() != 5 || !std::equal(due.begin(), due.end(), words.begin())) {
    fail(path, fmt::format("'{}' is there instead of `%%MatrixMarket matrix coordinate ...`", banner.substr(0, shown)));
  }
  if (words[3] != "pattern" && words[3] != "real" && words[3] != "integer") {
    fail(path, fmt::format("entries of kind '{}' are no lengths; pattern, real and integer are", words[3]));
  }
  if (words[4] != "symmetric" && words[4] != "general") {
    fail(path, fmt::format("a matrix that is {} is no graph; symmetric and general ones are", words[4]));
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
  layout.symmetric = words[4] == "symmetric";
}

const char* line_form(const EdgeLayout& layout) {
  if (layout.format == Format::cedge) return "id u v length";
  if (layout.fields_before == 1) return "a u v length";
  return layout.lengths ? "u v length" : "u v";
}

constexpr std::array<std::pair<const char*, Format>, 6> formats{{{"edges", Format::edges},
                                                                 {"gr", Format::gr},
                                                                 {"mtx", Format::mtx},
                                                                 {"cedge", Format::cedge},
                                                                 {"hdf5", Format::hdf5},
                                                                 {"osm.pbf", Format::osm}}};

// The format, unless the source sets parameters that it does not have.
Format checked(Format format, const GraphSource& source, const FormatChoices& choices) {
  const auto refuse_unless = [&](Format owner, const char* name, bool given, const char* parameter) {
    if (!given || format == owner) return;
    throw Error(ErrorKind::usage,
                fmt::format("{} has no effect unless {} is {}", source.keys(parameter), source.keys("format"), name));
  };
  refuse_unless(Format::edges, "edges", !source.columns.empty(), "columns");
  refuse_unless(Format::edges, "edges", source.names != "auto", "names");
  refuse_unless(Format::osm, "osm.pbf", choices.measure.has_value(), "measure");
  refuse_unless(Format::osm, "osm.pbf", choices.contract.has_value(), "contract");
  return format;
}

}  // namespace

Format edge_format(const GraphSource& source, const FormatChoices& choices) {
  for (const auto& [name, result] : formats) {
    if (source.format == name) return checked(result, source, choices);
  }
  if (!source.format.empty()) {
    throw Error(ErrorKind::usage,
                fmt::format("{}: '{}' is not known for a graph; there are edges, gr, mtx, cedge, hdf5 and osm.pbf",
                            source.keys("format"), source.format));
  }
  std::string_view name = source.path;
  if (is_osm_name(name)) return checked(Format::osm, source, choices);
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
    if (name.ends_with(ending)) return checked(result, source, choices);
  }
  throw Error(ErrorKind::usage, fmt::format("{}: the name does not tell the format; name it with {}: edges, gr, mtx, "
                                            "cedge, hdf5 or osm.pbf",
                                            source.path, source.keys("format")));
}

EdgeLayout find_edge_layout(const TextBlocks& text, Format format, const GraphSource& source) {
  EdgeLayout layout;
  layout.format = format;
  layout.keys = source.keys;
  layout.zeros = format != Format::edges || source.names == "false";
  const std::vector<std::string> lines = first_data_lines(text, format);
  if (lines.empty()) fail(text.path(), "has no edges");
  if (format == Format::edges) {
    read_list_head(text.path(), lines, source, layout);
    check_comments(text.path(), comments_above(text, lines.front()), layout);
    return layout;
  }
  layout.header = lines.front();
  if (format == Format::gr) {
    read_dimacs_header(text.path(), layout);
  } else if (format == Format::mtx) {
    read_matrix_market_header(text, layout);
  } else {
    layout.header.clear();
    layout.fields_before = 1;
    layout.lengths = true;
  }
  return layout;
}

// Names may begin like comments: after the head of the file only `# text` is a comment.
bool EdgeParser::is_comment(std::string_view line) const {
  if (!has_no_data(line, layout_.format)) return false;
  return !layout_.named || at_head_ || is_plain_comment(line);
}

bool EdgeParser::parse(std::string_view line, Edge& edge) {
  if (is_comment(line)) return false;
  at_head_ = false;
  if (header_is_next_) {
    header_is_next_ = false;
    return false;
  }
  if (layout_.split) {
    parse_split(line, edge);
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

void EdgeParser::parse_split(std::string_view line, Edge& edge) {
  const std::vector<std::string_view>& fields = splitter_.split(line);
  if (fields.size() != layout_.fields) refuse(line);
  const auto end = [&](std::size_t k) {
    const std::string_view field = fields[layout_.columns[k]];
    const std::string_view text = trimmed(field);
    if (text.empty() || text.find('\0') != std::string_view::npos) refuse(line);
    if (text.size() < field.size() && text.front() == '"') {
      throw Error(ErrorKind::input, fmt::format("a blank is in front of the quote of {}", text.substr(0, shown)));
    }
    return text;
  };
  if (layout_.named) {
    edge.u_name = end(0);
    edge.v_name = end(1);
  } else {
    edge.u = vertex(end(0));
    edge.v = vertex(end(1));
  }
  if (layout_.lengths) take_length(trimmed(fields[layout_.columns[2]]), edge);
}

void EdgeParser::take_length(std::string_view field, Edge& edge) {
  if (!weighted_ || !layout_.lengths) return;
  edge.length = parse_number<double>(field);
  if (edge.length > 0.0) return;
  if (layout_.zero_lengths == ZeroLengths::taken && edge.length == 0.0) {
    edge.length = 0.0;  // without a sign
    return;
  }
  ++found_;
  if (!refused_) return;
  const std::string others = *refused_ > 1 ? fmt::format(" (the first of {} such lines)", grouped(*refused_)) : "";
  throw Error(
      ErrorKind::input,
      edge.length < 0.0
          ? fmt::format("the length {} is not positive{}; below 0 there is no shortest path", field.substr(0, shown),
                        others)
          : fmt::format("the length {} is not positive{}; give it a small one, make its ends one vertex, or take "
                        "lengths of 0 as they are ({} = true)",
                        field.substr(0, shown), others, layout_.keys("zero-lengths")));
}

void EdgeParser::refuse(std::string_view line) const {
  const bool list = layout_.format == Format::edges;
  const bool as_usual =
      !layout_.split || (layout_.fields == (layout_.lengths ? 3U : 2U) && layout_.columns == EdgeLayout{}.columns);
  const std::string due = as_usual ? fmt::format("`{}`", line_form(layout_)) : fmt::format("{} fields", layout_.fields);
  throw Error(ErrorKind::input, fmt::format("'{}' is there instead of {}{}", line.substr(0, shown), due,
                                            list ? fmt::format(" ({} chooses columns)", layout_.keys("columns")) : ""));
}

Index EdgeParser::vertex(std::string_view field) const {
  Index number = 0;
  if (!read_vertex_number(field, number)) {
    const bool list = layout_.format == Format::edges;
    throw Error(ErrorKind::input,
                fmt::format("'{}' is not the number of a vertex{}", field.substr(0, shown),
                            list ? fmt::format(" (names of vertices are read if the first edge of a list has them, or "
                                               "with {} = true)",
                                               layout_.keys("names"))
                                 : ""));
  }
  if (!layout_.zeros && has_leading_zeros(field)) {
    throw Error(ErrorKind::input,
                fmt::format("'{}' has leading zeros: with {} = true it is a name, with false the number {}",
                            field.substr(0, shown), layout_.keys("names"), number));
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
