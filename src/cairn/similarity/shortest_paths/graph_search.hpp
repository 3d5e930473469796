// Path lengths by one search per source.
#pragma once

#include <memory>

#include "cairn/similarity/shortest_paths/path_length.hpp"

namespace cairn {

/// Breadth-first search; the lengths of `graph` are ignored. A search takes O(arcs) time and 8 n bytes and ends
/// when all targets are found.
[[nodiscard]] std::unique_ptr<PathLength> make_breadth_first(const SharedGraph& graph);

/// Dijkstra's algorithm with a binary heap. A search takes O(arcs log n) time, 8 n bytes and the heap, and ends when
/// all targets are settled. Of a directed graph, lengths are those from the source.
[[nodiscard]] std::unique_ptr<PathLength> make_dijkstra(const SharedGraph& graph);

}  // namespace cairn
