#include "cairn/operator/graph_operator.hpp"

#include <algorithm>
#include <vector>

#include "cairn/base/mpi/collective_guard.hpp"

namespace cairn {

namespace {

struct Rows {
  std::vector<Index> starts;
  std::vector<std::int32_t> neighbors;
};

// Both ends of each side of each triangle, by vertex, ascending; a side shared by two triangles counts once.
Rows edges_by_vertex(const TriangleMesh& mesh) {
  const auto n = static_cast<std::size_t>(mesh.size());
  std::vector<Index> next(n + 1, 0);
  for (const std::int32_t v : mesh.triangles().values()) next[static_cast<std::size_t>(v) + 1] += 2;
  for (std::size_t v = 0; v < n; ++v) next[v + 1] += next[v];
  Rows rows{{next.begin(), next.end()}, std::vector<std::int32_t>(static_cast<std::size_t>(next.back()))};
  for (Index t = 0; t < mesh.triangle_count(); ++t) {
    for (int k = 0; k < 3; ++k) {
      const std::int32_t i = mesh.triangle(t)[k], j = mesh.triangle(t)[(k + 1) % 3];
      rows.neighbors[next[i]++] = j;
      rows.neighbors[next[j]++] = i;
    }
  }
  std::size_t kept = 0;
  for (std::size_t v = 0; v < n; ++v) {
    const auto first = rows.neighbors.begin() + rows.starts[v], last = rows.neighbors.begin() + rows.starts[v + 1];
    std::sort(first, last);
    rows.starts[v] = static_cast<Index>(kept);
    std::for_each(first, std::unique(first, last), [&](std::int32_t neighbor) { rows.neighbors[kept++] = neighbor; });
  }
  rows.starts[n] = static_cast<Index>(kept);
  rows.neighbors.resize(kept);
  return rows;
}

void count_degrees(const Communicator& communicator, BiharmonicOperator& op) {
  op.degrees = NodeArray<double>(communicator, op.size());
  if (op.degrees.node().is_root()) {
    for (Index v = 0; v < op.size(); ++v) {
      op.degrees.writable()[v] = static_cast<double>(op.starts[v + 1] - op.starts[v]);
    }
  }
  op.degrees.publish();
}

}  // namespace

BiharmonicOperator graph_operator(const Communicator& communicator, const SharedGraph& graph) {
  BiharmonicOperator result;
  result.kind = "graph";
  result.starts = graph.starts.share();
  result.neighbors = graph.neighbors.share();
  count_degrees(communicator, result);
  return result;
}

BiharmonicOperator graph_operator(const Communicator& communicator, const TriangleMesh& mesh) {
  BiharmonicOperator result;
  result.kind = "graph";
  result.starts = NodeArray<Index>(communicator, mesh.size() + 1);
  const bool writes = result.starts.node().is_root();
  const Rows rows = collectively(communicator, [&] { return writes ? edges_by_vertex(mesh) : Rows{}; });
  auto arcs = static_cast<Index>(rows.neighbors.size());
  result.starts.node().broadcast(std::span(&arcs, 1), 0);
  result.neighbors = NodeArray<std::int32_t>(communicator, arcs);
  if (writes) {
    std::ranges::copy(rows.starts, result.starts.writable().begin());
    std::ranges::copy(rows.neighbors, result.neighbors.writable().begin());
  }
  result.starts.publish();
  result.neighbors.publish();
  count_degrees(communicator, result);
  return result;
}

}  // namespace cairn
