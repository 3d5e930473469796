// What the first lines of an edge list say of it. Private to this folder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cairn/data/graph/graph.hpp"
#include "cairn/data/graph/graph_formats.hpp"

namespace cairn {

/// Of a line that begins with # or %: whether that is no beginning of a name. Local.
[[nodiscard]] bool is_plain_comment(std::string_view line);

/// The number of a vertex in an edge list: an integer, perhaps with `.0` behind it. Local.
[[nodiscard]] bool read_vertex_number(std::string_view field, Index& number);
/// Whether it is an integer with leading zeros, which a number has no use for, and a code may. Local.
[[nodiscard]] bool has_leading_zeros(std::string_view field);

/// Finds the header, the columns of the ends and of the length, and whether vertices have names.
/// @param lines  the first one or two that are no comments
/// @throws Error(input) if the header has other columns than the list should have, Error(usage) for columns that are
/// none. Local.
void read_list_head(const std::string& path, const std::vector<std::string>& lines, const GraphSource& source,
                    EdgeLayout& layout);

/// Looks at lines above the first edge that begin with # or %, which are comments there, where vertices have names.
/// @throws Error(input) for one that has a length where edges have theirs; logs one that could be an edge. Local.
void check_comments(const std::string& path, const std::vector<std::string>& comments, const EdgeLayout& layout);

/// Which columns hold the ends and the length, if a header names them or a parameter chose them; else empty. Local.
[[nodiscard]] std::string columns_text(const EdgeLayout& layout);

/// The two names in the header of a list of names. Local.
[[nodiscard]] std::vector<std::string> header_names(const EdgeLayout& layout);

}  // namespace cairn
