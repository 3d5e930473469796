// Path lengths by HC2L, hierarchical cut labeling.
#include <memory>
#include <sstream>

#include "paths.hpp"
#include "road_network.h"

int main(int argc, char** argv) {
  const auto make = [](const peer::Graph& edges) {
    std::stringstream text;
    text << "p sp " << edges.vertices << ' ' << edges.edges.size() << '\n';
    for (const auto& [u, v] : edges.edges) text << "a " << u + 1 << ' ' << v + 1 << " 1\n";
    road_network::Graph graph;
    road_network::read_graph(graph, text);
    std::vector<road_network::Edge> redundant;
    graph.get_redundant_edges(redundant);
    for (const road_network::Edge& edge : redundant) graph.remove_edge(edge.a, edge.b);
    std::vector<road_network::Neighbor> closest;
    graph.contract(closest);
    std::vector<road_network::CutIndex> cuts;
    graph.create_cut_index(cuts, 0.2);
    return std::make_unique<road_network::ContractionIndex>(cuts, closest);
  };
  const auto length = [](const auto& index, unsigned i, unsigned j) { return index->get_distance(i + 1, j + 1); };
  const auto bytes = [](const auto& index) { return index->size(); };
  return peer::run(argc, argv, make, length, bytes);
}
