// Information from the first lines of an edge list. Private to this folder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cairn/data/graph/graph.hpp"
#include "cairn/data/graph/graph_formats.hpp"

namespace cairn {

/// True if a line that begins with # or % is a comment and not a name. Local.
[[nodiscard]] bool is_plain_comment(std::string_view line);

/// Reads the number of a vertex in an edge list: an integer, possibly followed by `.0`. Local.
[[nodiscard]] bool read_vertex_number(std::string_view field, Index& number);
/// True for an integer with leading zeros, which a code may have, but not a number. Local.
[[nodiscard]] bool has_leading_zeros(std::string_view field);

/// Finds the header, the columns of the ends and of the weight, and whether vertices have names.
/// @param lines  the first one or two that are not comments
/// @throws Error(input) if the header has other columns than the list should have, Error(usage) for columns that do not
/// exist. Local.
void read_list_head(const std::string& path, const std::vector<std::string>& lines, const GraphSource& source,
                    EdgeLayout& layout);

/// If vertices have names, checks the lines above the first edge that begin with # or %, which are comments there.
/// @throws Error(input) for one with a weight where edges have theirs; logs one that could be an edge. Local.
void check_comments(const std::string& path, const std::vector<std::string>& comments, const EdgeLayout& layout);

/// A text on the columns of the ends and the weight, if a header names them or a parameter chose them; else empty.
/// Local.
[[nodiscard]] std::string columns_text(const EdgeLayout& layout);

/// The two names in the header of a list of names. Local.
[[nodiscard]] std::vector<std::string> header_names(const EdgeLayout& layout);

}  // namespace cairn
