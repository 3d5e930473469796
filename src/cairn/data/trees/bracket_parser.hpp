// Parses trees in brackets. Private to this folder and to kinds of data that hold trees.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cairn/data/trees/forest.hpp"
#include "cairn/data/trees/tree_labels.hpp"

namespace cairn {

/// Parses "(label child child ...)". Children are in brackets, or are bare words, which are leaves; blanks separate
/// them. In "((label ...))" the outer brackets, which have no label, are dropped.
///
/// @param text    one tree, blanks around it allowed
/// @param column  column number of the first byte in messages, from 1
/// @param line    for a text of several lines: set to the number of lines before the error, whose column is counted in
///   its own line
/// @throws Error(input) that begins with "column N: " for an extra or missing bracket, an empty tree, a node without
///   label, several trees, a label that is not UTF-8. Local.
void parse_brackets(std::string_view text, std::size_t column, LabelNumbers& labels, TreeBuilder& tree,
                    Index* line = nullptr);

/// Throws Error(input) with "column N: " before the reason.
[[noreturn]] void fail_at(std::size_t column, const std::string& reason);

}  // namespace cairn
