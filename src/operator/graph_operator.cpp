#include "operator/graph_operator.hpp"

namespace cairn {

BiharmonicOperator graph_operator(const Communicator& communicator, const SharedGraph& graph) {
  BiharmonicOperator result;
  result.kind = "graph";
  result.starts = graph.starts;
  result.neighbours = graph.neighbours;
  result.degrees = NodeArray<double>(communicator, graph.vertices());
  if (result.degrees.node().is_root()) {
    for (Index v = 0; v < graph.vertices(); ++v) {
      result.degrees.writable()[static_cast<std::size_t>(v)] =
          static_cast<double>(graph.starts[v + 1] - graph.starts[v]);
    }
  }
  result.degrees.publish();
  return result;
}

}  // namespace cairn
