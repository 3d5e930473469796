// A graph whole on every node.
#pragma once

#include <cstdint>

#include "cairn/base/mpi/node_array.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// A whole graph, stored once per node in compressed rows: both arcs of every edge, neighbors ascending, no loops, no
/// repeated edges. In a directed graph a vertex also lists the neighbors from which an arc comes and to which none
/// leads: that arc has an infinite length.
struct SharedGraph {
  NodeArray<Index> starts;  ///< n + 1
  NodeArray<std::int32_t> neighbors;
  NodeArray<double> lengths;  ///< weights of arcs; empty: all 1
  KeyNames keys{};            ///< name of the parameter that selects another part of the data (largest-component)
  bool directed = false;      ///< the two arcs of an edge have lengths of their own
  [[nodiscard]] Index vertices() const { return starts.size() - 1; }
  [[nodiscard]] Index arcs() const { return neighbors.size(); }
  /// New handles to the same arrays. Every rank of the node must create and release them.
  [[nodiscard]] SharedGraph share() const {
    return {starts.share(), neighbors.share(), lengths.share(), keys, directed};
  }
};

}  // namespace cairn
