#include "cairn/evaluation/matching.hpp"

#include <lemon/matching.h>
#include <lemon/smart_graph.h>

#include <cmath>

namespace cairn {

std::vector<std::size_t> heaviest_matching(std::int64_t left, std::int64_t right,
                                           const std::vector<WeightedEdge>& edges) {
  using Weight = std::int64_t;  // with doubles, LEMON would compare sums with rounding errors
  const double unit = std::ldexp(1.0, 40);
  lemon::SmartGraph graph;
  std::vector<lemon::SmartGraph::Node> nodes;
  for (std::int64_t i = 0; i < left + right; ++i) nodes.push_back(graph.addNode());
  lemon::SmartGraph::EdgeMap<Weight> weights(graph);
  std::vector<lemon::SmartGraph::Edge> added;
  for (const WeightedEdge& edge : edges) {
    added.push_back(graph.addEdge(nodes[edge.left], nodes[left + edge.right]));
    weights[added.back()] = std::llround(edge.weight * unit);
  }
  lemon::MaxWeightedMatching<lemon::SmartGraph, lemon::SmartGraph::EdgeMap<Weight>> matching(graph, weights);
  matching.run();
  std::vector<std::size_t> chosen;
  for (std::size_t e = 0; e < added.size(); ++e) {
    if (matching.matching(added[e])) chosen.push_back(e);
  }
  return chosen;
}

}  // namespace cairn
