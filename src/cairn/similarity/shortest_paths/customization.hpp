// Lengths of the arcs of a chordal completion, and which of them a hierarchy needs.
#pragma once

#include <cstdint>
#include <span>

#include "cairn/base/mpi/node_array.hpp"
#include "cairn/similarity/shortest_paths/chordal_completion.hpp"

namespace cairn {

/// A completion by place. The depth of a place is the number of its ancestors.
struct CompletionView {
  std::span<const std::int32_t> parent, depth;
  std::span<const Index> starts;
  std::span<const std::int32_t> heads;

  [[nodiscard]] static CompletionView of(const ChordalCompletion& completion) {
    return {completion.tree.parent, completion.tree.depth, completion.starts, completion.heads};
  }
};

/// Lengths by arc of a completion: from its tail to its head, and from its head to its tail.
struct ArcLengths {
  std::span<double> up, down;  ///< down: empty if both are the same

  [[nodiscard]] bool directed() const { return !down.empty(); }
};

/// Bits of an arc that is needed upward, downward.
inline constexpr std::uint8_t needed_up = 1, needed_down = 2;

/// Turns the lengths of edges (infinity: there is no edge) into those of shortest paths between their ends, and says
/// which arcs no path over a third vertex above their lower end replaces [Dibbelt, Strasser and Wagner 2016, basic and
/// perfect customization]. From the bottom, an arc gets the length of the shortest path over vertices below both its
/// ends, by the triangles below it; from the top that of all paths.
/// @param needed  by arc @param drop_ties  an arc is not needed if another path is as short; not for lengths of 0 or
/// lengths that are not integers, for which two arcs could exclude each other
/// Local.
void customize(const CompletionView& completion, const ArcLengths& lengths, std::span<std::uint8_t> needed,
               bool drop_ties);

/// The same on arrays of each node, by all of its ranks. @param threads  of a rank. Collective. Memory: 8 bytes per
/// rank, thread and arc at the top of the tree (1 in 15 for roads), 16 if directed.
void customize(const Communicator& communicator, const CompletionView& completion, NodeArray<double>& up,
               NodeArray<double>& down, NodeArray<std::uint8_t>& needed, bool drop_ties, int threads);

/// Customized lengths of a completion, on every node.
struct CustomizedArcs {
  NodeArray<std::int32_t> vertex_at, place_of, parent, depth;  ///< as in EliminationTree
  CompletionView completion;
  NodeArray<double>&up, &down;  ///< by arc of the completion; down: empty unless directed
  NodeArray<std::uint8_t>& needed;
  double longest = 0.0;
  Index height = 0;
  bool whole = false, directed = false;
};

}  // namespace cairn
