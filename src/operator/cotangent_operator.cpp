#include "operator/cotangent_operator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/collective_guard.hpp"

namespace cairn {

namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// Half the cotangents of the angles at the three corners, and the area.
struct TriangleShape {
  std::array<double, 3> half_cotangents{};
  double area = 0.0;
};

TriangleShape shape_of(const TriangleMesh& mesh, Index t) {
  const std::int32_t* corners = mesh.triangle(t);
  TriangleShape shape;
  for (int k = 0; k < 3; ++k) {
    const double* p = mesh.vertex(corners[k]);
    const double* q = mesh.vertex(corners[(k + 1) % 3]);
    const double* r = mesh.vertex(corners[(k + 2) % 3]);
    std::array<double, 3> u{}, v{};
    double dot = 0.0;
    for (std::size_t j = 0; j < 3; ++j) {
      u[j] = q[j] - p[j];
      v[j] = r[j] - p[j];
      dot += u[j] * v[j];
    }
    if (k == 0) {
      shape.area = 0.5 * std::hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]);
    }
    shape.half_cotangents[static_cast<std::size_t>(k)] = 0.25 * dot / shape.area;  // dot / |u x v| is the cotangent
  }
  return shape;
}

struct Arc {
  std::int32_t neighbour = 0;
  double weight = 0.0;
};

struct Rows {
  std::vector<Index> starts;
  std::vector<Arc> arcs;
  std::vector<double> mass;
};

// Two arcs for each side of each triangle, by vertex, in the order of the triangles.
Rows sides_by_vertex(const TriangleMesh& mesh) {
  const Index n = mesh.size();
  Rows rows{std::vector<Index>(at(n + 1), 0), {}, std::vector<double>(at(n), 0.0)};
  for (const std::int32_t v : mesh.triangles().values()) rows.starts[at(v + Index{1})] += 2;
  for (Index v = 0; v < n; ++v) rows.starts[at(v + 1)] += rows.starts[at(v)];
  rows.arcs.resize(at(rows.starts.back()));
  std::vector<Index> next(rows.starts.begin(), rows.starts.end() - 1);
  for (Index t = 0; t < mesh.triangle_count(); ++t) {
    const std::int32_t* corners = mesh.triangle(t);
    const TriangleShape shape = shape_of(mesh, t);
    for (int k = 0; k < 3; ++k) {
      const std::int32_t i = corners[(k + 1) % 3], j = corners[(k + 2) % 3];
      const double weight = shape.half_cotangents[static_cast<std::size_t>(k)];
      rows.arcs[at(next[at(i)]++)] = {j, weight};
      rows.arcs[at(next[at(j)]++)] = {i, weight};
      rows.mass[at(corners[k])] += shape.area / 3.0;
    }
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
    for (Index a = rows.starts[at(v)]; a < rows.starts[at(v + 1)]; ++a) sums[at(v)] += std::abs(rows.arcs[at(a)].weight);
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

BiharmonicOperator cotangent_operator(const Communicator& communicator, const TriangleMesh& mesh,
                                      CotangentArcs kept) {
  if (mesh.report().degenerate_triangles > 0 && !mesh.report().degenerate_dropped) {
    throw Error(ErrorKind::input,
                fmt::format("{} triangles of the mesh have no area, so that their angles have no cotangents; "
                            "data.drop-degenerate = true leaves them out",
                            mesh.report().degenerate_triangles));
  }
  const Index n = mesh.size();
  BiharmonicOperator result;
  result.kind = "cotangent";
  result.starts = NodeArray<Index>(communicator, n + 1);
  const bool writes = result.starts.node().is_root();
  Rows rows;
  collectively(communicator, [&] {
    if (!writes) return;
    rows = sides_by_vertex(mesh);
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
