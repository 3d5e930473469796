// Parsing of edges from lines of text. Private to this folder.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cairn/base/index.hpp"
#include "cairn/data/graph/graph_choices.hpp"
#include "cairn/data/io/csv_fields.hpp"
#include "cairn/data/io/text_blocks.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// One edge as in a line: vertex numbers of the file, or names, valid until the next line.
struct Edge {
  Index u = 0;
  Index v = 0;
  double length = 1.0;
  std::string_view u_name{}, v_name{};
};

/// The layout of the lines of a file, from its head.
struct EdgeLayout {
  enum class Format { edges, gr, mtx, cedge, hdf5, osm } format = Format::edges;
  std::string header;             ///< the line that gives counts or names columns; empty: there is none
  std::optional<Index> vertices;  ///< number in the header; vertices are then numbered from 1
  std::optional<Index> edges;     ///< number in the header: lines that follow
  std::size_t fields_before = 0;  ///< fields of a line before u (`a`, or an id)
  bool lengths = false;           ///< each line has a weight
  bool symmetric = false;         ///< an entry of a matrix stands for its transpose, too
  ZeroLengths zero_lengths = ZeroLengths::refused;
  // For the format `edges` only:
  std::string first_line{};                     ///< first line that is not a comment
  bool named = false;                           ///< vertices have names instead of numbers
  bool zeros = false;                           ///< numbers may have leading zeros
  bool split = false;                           ///< fields are split at separators, and may be quoted
  char separator = ' ';                         ///< separator of split fields
  std::size_t fields = 0;                       ///< number of fields of a split line
  std::array<std::size_t, 3> columns{0, 1, 2};  ///< columns with the ends and the weight
  bool has_header = false;
  std::vector<std::string> header_fields{};  ///< header fields of these columns
  KeyNames keys{};                           ///< key names of the source
};

/// The format by its name, or by the file's name if that is empty.
/// @throws Error(usage) for an unknown one, and for a choice that is set and that the format does not have.
/// Local.
[[nodiscard]] EdgeLayout::Format edge_format(const GraphSource& source, const FormatChoices& choices);

/// Finds the layout for any format of text. @throws Error(input) if the head does not match the format, or there
/// are only comments; as read_list_head. Local.
[[nodiscard]] EdgeLayout find_edge_layout(const TextBlocks& text, EdgeLayout::Format format, const GraphSource& source);

/// Parses lines of a layout, one after another.
class EdgeParser {
 public:
  /// @param weighted  false: weights are ignored
  /// @param at_head  this parser sees the first block of the file, and the header in it
  /// @param refused  number of edges of the file with refused weights: the first one then throws an error that reports
  /// it; nothing: such lines are counted
  EdgeParser(const EdgeLayout& layout, bool weighted, bool at_head, std::optional<Index> refused = {})
      : layout_(layout),
        weighted_(weighted),
        refused_(refused),
        at_head_(at_head),
        header_is_next_(at_head && !layout.header.empty()),
        splitter_(layout.separator) {}

  /// False for a line without an edge. @throws Error(input) for a line that cannot be used
  [[nodiscard]] bool parse(std::string_view line, Edge& edge);
  /// True until the header has been skipped, if this parser sees one.
  [[nodiscard]] bool header_is_next() const { return header_is_next_; }
  /// Number of lines so far with a refused weight: below 0, or 0 where that is not allowed.
  [[nodiscard]] Index refused_lengths() const { return found_; }

 private:
  [[nodiscard]] bool is_comment(std::string_view line) const;
  void parse_split(std::string_view line, Edge& edge);
  void take_length(std::string_view field, Edge& edge);
  [[nodiscard]] Index vertex(std::string_view field) const;
  [[noreturn]] void refuse(std::string_view line) const;

  const EdgeLayout& layout_;
  bool weighted_;
  std::optional<Index> refused_;
  Index found_ = 0;
  bool at_head_;  // before the header and all edges
  bool header_is_next_;
  FieldSplitter splitter_;  // for lines that are split
};

}  // namespace cairn
