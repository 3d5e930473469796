// A graph with its chordal completion: path lengths with any lengths of its edges.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "cairn/similarity/shortest_paths/customization.hpp"
#include "cairn/similarity/shortest_paths/path_length.hpp"

namespace cairn {

/// The completion and the lengths of edges, once per node. Memory: 28 bytes per vertex and 12 per arc of the
/// completion, 20 if directed.
struct CompletedGraph {
  NodeArray<std::int32_t> vertex_at, place_of, parent, depth;  ///< as in EliminationTree
  NodeArray<Index> starts;                                     ///< as in ChordalCompletion, and the next
  NodeArray<std::int32_t> heads;
  NodeArray<double> up;    ///< length of the edge, by arc of the completion; infinity if that is no edge
  NodeArray<double> down;  ///< of a directed graph: `up` are those from tails to heads, these are back
  bool directed = false;

  [[nodiscard]] Index size() const { return vertex_at.size(); }
  [[nodiscard]] Index arcs() const { return heads.size(); }
  [[nodiscard]] CompletionView view() const {
    return {parent.values(), depth.values(), starts.values(), heads.values()};
  }
};

/// On the root rank: the same for files, and before it is shared.
struct CompletionParts {
  ChordalCompletion completion;
  std::vector<double> up, down;
  bool directed = false;
};

/// The completion of `graph` with its lengths. @param any  also of a graph without small separators @param keys  names
/// of the parameters (search)
/// @throws Error(resource) if the graph has no small separators, Error(input) as make_path_length. Collective.
[[nodiscard]] CompletedGraph complete(const Communicator& communicator, const SharedGraph& graph, bool any,
                                      const KeyNames& keys);

/// Shares the parts of rank 0, which are released. Collective.
[[nodiscard]] CompletedGraph share(const Communicator& communicator, CompletionParts parts);

/// Path lengths by the hierarchy of these lengths, in the threads of all ranks. @param graph  its lengths are replaced
/// @throws Error(input) if paths are too long for numbers. Collective.
[[nodiscard]] std::unique_ptr<PathLength> customized(const Communicator& communicator, CompletedGraph& graph,
                                                     int threads);

}  // namespace cairn
