#include "cairn/operator/cotangent_operator.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/operator/triangle_shape.hpp"

namespace cairn {

namespace {

struct Arc {
  std::int32_t neighbor = 0;
  double weight = 0.0;
};

struct Rows {
  std::vector<Index> starts;
  std::vector<Arc> arcs;
  std::vector<double> mass;
};

// Two arcs for each side of each triangle, by vertex, in the order of the triangles. A side from a vertex to itself
// gives none: nothing flows along it.
Rows sides_by_vertex(const IntrinsicTriangulation& triangles) {
  const Index n = triangles.vertices;
  Rows rows{std::vector<Index>(n + 1, 0), {}, std::vector<double>(n, 0.0)};
  const auto sides = [&](const auto& take) {
    for (Index t = 0; t < triangles.triangle_count(); ++t) {
      for (std::size_t k = 0; k < 3; ++k) {
        const auto from = triangles.corners[3 * t + static_cast<Index>(k)],
                   to = triangles.corners[3 * t + static_cast<Index>((k + 1) % 3)];
        if (from != to) take(t, k, from, to);
      }
    }
  };
  sides([&](Index, std::size_t, Index from, Index to) { ++rows.starts[from + 1], ++rows.starts[to + 1]; });
  for (Index v = 0; v < n; ++v) rows.starts[v + 1] += rows.starts[v];
  rows.arcs.resize(rows.starts.back());
  std::vector<Index> next(rows.starts.begin(), rows.starts.end() - 1);
  sides([&](Index t, std::size_t k, std::int32_t from, std::int32_t to) {
    const std::array<double, 3> lengths = triangles.side_lengths(t);
    const double weight = 0.5 * facing_cotangent(lengths, k, area_of(lengths));
    rows.arcs[next[from]++] = {to, weight};
    rows.arcs[next[to]++] = {from, weight};
  });
  for (Index t = 0; t < triangles.triangle_count(); ++t) {
    const double third = area_of(triangles.side_lengths(t)) / 3.0;
    for (Index k = 0; k < 3; ++k) rows.mass[triangles.corners[3 * t + k]] += third;
  }
  return rows;
}

// Removes the arcs for which `keeps(vertex, arc)` is false.
template <typename Keeps>
void keep_arcs(Rows& rows, const Keeps& keeps) {
  Index kept = 0;
  for (Index v = 0; v < static_cast<Index>(rows.mass.size()); ++v) {
    const Index begin = rows.starts[v];
    rows.starts[v] = kept;
    for (Index a = begin; a < rows.starts[v + 1]; ++a) {
      if (keeps(v, rows.arcs[a])) rows.arcs[kept++] = rows.arcs[a];
    }
  }
  rows.starts.back() = kept;
  rows.arcs.resize(kept);
}

// The diagonals of squares have weight 0 up to rounding: they connect nothing.
void drop_rounding(Rows& rows) {
  constexpr double rounding = 1e-14;  // relative
  std::vector<double> sums(rows.mass.size(), 0.0);
  for (Index v = 0; v < static_cast<Index>(sums.size()); ++v) {
    for (Index a = rows.starts[v]; a < rows.starts[v + 1]; ++a) sums[v] += std::abs(rows.arcs[a].weight);
  }
  keep_arcs(rows, [&](Index v, const Arc& arc) {
    return std::abs(arc.weight) > rounding * std::min(sums[v], sums[arc.neighbor]);
  });
}

// Merges the arcs to the same neighbor, and sorts them by neighbor.
void join_arcs(Rows& rows) {
  Index kept = 0;
  for (Index v = 0; v < static_cast<Index>(rows.mass.size()); ++v) {
    const auto begin = rows.arcs.begin() + rows.starts[v], end = rows.arcs.begin() + rows.starts[v + 1];
    std::stable_sort(begin, end, [](const Arc& a, const Arc& b) { return a.neighbor < b.neighbor; });
    const Index first = kept;
    for (auto arc = begin; arc != end; ++arc) {
      if (kept > first && rows.arcs[kept - 1].neighbor == arc->neighbor)
        rows.arcs[kept - 1].weight += arc->weight;
      else
        rows.arcs[kept++] = *arc;
    }
    rows.starts[v] = first;
  }
  rows.starts.back() = kept;
  rows.arcs.resize(kept);
}

void write(const Rows& rows, BiharmonicOperator& result) {
  std::copy(rows.starts.begin(), rows.starts.end(), result.starts.writable().begin());
  const auto neighbors = result.neighbors.writable();
  const auto weights = result.weights.writable(), degrees = result.degrees.writable(),
             inverse_mass = result.inverse_mass.writable();
  for (std::size_t v = 0; v < rows.mass.size(); ++v) {
    double degree = 0.0;
    for (Index a = rows.starts[v]; a < rows.starts[v + 1]; ++a) {
      neighbors[a] = rows.arcs[a].neighbor;
      weights[a] = rows.arcs[a].weight;
      degree += rows.arcs[a].weight;
    }
    degrees[v] = degree;
    inverse_mass[v] = 1.0 / rows.mass[v];
  }
}

}  // namespace

BiharmonicOperator cotangent_operator(const Communicator& communicator, const TriangleMesh& mesh, CotangentArcs kept,
                                      bool flip) {
  return cotangent_operator(communicator, intrinsic_delaunay(communicator, mesh, flip), kept);
}

BiharmonicOperator cotangent_operator(const Communicator& communicator, const IntrinsicTriangulation& triangles,
                                      CotangentArcs kept) {
  const Index n = triangles.vertices;
  BiharmonicOperator result;
  result.kind = "cotangent";
  result.flips = triangles.flips;
  result.starts = NodeArray<Index>(communicator, n + 1);
  const bool writes = result.starts.node().is_root();
  Rows rows;
  collectively(communicator, [&] {
    if (!writes) return;
    rows = sides_by_vertex(triangles);
    join_arcs(rows);
    if (kept == CotangentArcs::connecting) drop_rounding(rows);
  });
  auto arcs = static_cast<Index>(rows.arcs.size());
  result.starts.node().broadcast(std::span(&arcs, 1), 0);
  result.neighbors = NodeArray<std::int32_t>(communicator, arcs);
  result.weights = NodeArray<double>(communicator, arcs);
  result.degrees = NodeArray<double>(communicator, n);
  result.inverse_mass = NodeArray<double>(communicator, n);
  if (writes) write(rows, result);
  result.starts.publish();
  result.neighbors.publish();
  for (const auto* values : {&result.weights, &result.degrees, &result.inverse_mass}) values->publish();
  return result;
}

}  // namespace cairn
