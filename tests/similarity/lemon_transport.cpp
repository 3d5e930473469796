// In C++17: LEMON calls members of std::allocator that C++20 no longer has.
#include "lemon_transport.hpp"

#include <lemon/network_simplex.h>
#include <lemon/smart_graph.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace cairn::test {

double lemon_transport(const std::vector<double>& costs, const std::vector<long long>& supply,
                       const std::vector<long long>& demand) {
  using Graph = lemon::SmartDigraph;
  using Simplex = lemon::NetworkSimplex<Graph, long long, long long>;
  Graph graph;
  Graph::NodeMap<long long> masses(graph);
  Graph::ArcMap<long long> lengths(graph);
  const double largest = *std::max_element(costs.begin(), costs.end());
  const int exponent = largest > 0.0 ? 44 - std::ilogb(largest) : 0;
  std::vector<Graph::Node> rows, columns;
  for (const long long mass : supply) masses[rows.emplace_back(graph.addNode())] = mass;
  for (const long long mass : demand) masses[columns.emplace_back(graph.addNode())] = -mass;
  std::size_t next = 0;
  for (const Graph::Node row : rows) {
    for (const Graph::Node column : columns) {
      lengths[graph.addArc(row, column)] = std::llround(std::ldexp(costs[next++], exponent));
    }
  }
  Simplex simplex(graph);
  if (simplex.costMap(lengths).supplyMap(masses).run() != Simplex::OPTIMAL) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return std::ldexp(simplex.totalCost<double>(), -exponent);
}

}  // namespace cairn::test
