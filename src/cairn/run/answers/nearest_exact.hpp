// The nearest objects by K itself, of objects of a result or of new ones, as lines.
#pragma once

#include <functional>
#include <string>

#include "cairn/run/answers/neighbor_lines.hpp"
#include "cairn/similarity/nearest_search.hpp"

namespace cairn {

/// Finds the `k` nearest targets of each query and produces a heading (if the separator of `lines` is a comma, as
/// `headed` says) and lines, nearest first, in the order of the queries.
/// @param take  receives the lines of a block of queries, on every rank
/// @return number of queries. Memory: 16 bytes per neighbor, and the lines of 4,096 queries.
/// @pre the similarity has a search (has_nearest_search). Collective.
Index answer_nearest_exact(const Execution& execution, const NearestSearch& search, const SearchSide& queries,
                           const SearchSide& targets, Index k, const NeighborLines& lines, bool headed,
                           const std::function<void(const std::string& lines)>& take);

}  // namespace cairn
