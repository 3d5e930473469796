// Path lengths by RoutingKit's contraction hierarchies.
#include <routingkit/contraction_hierarchy.h>

#include <memory>

#include "paths.hpp"

namespace {

struct Index {
  RoutingKit::ContractionHierarchy hierarchy;
  RoutingKit::ContractionHierarchyQuery query;
};

}  // namespace

int main(int argc, char** argv) {
  const auto make = [](const peer::Graph& graph) {
    std::vector<unsigned> tail, head;
    for (const auto& [u, v] : graph.edges) {
      tail.insert(tail.end(), {u, v});
      head.insert(head.end(), {v, u});
    }
    const std::vector<unsigned> ones(tail.size(), 1);
    auto index = std::make_unique<Index>();
    index->hierarchy = RoutingKit::ContractionHierarchy::build(graph.vertices, tail, head, ones);
    index->query = RoutingKit::ContractionHierarchyQuery(index->hierarchy);
    return index;
  };
  const auto length = [](const auto& index, unsigned i, unsigned j) {
    return index->query.reset().add_source(i).add_target(j).run().get_distance();
  };
  const auto bytes = [](const auto& index) {
    const auto& sides = index->hierarchy;
    return 4 * (3 * (sides.forward.head.size() + sides.backward.head.size()) + 4 * sides.rank.size());
  };
  return peer::run(argc, argv, make, length, bytes);
}
