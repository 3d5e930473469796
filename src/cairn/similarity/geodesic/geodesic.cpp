#include "cairn/similarity/geodesic/geodesic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <mutex>

#include "cairn/base/buffer.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/operator/cotangent_operator.hpp"
#include "cairn/similarity/geodesic/heat_gradient.hpp"
#include "cairn/similarity/geodesic/heat_systems.hpp"
#include "cairn/similarity/geodesic/supernodal_factor.hpp"

namespace cairn {

namespace {

constexpr Index width = SupernodalFactor::width;
static_assert(width == geodesic_batch);
// Heat falls by a factor of about e an edge: it starts near the largest double, so that it lasts for 1,300 edges.
constexpr double source_heat = 1e280;
constexpr double least_heat = 1e-290;

struct Workspace {
  Buffer<double> heat, swallowed, distance;
};

class HeatGeodesic final : public Geodesic {
 public:
  /// @param data_keys  of the mesh
  HeatGeodesic(HeatSystems systems, GeodesicParameters parameters, KeyNames data_keys)
      : Geodesic(
            {.name = "geodesic", .size = systems.position.size(), .symmetric_by_construction = false, .batch = width}),
        systems_(std::move(systems)),
        parameters_(std::move(parameters)),
        data_keys_(std::move(data_keys)) {
    keys_ = parameters_.keys;
    flips_ = systems_.flips;
  }

  // Looks at a sample of distances. Collective.
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
        sources, count, [&](Index b) { return targets.targets[static_cast<std::size_t>(b)]; }, out);
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
          sources.subspan(static_cast<std::size_t>(first),
                          std::min<std::size_t>(width, sources.size() - static_cast<std::size_t>(first)));
      distances(block, *work);
      const auto count = static_cast<Index>(block.size());
      double shifts[width] = {};
      for (Index a = 0; a < count; ++a) shifts[a] = at(work->distance, block[static_cast<std::size_t>(a)])[a];
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
    if (systems_.swallowing) work->swallowed = Buffer<double>(size() * width);
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

// heat := the heat from each source after one implicit step of time.
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
      const Index source = sources[static_cast<std::size_t>(a)], v = systems_.heat.structure().order[row];
      if (!systems_.connected() && systems_.component[source] != systems_.component[v]) continue;
      throw Error(ErrorKind::numeric,
                  fmt::format("geodesic: no heat that a double can hold comes from vertex {} to vertex {}; raise "
                              "{} (now {}): four times as much reaches twice as far",
                              source, v, parameters_.keys("time-factor"), parameters_.time_factor));
    }
  }
}

void HeatGeodesic::distances(std::span<const Index> sources, Workspace& work) const {
  diffuse(systems_.heat, sources, false, work.heat);
  require_heat(sources, work.heat);
  if (systems_.swallowing) {
    diffuse(*systems_.swallowing, sources, true, work.swallowed);
    for (Index k = 0; k < work.heat.size(); ++k) work.heat[k] += work.swallowed[k];
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
                      .help = "Of a surface with boundary: average (of heat that no boundary stops and heat that it "
                              "swallows) or neumann (only the first).",
                      .choices = {"average", "neumann"}},
                     {.name = "flip-edges",
                      .value = "BOOL",
                      .type = ValueType::flag,
                      .fallback = "true",
                      .help = "Flip edges to make the triangles Delaunay. With false they are those of the file, and "
                              "distances are worse where these are flat."}},
      .objects = {objects::mesh_vertices},
      .default_for = {objects::mesh_vertices},
      .traits = {.distance = true, .single_source = true, .whole_rows = true},
      .make_source = geodesic_of,
      .source_cost = cost_of};
  return similarity;
}

}  // namespace cairn
