// Small interpolation problems, and their dense solution by elimination.
#pragma once

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "cairn/approximation/biharmonic/interpolation.hpp"
#include "cairn/base/random.hpp"
#include "test_communicator.hpp"

namespace cairn::test {

/// A graph as an edge list, every rank the same.
struct SmallGraph {
  Index vertices = 0;
  std::vector<std::pair<Index, Index>> edges;
  std::vector<double> weights;  ///< one an edge; empty: all 1
  std::vector<double> masses;   ///< one a vertex; empty: all 1
};

/// width x height vertices; `removed` of the edges are left out, those of a spanning comb stay.
inline SmallGraph grid_graph(Index width, Index height, double removed, std::uint64_t seed) {
  SmallGraph graph;
  graph.vertices = width * height;
  const Random random(seed, Stream::test);
  for (Index y = 0; y < height; ++y) {
    for (Index x = 0; x < width; ++x) {
      const Index v = y * width + x;
      const bool keep_vertical = random.uniform(static_cast<std::uint64_t>(v)) >= removed || x == 0;
      if (x + 1 < width) graph.edges.emplace_back(v, v + 1);
      if (y + 1 < height && keep_vertical) graph.edges.emplace_back(v, v + width);
    }
  }
  return graph;
}

/// The same with random weights and masses between 0.5 and 2.
inline SmallGraph weighted(SmallGraph graph, std::uint64_t seed) {
  const Random random(seed, Stream::test);
  for (std::size_t e = 0; e < graph.edges.size(); ++e) graph.weights.push_back(0.5 + 1.5 * random.uniform(e, 1));
  for (Index v = 0; v < graph.vertices; ++v) {
    graph.masses.push_back(0.5 + 1.5 * random.uniform(static_cast<std::uint64_t>(v), 2));
  }
  return graph;
}

template <class T>
NodeArray<T> on_nodes(const Communicator& communicator, const std::vector<T>& values) {
  NodeArray<T> array(communicator, static_cast<Index>(values.size()));
  if (array.node().is_root()) std::ranges::copy(values, array.writable().begin());
  array.publish();
  return array;
}

/// Collective.
inline BiharmonicOperator operator_of(const Communicator& communicator, const SmallGraph& graph) {
  std::vector<std::vector<std::pair<std::int32_t, double>>> rows(graph.vertices);
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    const auto [u, v] = graph.edges[e];
    const double weight = graph.weights.empty() ? 1.0 : graph.weights[e];
    rows[u].emplace_back(static_cast<std::int32_t>(v), weight);
    rows[v].emplace_back(static_cast<std::int32_t>(u), weight);
  }
  std::vector<Index> starts{0};
  std::vector<std::int32_t> neighbors;
  std::vector<double> weights, degrees, inverse_mass;
  for (auto& row : rows) {
    std::ranges::sort(row);
    double degree = 0.0;
    for (const auto& [neighbor, weight] : row) {
      neighbors.push_back(neighbor);
      weights.push_back(weight);
      degree += weight;
    }
    degrees.push_back(degree);
    starts.push_back(static_cast<Index>(neighbors.size()));
  }
  for (const double mass : graph.masses) inverse_mass.push_back(1.0 / mass);
  BiharmonicOperator op;
  op.kind = "graph";
  op.starts = on_nodes(communicator, starts);
  op.neighbors = on_nodes(communicator, neighbors);
  if (!graph.weights.empty()) op.weights = on_nodes(communicator, weights);
  op.degrees = on_nodes(communicator, degrees);
  if (!graph.masses.empty()) op.inverse_mass = on_nodes(communicator, inverse_mass);
  return op;
}

using FullMatrix = std::vector<std::vector<double>>;

/// In long double.
using LongMatrix = std::vector<std::vector<long double>>;

/// V - A, n x n.
inline LongMatrix dense_laplacian(const SmallGraph& graph) {
  const auto n = static_cast<std::size_t>(graph.vertices);
  LongMatrix laplacian(n, std::vector<long double>(n, 0));
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    const auto u = static_cast<std::size_t>(graph.edges[e].first), v = static_cast<std::size_t>(graph.edges[e].second);
    const long double weight = graph.weights.empty() ? 1.0 : graph.weights[e];
    laplacian[u][u] += weight, laplacian[v][v] += weight;
    laplacian[u][v] -= weight, laplacian[v][u] -= weight;
  }
  return laplacian;
}

