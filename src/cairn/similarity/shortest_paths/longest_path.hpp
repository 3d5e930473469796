// Upper bounds of path lengths in a hierarchy. Private to this folder.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/base/index.hpp"

namespace cairn {

/// Arcs between places and their ancestors, in one direction, with the lengths of shortest paths; infinity: none.
struct AncestorView {
  std::span<const Index> starts;
  std::span<const std::int32_t> heads;
  std::span<const double> lengths;
};

/// The strong components of a directed graph, and the arcs between them.
struct StrongParts {
  struct Crossing {
    std::int32_t from, to;
    double length;
  };
  std::vector<std::int32_t> component;  ///< by place; arcs lead to smaller numbers
  std::vector<Crossing> crossings;      ///< by ascending `from`
};

/// Local. @param starts, heads, lengths  arcs of the graph in compressed rows, infinite if they do not exist
/// @param place_of  places of the rows; empty: rows are places
[[nodiscard]] StrongParts strong_parts(std::span<const Index> starts, std::span<const std::int32_t> heads,
                                       std::span<const double> lengths, std::span<const std::int32_t> place_of);

/// Twice the largest length between a root and a place below it: no path of an undirected graph is longer. Local.
[[nodiscard]] double longest_path_bound(std::span<const std::int32_t> parent, const AncestorView& arcs);

/// Upper bound of path lengths of a directed graph. Paths in a strong component are no longer than the longest way up
/// to its topmost place, an ancestor of all others, and the longest way down; a path passes every component once at
/// most, and the longest way over crossings counts. Local.
[[nodiscard]] double longest_path_bound(const StrongParts& parts, const AncestorView& up, const AncestorView& down);

}  // namespace cairn
