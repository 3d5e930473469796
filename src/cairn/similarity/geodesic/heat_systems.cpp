#include "cairn/similarity/geodesic/heat_systems.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/operator/cotangent_operator.hpp"
#include "cairn/operator/triangle_shape.hpp"

namespace cairn {

namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// 1 for vertices of an edge that has one triangle.
std::vector<std::int32_t> boundary_vertices(const TriangleMesh& mesh) {
  std::vector<std::pair<std::int32_t, std::int32_t>> sides;
  sides.reserve(at(3 * mesh.triangle_count()));
  for (Index t = 0; t < mesh.triangle_count(); ++t) {
    const std::int32_t* corners = mesh.triangle(t);
    for (int k = 0; k < 3; ++k) sides.emplace_back(std::minmax(corners[k], corners[(k + 1) % 3]));
  }
  std::sort(sides.begin(), sides.end());
  std::vector<std::int32_t> result(at(mesh.size()), 0);
  for (std::size_t k = 0; k < sides.size(); ++k) {
    const bool shared = (k > 0 && sides[k - 1] == sides[k]) || (k + 1 < sides.size() && sides[k + 1] == sides[k]);
    if (!shared) result[at(sides[k].first)] = result[at(sides[k].second)] = 1;
  }
  return result;
}

// D + t L; with `fixed`, rows and columns of these vertices keep their diagonal alone.
SymmetricValues heat_matrix(const BiharmonicOperator& op, double t, const std::vector<std::int32_t>& fixed) {
  SymmetricValues m{std::vector<double>(at(op.neighbours.size())), std::vector<double>(at(op.size()))};
  for (Index i = 0; i < op.size(); ++i) {
    m.diagonal[at(i)] = 1.0 / op.inverse_mass[i] + t * op.degrees[i];
    for (Index a = op.starts[i]; a < op.starts[i + 1]; ++a) {
      const bool cut = !fixed.empty() && (fixed[at(i)] != 0 || fixed[at(op.neighbours[a])] != 0);
      m.arcs[at(a)] = cut ? 0.0 : -t * op.weights[a];
    }
  }
  return m;
}

// L with c added to the diagonal at one vertex p of each component: right-hand sides sum to 0 in each, so that
// c phi(p) = 0, and the rest is L phi = b as it stands.
SymmetricValues poisson_matrix(const BiharmonicOperator& op, const std::vector<Index>& components) {
  SymmetricValues m{std::vector<double>(at(op.neighbours.size())),
                    {op.degrees.values().begin(), op.degrees.values().end()}};
  for (Index a = 0; a < op.neighbours.size(); ++a) m.arcs[at(a)] = -op.weights[a];
  Index tied = 0;
  for (Index v = 0; v < op.size(); ++v) {
    if (components[at(v)] != tied) continue;  // components are numbered as they are met
    m.diagonal[at(v)] *= 2.0;
    ++tied;
  }
  return m;
}

FlatTriangle flatten(const IntrinsicTriangulation& triangles, Index t, const NodeArray<std::int32_t>& position) {
  const std::array<double, 3> lengths = triangles.side_lengths(t);
  FlatTriangle flat{};
  for (Index k = 0; k < 3; ++k) flat.corners[k] = position[triangles.corners[3 * t + k]];
  flat.a = lengths[0];
  flat.c = 2.0 * area_of(lengths) / flat.a;
  flat.b = ((lengths[2] - lengths[1]) * (lengths[2] + lengths[1]) + flat.a * flat.a) / (2.0 * flat.a);
  return flat;
}

void write_triangles(const IntrinsicTriangulation& triangles, const NodeArray<std::int32_t>& position,
                     NodeArray<FlatTriangle>& result) {
  const auto flat = result.writable();
  for (Index t = 0; t < triangles.triangle_count(); ++t) flat[at(t)] = flatten(triangles, t, position);
  const auto first_row = [](const FlatTriangle& t) { return std::min({t.corners[0], t.corners[1], t.corners[2]}); };
  std::stable_sort(flat.begin(), flat.end(),
                   [&](const FlatTriangle& s, const FlatTriangle& t) { return first_row(s) < first_row(t); });
}

// The matrices, made by the first rank of a node.
struct Matrices {
  std::vector<SymmetricValues> values;  // heat, poisson, perhaps swallowing
  std::vector<std::int32_t> on_boundary;
  std::vector<Index> components;
};

// @param t  the time step
Matrices make_matrices(const TriangleMesh& mesh, const BiharmonicOperator& op, double t, bool swallowing) {
  Matrices m;
  m.components = components_of_vertices(mesh);
  m.values.push_back(heat_matrix(op, t, {}));
  m.values.push_back(poisson_matrix(op, m.components));
  if (!swallowing) return m;
  m.on_boundary = boundary_vertices(mesh);
  m.values.push_back(heat_matrix(op, t, m.on_boundary));
  return m;
}

template <class T>
NodeArray<std::int32_t> share_numbers(const Communicator& communicator, Index size, bool writes,
                                      const std::vector<T>& values) {
  NodeArray<std::int32_t> result(communicator, size);
  if (writes) {
    std::transform(values.begin(), values.end(), result.writable().begin(),
                   [](T value) { return static_cast<std::int32_t>(value); });
  }
  result.publish();
  return result;
}

}  // namespace

HeatSystems make_heat_systems(const Communicator& communicator, const TriangleMesh& mesh, double time_factor,
                              bool average, bool flip) {
  const IntrinsicTriangulation triangles = intrinsic_delaunay(communicator, mesh, flip);
  const BiharmonicOperator op = cotangent_operator(communicator, triangles, CotangentArcs::all);
  const double t = time_factor * triangles.mean_length * triangles.mean_length;
  const bool writes = op.starts.node().is_root();
  const bool swallowing = average && mesh.report().boundary_edges > 0;
  Matrices matrices = collectively(communicator, [&] {
    if (writes) return make_matrices(mesh, op, t, swallowing);
    Matrices none;
    none.values.resize(swallowing ? 3 : 2);
    return none;
  });
  auto factors = factorize(communicator, op.starts, op.neighbours, matrices.values);
  HeatSystems systems{std::move(factors[0]), std::move(factors[1]), std::nullopt, {}, {}, {}, {}, {}, op.flips,
                      triangles.mean_length};
  const Index n = mesh.size();
  if (swallowing) {
    systems.swallowing = std::move(factors[2]);
    systems.on_boundary = share_numbers(communicator, n, writes, matrices.on_boundary);
  }
  auto components = static_cast<Index>(
      matrices.components.empty() ? 0 : *std::max_element(matrices.components.begin(), matrices.components.end()));
  op.starts.node().broadcast(std::span(&components, 1), 0);
  if (components > 0) systems.component = share_numbers(communicator, n, writes, matrices.components);
  systems.position = NodeArray<std::int32_t>(communicator, n);
  systems.mass = NodeArray<double>(communicator, n);
  systems.triangles = NodeArray<FlatTriangle>(communicator, mesh.triangle_count());
  collectively(communicator, [&] {
    if (!writes) return;
    const auto& order = systems.heat.structure().order;
    for (Index k = 0; k < n; ++k) systems.position.writable()[at(order[k])] = static_cast<std::int32_t>(k);
    for (Index v = 0; v < n; ++v) systems.mass.writable()[at(v)] = 1.0 / op.inverse_mass[v];
    write_triangles(triangles, systems.position, systems.triangles);
  });
  systems.position.publish();
  systems.mass.publish();
  systems.triangles.publish();
  return systems;
}

}  // namespace cairn
