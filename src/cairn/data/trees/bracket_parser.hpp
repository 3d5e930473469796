// Trees in brackets. Private to this folder and to kinds of data that hold trees.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cairn/data/trees/forest.hpp"
#include "cairn/data/trees/tree_labels.hpp"

namespace cairn {

/// Parses "(label child child ...)", children in brackets or bare words, which are leaves; blanks separate. Of
/// "((label ...))" the outer brackets, which have no label, are dropped.
///
/// @param text    one tree, blanks around it allowed
/// @param column  what its first byte is counted as in messages, from 1
/// @param line    if the text has several lines: set to those before the fault, whose column is counted in its own
/// @throws Error(input) that begins with "column N: " for a bracket too many or missing, an empty tree, a node without
///   label, several trees, a label that is not UTF-8. Local.
void parse_brackets(std::string_view text, std::size_t column, LabelNumbers& labels, TreeBuilder& tree,
                    Index* line = nullptr);

/// Throws Error(input) with "column N: " in front of the reason.
[[noreturn]] void fail_at(std::size_t column, const std::string& reason);

}  // namespace cairn
