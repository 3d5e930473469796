#include "cairn/similarity/geodesic/geodesic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <mutex>
#include <optional>

#include "cairn/base/buffer.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/mesh/triangle_mesh.hpp"
#include "cairn/operator/biharmonic_operator.hpp"
#include "cairn/operator/cotangent_operator.hpp"
#include "cairn/operator/triangle_shape.hpp"
#include "cairn/similarity/geodesic/heat_gradient.hpp"
#include "cairn/similarity/geodesic/supernodal_factor.hpp"

namespace cairn {

namespace {

// Factored matrices of the heat method.

// Data of a mesh for geodesic distances, once per node, on its intrinsic Delaunay triangulation or its own triangles.
// Rows of the factors and corners of the triangles are in the factors' order; position[v] is the row of vertex v.
struct HeatSystems {
  SupernodalFactor heat;                      ///< D + t L
  SupernodalFactor poisson;                   ///< L, the first vertex of each component tied to 0
  std::optional<SupernodalFactor> dirichlet;  ///< D + t L with Dirichlet condition 0 on the boundary
  NodeArray<std::int32_t> position;
  NodeArray<double> mass;               ///< D_vv
  NodeArray<FlatTriangle> triangles;    ///< ascending by their first row
  NodeArray<std::int32_t> on_boundary;  ///< 1 for vertices of the boundary; only with `dirichlet`
  NodeArray<std::int32_t> component;    ///< of each vertex; only if there are several
  EdgeFlips flips;                      ///< flips that made the triangles of the mesh Delaunay
  double mean_edge = 0.0;               ///< mean edge length, on the Delaunay triangulation
  [[nodiscard]] bool connected() const { return component.empty(); }
};

// 1 for vertices of edges with one triangle.
std::vector<std::int32_t> boundary_vertices(const TriangleMesh& mesh) {
  std::vector<std::pair<std::int32_t, std::int32_t>> sides;
  sides.reserve(3 * mesh.triangle_count());
  for (Index t = 0; t < mesh.triangle_count(); ++t) {
    const std::int32_t* corners = mesh.triangle(t);
    for (int k = 0; k < 3; ++k) sides.emplace_back(std::minmax(corners[k], corners[(k + 1) % 3]));
  }
  std::sort(sides.begin(), sides.end());
  std::vector<std::int32_t> result(mesh.size(), 0);
  for (std::size_t k = 0; k < sides.size(); ++k) {
    const bool shared = (k > 0 && sides[k - 1] == sides[k]) || (k + 1 < sides.size() && sides[k + 1] == sides[k]);
    if (!shared) result[sides[k].first] = result[sides[k].second] = 1;
  }
  return result;
}

// D + t L; rows and columns of the vertices `fixed` keep only their diagonal.
SymmetricValues heat_matrix(const BiharmonicOperator& op, double t, const std::vector<std::int32_t>& fixed) {
  SymmetricValues m{std::vector<double>(op.neighbors.size()), std::vector<double>(op.size())};
  for (Index i = 0; i < op.size(); ++i) {
    m.diagonal[i] = 1.0 / op.inverse_mass[i] + t * op.degrees[i];
    for (Index a = op.starts[i]; a < op.starts[i + 1]; ++a) {
      const bool cut = !fixed.empty() && (fixed[i] != 0 || fixed[op.neighbors[a]] != 0);
      m.arcs[a] = cut ? 0.0 : -t * op.weights[a];
    }
  }
  return m;
}

// L with c added to the diagonal at one vertex p of each component. Right-hand sides sum to 0 in each component, so
// that c phi(p) = 0 and L phi = b holds unchanged.
SymmetricValues poisson_matrix(const BiharmonicOperator& op, const std::vector<Index>& components) {
  SymmetricValues m{std::vector<double>(op.neighbors.size()), {op.degrees.values().begin(), op.degrees.values().end()}};
  for (Index a = 0; a < op.neighbors.size(); ++a) m.arcs[a] = -op.weights[a];
  Index tied = 0;
  for (Index v = 0; v < op.size(); ++v) {
    if (components[v] != tied) continue;  // components are numbered in the order of their first vertices
    m.diagonal[v] *= 2.0;
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
  for (Index t = 0; t < triangles.triangle_count(); ++t) flat[t] = flatten(triangles, t, position);
  const auto first_row = [](const FlatTriangle& t) { return std::min({t.corners[0], t.corners[1], t.corners[2]}); };
  std::stable_sort(flat.begin(), flat.end(),
                   [&](const FlatTriangle& s, const FlatTriangle& t) { return first_row(s) < first_row(t); });
}

// Matrices made by the first rank of a node.
struct Matrices {
  std::vector<SymmetricValues> values;  // heat, poisson, and `dirichlet` if needed
  std::vector<std::int32_t> on_boundary;
  std::vector<Index> components;
};

// @param t  the time step
Matrices make_matrices(const TriangleMesh& mesh, const BiharmonicOperator& op, double t, bool dirichlet) {
  Matrices m;
  m.components = components_of_vertices(mesh);
  m.values.push_back(heat_matrix(op, t, {}));
  m.values.push_back(poisson_matrix(op, m.components));
  if (!dirichlet) return m;
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

// @param time_factor  t over the square of the mean edge length @param average  makes `dirichlet` if the mesh has a
//   boundary @param flip  as for intrinsic_delaunay. @throws as make_geodesic. Collective.
HeatSystems make_heat_systems(const Communicator& communicator, const TriangleMesh& mesh, double time_factor,
                              bool average, bool flip) {
  const IntrinsicTriangulation triangles = intrinsic_delaunay(communicator, mesh, flip);
  const BiharmonicOperator op = cotangent_operator(communicator, triangles, CotangentArcs::all);
  const double t = time_factor * triangles.mean_length * triangles.mean_length;
  const bool writes = op.starts.node().is_root();
  const bool dirichlet = average && mesh.report().boundary_edges > 0;
  Matrices matrices = collectively(communicator, [&] {
    if (writes) return make_matrices(mesh, op, t, dirichlet);
    Matrices none;
    none.values.resize(dirichlet ? 3 : 2);
    return none;
  });
  auto factors = factorize(communicator, op.starts, op.neighbors, matrices.values);
  HeatSystems systems{std::move(factors[0]), std::move(factors[1]), std::nullopt, {}, {}, {}, {}, {}, op.flips,
                      triangles.mean_length};
  const Index n = mesh.size();
  if (dirichlet) {
    systems.dirichlet = std::move(factors[2]);
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
    for (Index k = 0; k < n; ++k) systems.position.writable()[order[k]] = static_cast<std::int32_t>(k);
    for (Index v = 0; v < n; ++v) systems.mass.writable()[v] = 1.0 / op.inverse_mass[v];
    write_triangles(triangles, systems.position, systems.triangles);
  });
  systems.position.publish();
  systems.mass.publish();
  systems.triangles.publish();
  return systems;
}

constexpr Index width = SupernodalFactor::width;
static_assert(width == geodesic_batch);
// Heat falls by a factor of about e per edge. It starts near the largest double, so that it reaches 1,300 edges.
constexpr double source_heat = 1e280;
constexpr double least_heat = 1e-290;

struct Workspace {
  Buffer<double> heat, dirichlet_heat, distance;
};

class HeatGeodesic final : public Geodesic {
 public:
  /// @param data_keys  keys of the mesh
  HeatGeodesic(HeatSystems systems, GeodesicParameters parameters, KeyNames data_keys)
      : Geodesic(
            {.name = "geodesic", .size = systems.position.size(), .symmetric_by_construction = false, .batch = width}),
        systems_(std::move(systems)),
        parameters_(std::move(parameters)),
        data_keys_(std::move(data_keys)) {
    keys_ = parameters_.keys;
    flips_ = systems_.flips;
  }

  // Checks a sample of distances. Collective.
  void check_sample(const Communicator& communicator, const TriangleMesh& mesh) {
    check_ = check_geodesics(communicator, mesh, systems_.mean_edge, width,
                             [this](std::span<const Index> sources, const TargetSet& targets, MatrixView<double> out) {
                               compute_to_targets(sources, targets, out);
                             });
    if (check_.worst() <= GeodesicCheck::refused_share) return;
    throw Error(
        ErrorKind::numeric,
        fmt::format("geodesic: the heat method fails on this mesh: {}. Change {} (now {}): a smaller one smooths less, "
                    "a larger one carries heat over uneven triangles; or make the triangles of the mesh more regular",
                    check_.summary(), parameters_.keys("time-factor"), parameters_.time_factor));
  }

  [[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters() const override {
    return {{"time-factor", fmt::format("{:.17g}", parameters_.time_factor)},
            {"boundary", parameters_.boundary},
            {"flip-edges", parameters_.flip_edges ? "true" : "false"}};
  }

 protected:
  void compute_to_targets(std::span<const Index> sources, const TargetSet& targets,
                          MatrixView<double> out) const override {
    const auto count = static_cast<Index>(targets.targets.size());
    compute(
        sources, count, [&](Index b) { return targets.targets[b]; }, out);
  }
  void compute_to_all(std::span<const Index> sources, MatrixView<double> out) const override {
    compute(
        sources, size(), [](Index b) { return b; }, out);
  }

 private:
  template <class Target>
  void compute(std::span<const Index> sources, Index targets, Target target, MatrixView<double> out) const {
    std::unique_ptr<Workspace> work = take_workspace();
    for (Index first = 0; first < static_cast<Index>(sources.size()); first += width) {
      const auto block =
          sources.subspan(first, std::min<std::size_t>(width, sources.size() - static_cast<std::size_t>(first)));
      distances(block, *work);
      const auto count = static_cast<Index>(block.size());
      double shifts[width] = {};
      for (Index a = 0; a < count; ++a) shifts[a] = at(work->distance, block[a])[a];
      for (Index b = 0; b < targets; ++b) {
        const Index v = target(b);
        const double* row = at(work->distance, v);
        for (Index a = 0; a < count; ++a) out(first + a, b) = row[a] - shifts[a];
        if (systems_.connected()) continue;
        for (const Index source : block) require_path(source, v);
      }
    }
    give_back(std::move(work));
  }

  [[nodiscard]] const double* at(const Buffer<double>& values, Index v) const {
    return values.data() + systems_.position[v] * width;
  }
  void require_path(Index source, Index v) const {
    if (systems_.component[source] == systems_.component[v]) return;
    throw Error(ErrorKind::numeric, fmt::format("there is no path from vertex {} to vertex {}: they lie in different "
                                                "components of the mesh; {} = true keeps one",
                                                source, v, data_keys_("largest-component")));
  }

  void distances(std::span<const Index> sources, Workspace& work) const;
  void diffuse(const SupernodalFactor& factor, std::span<const Index> sources, bool inner_only,
               Buffer<double>& heat) const;
  void require_heat(std::span<const Index> sources, const Buffer<double>& heat) const;

  [[nodiscard]] std::unique_ptr<Workspace> take_workspace() const {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        auto work = std::move(idle_.back());
        idle_.pop_back();
        return work;
      }
    }
    auto work = std::make_unique<Workspace>();
    work->heat = Buffer<double>(size() * width);
    work->distance = Buffer<double>(size() * width);
    if (systems_.dirichlet) work->dirichlet_heat = Buffer<double>(size() * width);
    return work;
  }
  void give_back(std::unique_ptr<Workspace> work) const {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(work));
  }

  HeatSystems systems_;
  GeodesicParameters parameters_;
  KeyNames data_keys_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Workspace>> idle_;
};

// heat := the heat from each source after one implicit time step.
void HeatGeodesic::diffuse(const SupernodalFactor& factor, std::span<const Index> sources, bool inner_only,
                           Buffer<double>& heat) const {
  std::fill(heat.data(), heat.data() + heat.size(), 0.0);
  std::vector<Index> filled;
  for (std::size_t a = 0; a < sources.size(); ++a) {
    const Index v = sources[a];
    if (inner_only && systems_.on_boundary[v] != 0) continue;
    const Index row = systems_.position[v];
    heat[row * width + static_cast<Index>(a)] = source_heat * systems_.mass[v];
    filled.push_back(row);
  }
  if (!filled.empty()) factor.solve(heat.data(), filled);
}

void HeatGeodesic::require_heat(std::span<const Index> sources, const Buffer<double>& heat) const {
  const auto columns = static_cast<Index>(sources.size());
  for (Index row = 0; row < size(); ++row) {
    for (Index a = 0; a < columns; ++a) {
      if (std::abs(heat[row * width + a]) >= least_heat) continue;
      const Index source = sources[a], v = systems_.heat.structure().order[row];
      if (!systems_.connected() && systems_.component[source] != systems_.component[v]) continue;
      throw Error(ErrorKind::numeric,
                  fmt::format("geodesic: the heat from vertex {} underflows before it reaches vertex {}; increase {} "
                              "(now {}): four times the value reaches twice as far",
                              source, v, parameters_.keys("time-factor"), parameters_.time_factor));
    }
  }
}

void HeatGeodesic::distances(std::span<const Index> sources, Workspace& work) const {
  diffuse(systems_.heat, sources, false, work.heat);
  require_heat(sources, work.heat);
  if (systems_.dirichlet) {
    diffuse(*systems_.dirichlet, sources, true, work.dirichlet_heat);
    for (Index k = 0; k < work.heat.size(); ++k) work.heat[k] += work.dirichlet_heat[k];
  }
  std::fill(work.distance.data(), work.distance.data() + work.distance.size(), 0.0);
  add_divergence(systems_.triangles.values().data(), systems_.triangles.size(), work.heat.data(), work.distance.data());
  systems_.poisson.solve(work.distance.data(), {});
}

}  // namespace

std::unique_ptr<Geodesic> make_geodesic(const Communicator& communicator, const TriangleMesh& mesh,
                                        const GeodesicParameters& parameters) {
  if (!(parameters.time_factor > 0.0) || !std::isfinite(parameters.time_factor)) {
    throw Error(ErrorKind::usage,
                fmt::format("{} must be positive, not {}", parameters.keys("time-factor"), parameters.time_factor));
  }
  if (parameters.boundary != "average" && parameters.boundary != "neumann") {
    throw Error(ErrorKind::usage, fmt::format("{}: '{}' is not known; there are average and neumann",
                                              parameters.keys("boundary"), parameters.boundary));
  }
  auto result =
      std::make_unique<HeatGeodesic>(make_heat_systems(communicator, mesh, parameters.time_factor,
                                                       parameters.boundary == "average", parameters.flip_edges),
                                     parameters, mesh.report().keys);
  result->check_sample(communicator, mesh);
  return result;
}

std::vector<std::string> warnings_of(const SourceSimilarity* sources) {
  const auto* geodesic = dynamic_cast<const Geodesic*>(sources);
  if (geodesic == nullptr) return {};
  return geodesic->check().warnings(geodesic->keys()("time-factor"));
}

namespace {

std::unique_ptr<SourceSimilarity> geodesic_of(const SourceInput& input) {
  return make_geodesic(input.communicator, *input.mesh,
                       {.time_factor = input.values.number("time-factor"),
                        .boundary = input.values.text("boundary"),
                        .flip_edges = input.values.flag("flip-edges"),
                        .keys = input.values.keys()});
}

SourceCost cost_of(const SourceCostInput& input) {
  const Index n = input.objects;
  SourceCost cost;
  cost.batch = geodesic_batch;
  cost.value_bytes = input.value_bytes;
  cost.symmetric = false;  // by construction
  const double entries = 2.9 * std::log2(std::max(2.0, static_cast<double>(n))) * static_cast<double>(n);
  const Index factors = static_cast<Index>(2 * 8 * entries) + 80 * n + 40 * 2 * n;
  cost.shared = {{"factors of the heat method, once per node", factors}};
  cost.making = {{"a factor, before it is shared", factors / 2}};
  cost.making_once = {{"Delaunay triangulation, once per node", 36 * 2 * n}};
  cost.checks = {{"geodesic check",
                  {{"a sample of distances that is checked", (8 * (geodesic_batch + 3) + 384) * n}},
                  {{"edges of the mesh with lengths, once per node", 80 * n}}}};
  cost.search_bytes = 384 * n;
  return cost;
}

}  // namespace

const SimilarityDescriptor& geodesic_similarity() {
  static const SimilarityDescriptor similarity{
      .name = "geodesic",
      .summary = "Geodesic distances on a triangle mesh, by the heat method.",
      .parameters = {{.name = "time-factor",
                      .value = "NUMBER",
                      .type = ValueType::number,
                      .fallback = "1",
                      .help = "The time step of the heat method, in squares of the mean edge length, above 0.",
                      .above = 0},
                     {.name = "boundary",
                      .value = "NAME",
                      .type = ValueType::choice,
                      .fallback = "average",
                      .help = "Boundary condition of the heat flow on a surface with boundary: neumann, or average "
                              "(mean of the Neumann and Dirichlet solutions).",
                      .choices = {"average", "neumann"}},
                     {.name = "flip-edges",
                      .value = "BOOL",
                      .type = ValueType::flag,
                      .fallback = "true",
                      .help = "Flip edges to make the triangles Delaunay. With false they are those of the file, and "
                              "distances are worse where these are flat."}},
      .objects = {objects::mesh_vertices},
      .default_for = {objects::mesh_vertices},
      .traits = {.distance = true, .single_source = true, .one_sided = true, .whole_rows = true},
      .make_source = geodesic_of,
      .source_cost = cost_of};
  return similarity;
}

}  // namespace cairn
