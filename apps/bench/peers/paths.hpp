// Shared by drivers of peers for path lengths: reads a graph and pairs as text, prints a line of JSON. Arguments: a
// file of the graph ("n", then one "u v" per line, from 0, edges of weight 1 in both directions) and one of pairs (one
// "i,j" per line).
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <utility>
#include <vector>

namespace peer {

using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

struct Graph {
  std::uint32_t vertices = 0;
  Pairs edges;
};

inline Graph read_graph(const char* path) {
  std::ifstream file(path);
  Graph graph;
  std::uint32_t u = 0, v = 0;
  file >> graph.vertices;
  while (file >> u >> v) graph.edges.emplace_back(u, v);
  return graph;
}

inline Pairs read_pairs(const char* path) {
  std::ifstream file(path);
  Pairs pairs;
  std::uint32_t i = 0, j = 0;
  char comma = 0;
  while (file >> i >> comma >> j) pairs.emplace_back(i, j);
  return pairs;
}

inline double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Times make(graph), which returns an index, and length(index, i, j) for all pairs.
template <class Make, class Length, class Bytes>
int run(int argc, char** argv, const Make& make, const Length& length, const Bytes& bytes) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s GRAPH PAIRS\n", argv[0]);
    return 2;
  }
  const Graph graph = read_graph(argv[1]);
  const Pairs pairs = read_pairs(argv[2]);
  const double begun = seconds();
  auto index = make(graph);
  const double made = seconds();
  double sum = 0;
  for (const auto& [i, j] : pairs) sum += static_cast<double>(length(index, i, j));
  const double answered = seconds();
  std::printf("{\"index_seconds\": %.6g, \"index_bytes\": %.17g, \"seconds_a_pair\": %.6g, \"sum\": %.17g}\n",
              made - begun, static_cast<double>(bytes(index)), (answered - made) / static_cast<double>(pairs.size()),
              sum);
  return 0;
}

}  // namespace peer
