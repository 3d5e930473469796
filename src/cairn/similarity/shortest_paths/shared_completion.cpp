#include <span>
#include <utility>
#include <vector>

#include "cairn/similarity/shortest_paths/completed_graph.hpp"

namespace cairn {

namespace {

template <class T>
NodeArray<T> replicate(const Communicator& communicator, std::vector<T>& values) {
  auto shared = replicate_on_nodes<T>(communicator, values);
  values = {};
  return shared;
}

}  // namespace

CompletedGraph share(const Communicator& communicator, CompletionParts parts) {
  ChordalCompletion& completion = parts.completion;
  if (!communicator.is_root()) parts = {};
  CompletedGraph graph;
  graph.vertex_at = replicate(communicator, completion.tree.vertex_at);
  graph.place_of = replicate(communicator, completion.tree.place_of);
  graph.parent = replicate(communicator, completion.tree.parent);
  graph.depth = replicate(communicator, completion.tree.depth);
  graph.starts = replicate(communicator, completion.starts);
  graph.heads = replicate(communicator, completion.heads);
  graph.up = replicate(communicator, parts.up);
  Index directed = parts.directed ? 1 : 0;
  communicator.broadcast(std::span(&directed, 1), 0);
  graph.directed = directed != 0;
  if (graph.directed) graph.down = replicate(communicator, parts.down);
  return graph;
}

}  // namespace cairn
