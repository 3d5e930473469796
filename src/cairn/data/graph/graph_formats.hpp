// Edges from lines of text. Private to this folder.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cairn/base/index.hpp"
#include "cairn/data/graph/graph.hpp"
#include "cairn/data/io/csv_fields.hpp"
#include "cairn/data/io/text_blocks.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// Whether edges of length 0 are an error.
enum class ZeroLengths { refused, taken };

/// read_graph, with edges of length 0 or without. Collective.
[[nodiscard]] Graph read_graph(const Communicator& communicator, const GraphSource& source, ZeroLengths zeros);

/// One edge as a line gives it: numbers of the file, or names, valid until the next line.
struct Edge {
  Index u = 0;
  Index v = 0;
  double length = 1.0;
  std::string_view u_name{}, v_name{};
};

/// What the head of a file tells of its lines.
struct EdgeLayout {
  enum class Format { edges, gr, mtx, cedge, hdf5 } format = Format::edges;
  std::string header;             ///< the line that gives counts or names columns; empty: there is none
  std::optional<Index> vertices;  ///< by the header; numbers are then 1 to so many
  std::optional<Index> edges;     ///< by the header: lines that follow
  std::size_t fields_before = 0;  ///< of a line: before u (`a`, or an id)
  bool lengths = false;           ///< each line has a length
  ZeroLengths zero_lengths = ZeroLengths::refused;
  // Of edges alone:
  std::string first_line{};                     ///< that is no comment
  bool named = false;                           ///< vertices have names in place of numbers
  bool zeros = false;                           ///< numbers may have leading zeros
  bool split = false;                           ///< fields are between separators, perhaps in quotes
  char separator = ' ';                         ///< of fields, if they are split
  std::size_t fields = 0;                       ///< of a line that is split
  std::array<std::size_t, 3> columns{0, 1, 2};  ///< of these, that hold the ends and the length
  bool has_header = false;
  std::vector<std::string> header_fields{};  ///< of these columns
  KeyNames keys{};                           ///< of the source
};

/// The format by its name, or by the file's name where that is empty.
/// @throws Error(usage) for an unknown one, and for columns or names of vertices that it does not let choose. Local.
[[nodiscard]] EdgeLayout::Format edge_format(const GraphSource& source);

/// Of any format but hdf5. @throws Error(input) if the head is not as the format has it, or there is nothing but
/// comments, or read_list_head. Local.
[[nodiscard]] EdgeLayout find_edge_layout(const TextBlocks& text, EdgeLayout::Format format, const GraphSource& source);

/// Reads lines of a layout, one after another.
class EdgeParser {
 public:
  /// @param weighted  false: lengths are ignored
  /// @param at_head  this parser sees the first block of the file, and the header in it
  /// @param refused  edges of the file whose lengths are refused: the first one then throws, and says so; nothing:
  /// such lines are counted
  EdgeParser(const EdgeLayout& layout, bool weighted, bool at_head, std::optional<Index> refused = {})
      : layout_(layout),
        weighted_(weighted),
        refused_(refused),
        at_head_(at_head),
        header_is_next_(at_head && !layout.header.empty()),
        splitter_(layout.separator) {}

  /// False for a line without an edge. @throws Error(input) for a line that cannot be used
  [[nodiscard]] bool parse(std::string_view line, Edge& edge);
  /// True until the header has been skipped, where this parser is to see one.
  [[nodiscard]] bool header_is_next() const { return header_is_next_; }
  /// Lines until now whose length is refused: below 0, or 0 where that is not allowed.
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
  bool at_head_;  // in front of the header and of all edges
  bool header_is_next_;
  FieldSplitter splitter_;  // of lines that are split
};

}  // namespace cairn
