#include "cairn/operator/cotangent_operator.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/operator/triangle_shape.hpp"

namespace cairn {

namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

struct Arc {
  std::int32_t neighbour = 0;
  double weight = 0.0;
};

struct Rows {
  std::vector<Index> starts;
  std::vector<Arc> arcs;
  std::vector<double> mass;
};

// Two arcs for each side of each triangle, by vertex, in the order of the triangles. A side that leads from a vertex to
// itself gives none: nothing flows along it.
Rows sides_by_vertex(const IntrinsicTriangulation& triangles) {
  const Index n = triangles.vertices;
  Rows rows{std::vector<Index>(at(n + 1), 0), {}, std::vector<double>(at(n), 0.0)};
  const auto sides = [&](const auto& take) {
    for (Index t = 0; t < triangles.triangle_count(); ++t) {
      for (std::size_t k = 0; k < 3; ++k) {
        const auto from = triangles.corners[3 * t + static_cast<Index>(k)],
                   to = triangles.corners[3 * t + static_cast<Index>((k + 1) % 3)];
        if (from != to) take(t, k, from, to);
      }
    }
  };
  sides([&](Index, std::size_t, Index from, Index to) { ++rows.starts[at(from + 1)], ++rows.starts[at(to + 1)]; });
  for (Index v = 0; v < n; ++v) rows.starts[at(v + 1)] += rows.starts[at(v)];
  rows.arcs.resize(at(rows.starts.back()));
  std::vector<Index> next(rows.starts.begin(), rows.starts.end() - 1);
  sides([&](Index t, std::size_t k, std::int32_t from, std::int32_t to) {
    const std::array<double, 3> lengths = triangles.side_lengths(t);
    const double weight = 0.5 * facing_cotangent(lengths, k, area_of(lengths));
    rows.arcs[at(next[at(from)]++)] = {to, weight};
    rows.arcs[at(next[at(to)]++)] = {from, weight};
  });
  for (Index t = 0; t < triangles.triangle_count(); ++t) {
    const double third = area_of(triangles.side_lengths(t)) / 3.0;
    for (Index k = 0; k < 3; ++k) rows.mass[at(triangles.corners[3 * t + k])] += third;
  }
  return rows;
}

// Leaves out the arcs that `keeps(vertex, arc)` says no to.
template <typename Keeps>
void keep_arcs(Rows& rows, const Keeps& keeps) {
  Index kept = 0;
  for (Index v = 0; v < static_cast<Index>(rows.mass.size()); ++v) {
    const Index begin = rows.starts[at(v)];
    rows.starts[at(v)] = kept;
    for (Index a = begin; a < rows.starts[at(v + 1)]; ++a) {
      if (keeps(v, rows.arcs[at(a)])) rows.arcs[at(kept++)] = rows.arcs[at(a)];
    }
  }
  rows.starts.back() = kept;
  rows.arcs.resize(at(kept));
}

// The diagonals of squares have weight 0 but for rounding: they connect nothing.
void drop_rounding(Rows& rows) {
  constexpr double rounding = 1e-14;  // relative
  std::vector<double> sums(rows.mass.size(), 0.0);
  for (Index v = 0; v < static_cast<Index>(sums.size()); ++v) {
    for (Index a = rows.starts[at(v)]; a < rows.starts[at(v + 1)]; ++a)
      sums[at(v)] += std::abs(rows.arcs[at(a)].weight);
  }
  keep_arcs(rows, [&](Index v, const Arc& arc) {
    return std::abs(arc.weight) > rounding * std::min(sums[at(v)], sums[at(arc.neighbour)]);
  });
}

// Joins the arcs to one neighbour, which become ascending.
void join_arcs(Rows& rows) {
  Index kept = 0;
  for (Index v = 0; v < static_cast<Index>(rows.mass.size()); ++v) {
    const auto begin = rows.arcs.begin() + rows.starts[at(v)], end = rows.arcs.begin() + rows.starts[at(v + 1)];
    std::stable_sort(begin, end, [](const Arc& a, const Arc& b) { return a.neighbour < b.neighbour; });
    const Index first = kept;
    for (auto arc = begin; arc != end; ++arc) {
      if (kept > first && rows.arcs[at(kept - 1)].neighbour == arc->neighbour)
        rows.arcs[at(kept - 1)].weight += arc->weight;
      else
        rows.arcs[at(kept++)] = *arc;
    }
    rows.starts[at(v)] = first;
  }
  rows.starts.back() = kept;
  rows.arcs.resize(at(kept));
}

void write(const Rows& rows, BiharmonicOperator& result) {
  std::copy(rows.starts.begin(), rows.starts.end(), result.starts.writable().begin());
  const auto neighbours = result.neighbours.writable();
  const auto weights = result.weights.writable(), degrees = result.degrees.writable(),
             inverse_mass = result.inverse_mass.writable();
  for (std::size_t v = 0; v < rows.mass.size(); ++v) {
    double degree = 0.0;
    for (Index a = rows.starts[v]; a < rows.starts[v + 1]; ++a) {
      neighbours[at(a)] = rows.arcs[at(a)].neighbour;
      weights[at(a)] = rows.arcs[at(a)].weight;
      degree += rows.arcs[at(a)].weight;
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
  result.neighbours = NodeArray<std::int32_t>(communicator, arcs);
  result.weights = NodeArray<double>(communicator, arcs);
  result.degrees = NodeArray<double>(communicator, n);
  result.inverse_mass = NodeArray<double>(communicator, n);
  if (writes) write(rows, result);
  result.starts.publish();
  result.neighbours.publish();
  for (const auto* values : {&result.weights, &result.degrees, &result.inverse_mass}) values->publish();
  return result;
}

}  // namespace cairn