/// M, n x n.
inline LongMatrix dense_biharmonic(const SmallGraph& graph) {
  const auto n = static_cast<std::size_t>(graph.vertices);
  const LongMatrix laplacian = dense_laplacian(graph);
  LongMatrix m(n, std::vector<long double>(n, 0));
  for (std::size_t k = 0; k < n; ++k) {
    const long double mass = graph.masses.empty() ? 1.0 : graph.masses[k];
    for (std::size_t i = 0; i < n; ++i) {
      if (laplacian[k][i] == 0) continue;
      for (std::size_t j = 0; j < n; ++j) m[i][j] += laplacian[k][i] * laplacian[k][j] / mass;
    }
  }
  return m;
}

/// The solutions of n equations, n x l, by Gaussian elimination with pivots. @param m  n x (n + l), right-hand sides
/// last
inline FullMatrix solved(LongMatrix m) {
  const std::size_t n = m.size(), l = m.front().size() - n;
  for (std::size_t column = 0; column < n; ++column) {
    std::size_t pivot = column;
    for (std::size_t i = column; i < n; ++i) {
      if (std::abs(m[i][column]) > std::abs(m[pivot][column])) pivot = i;
    }
    std::swap(m[pivot], m[column]);
    for (std::size_t i = 0; i < n; ++i) {
      if (i == column || m[i][column] == 0) continue;
      const long double factor = m[i][column] / m[column][column];
      for (std::size_t j = column; j < n + l; ++j) m[i][j] -= factor * m[column][j];
    }
  }
  FullMatrix p(n, std::vector<double>(l));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < l; ++k) p[i][k] = static_cast<double>(m[i][n + k] / m[i][i]);
  }
  return p;
}

/// P, n x l, from a dense M.
inline FullMatrix dense_interpolation(const SmallGraph& graph, const std::vector<Index>& landmarks) {
  auto m = dense_biharmonic(graph);
  // Rows of landmarks become those of the identity; the right-hand sides are e_k there, else 0.
  const std::size_t n = m.size(), l = landmarks.size();
  for (std::size_t i = 0; i < n; ++i) m[i].resize(n + l, 0);
  for (std::size_t k = 0; k < l; ++k) {
    auto& row = m[landmarks[k]];
    std::ranges::fill(row, 0);
    row[landmarks[k]] = 1;
    row[n + k] = 1;
  }
  return solved(std::move(m));
}

/// P of soft landmarks: (M + penalty S Sᵀ) P = penalty S.
inline FullMatrix dense_soft_interpolation(const SmallGraph& graph, const std::vector<Index>& landmarks,
                                           double penalty) {
  auto m = dense_biharmonic(graph);
  const std::size_t n = m.size(), l = landmarks.size();
  for (std::size_t i = 0; i < n; ++i) m[i].resize(n + l, 0);
  for (std::size_t k = 0; k < l; ++k) {
    const auto v = static_cast<std::size_t>(landmarks[k]);
    m[v][v] += penalty;
    m[v][n + k] = penalty;
  }
  return solved(std::move(m));
}

/// P of the graph by the solver that the parameters name. Collective.
inline SparseRows<double> compute(const SmallGraph& graph, const std::vector<Index>& landmarks,
                                  const InterpolationParameters& parameters, InterpolationReport& report) {
  const Context context;
  return interpolation(context.execution, operator_of(world(), graph), landmarks, parameters, report);
}

/// All of P on every rank. Collective.
inline FullMatrix gathered(const Communicator& communicator, const SparseRows<double>& p) {
  FullMatrix all(static_cast<std::size_t>(p.rows()), std::vector<double>(static_cast<std::size_t>(p.columns()), 0.0));
  std::vector<Index> rows;
  for (Index row = p.range().begin; row < p.range().end; ++row) {
    rows.insert(rows.end(), p.row(row).columns.size(), row);
  }
  rows = communicator.all_gather(rows);
  const auto columns = communicator.all_gather(p.indices());
  const auto values = communicator.all_gather(p.values());
  for (std::size_t e = 0; e < rows.size(); ++e) {
    all[rows[e]][columns[e]] = values[e];
  }
  return all;
}

inline double largest_difference(const FullMatrix& a, const FullMatrix& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t k = 0; k < a[i].size(); ++k) largest = std::max(largest, std::abs(a[i][k] - b[i][k]));
  }
  return largest;
}

/// Distinct vertices.
inline std::vector<Index> some_landmarks(Index vertices, Index count, std::uint64_t seed) {
  return sample_without_replacement(vertices, count, Random(seed, Stream::landmarks));
}

}  // namespace cairn::test
