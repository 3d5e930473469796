#include "cairn/similarity/shortest_paths/edge_graph.hpp"

#include <cmath>
#include <cstddef>
#include <utility>

#include "cairn/operator/graph_operator.hpp"

namespace cairn {

SharedGraph edge_graph(const Communicator& communicator, const TriangleMesh& mesh) {
  BiharmonicOperator edges = graph_operator(communicator, mesh);
  const Index count = edges.neighbors.size();
  SharedGraph graph{std::move(edges.starts), std::move(edges.neighbors), NodeArray<double>(communicator, count)};
  if (graph.lengths.node().is_root()) {
    for (Index v = 0; v < graph.vertices(); ++v) {
      const double* const p = mesh.vertex(v);
      for (Index a = graph.starts[v]; a < graph.starts[v + 1]; ++a) {
        const double* const q = mesh.vertex(graph.neighbors[a]);
        graph.lengths.writable()[a] = std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
      }
    }
  }
  graph.lengths.publish();
  return graph;
}

}  // namespace cairn
