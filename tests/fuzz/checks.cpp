#include "checks.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "readers.hpp"

namespace cairn::fuzz {

namespace {

std::span<const Index> row(const Graph& graph, Index v) {
  const auto at = static_cast<std::size_t>(v);
  return std::span(graph.neighbors()).subspan(graph.starts()[at], graph.starts()[at + 1] - graph.starts()[at]);
}

}  // namespace

void check(const Graph& graph) {
  require(std::ssize(graph.starts()) == graph.size() + 1, "not one start a vertex and one more");
  require(graph.starts().front() == 0 && graph.starts().back() == std::ssize(graph.neighbors()), "starts and arcs");
  for (Index v = 0; v < graph.size(); ++v) {
    Index before = -1;
    for (const Index u : row(graph, v)) {
      require(u > before && u < graph.size() && u != v, "a neighbor is out of range, out of order, or a loop");
      require(std::ranges::binary_search(row(graph, u), v), "an arc has no other one");
      before = u;
    }
  }
  for (const double length : graph.lengths())
    require(length > 0.0 && std::isfinite(length), "a length is not positive");
  require(graph.lengths().empty() || graph.lengths().size() == graph.neighbors().size(), "not one length an arc");
}

void check(const TriangleMesh& mesh) {
  std::vector<bool> used(mesh.size(), false);
  for (Index t = 0; t < mesh.triangle_count(); ++t) {
    const auto* corners = mesh.triangle(t);
    for (int k = 0; k < 3; ++k) {
      require(corners[k] >= 0 && corners[k] < mesh.size() && corners[k] != corners[(k + 1) % 3], "a bad corner");
      used[corners[k]] = true;
    }
  }
  require(std::ranges::all_of(used, [](bool u) { return u; }), "a vertex belongs to no triangle");
  require(std::ranges::all_of(mesh.coordinates().values(), [](double x) { return std::isfinite(x); }), "not finite");
}

}  // namespace cairn::fuzz
