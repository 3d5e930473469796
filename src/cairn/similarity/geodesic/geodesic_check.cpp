#include "cairn/similarity/geodesic/geodesic_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "cairn/base/buffer.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/similarity/shortest_paths/edge_graph.hpp"
#include "cairn/similarity/shortest_paths/graph_search.hpp"

namespace cairn {

namespace {

constexpr Index most_sources = 32;  // they form 496 pairs: 1 % is 5

double straight_line(const TriangleMesh& mesh, Index i, Index j) {
  const double *p = mesh.vertex(i), *q = mesh.vertex(j);
  return std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
}

std::vector<Index> largest_component(const TriangleMesh& mesh) {
  std::vector<Index> vertices(mesh.size());
  std::iota(vertices.begin(), vertices.end(), Index{0});
  if (mesh.report().components == 1 || mesh.report().dropped_vertices > 0) return vertices;
  const std::vector<Index> component = components_of_vertices(mesh);
  std::vector<Index> sizes(*std::max_element(component.begin(), component.end()) + 1, 0);
  for (const Index c : component) ++sizes[c];
  const Index largest = std::max_element(sizes.begin(), sizes.end()) - sizes.begin();
  std::erase_if(vertices, [&](Index v) { return component[v] != largest; });
  return vertices;
}

// Number of checked pairs, and of contradictions to each bound.
struct Tally {
  Index pairs = 0, negative = 0, below_line = 0, above_edges = 0;
  double longest = 0.0;  // longest path
};

class Sample {
 public:
  Sample(const TriangleMesh& mesh, double mean_edge, std::vector<Index> targets)
      : mesh_(mesh), slack_(GeodesicCheck::edge_tolerance * mean_edge), targets_(std::move(targets)) {
    const auto n = static_cast<Index>(targets_.size()), count = std::min(most_sources, n);
    for (Index k = 0; k < count; ++k) places_.push_back(k * n / count);
    between_.assign(count * count, 0.0);
  }

  [[nodiscard]] Index size() const { return static_cast<Index>(places_.size()); }
  [[nodiscard]] const std::vector<Index>& targets() const { return targets_; }
  [[nodiscard]] Index source(Index k) const { return targets_[places_[k]]; }
  /// Distances from source i to source j, 0 unless take() of this rank has set them.
  [[nodiscard]] std::span<double> between() { return between_; }

  // Checks distances against bounds, with shortest paths along edges, from source k to all targets. NaN contradicts
  // every bound.
  void take(Index k, const double* distances, const double* paths, Tally& tally) {
    for (Index b = 0; b < static_cast<Index>(targets_.size()); ++b) {
      if (b == places_[k]) continue;
      const double line = straight_line(mesh_, source(k), targets_[b]);
      ++tally.pairs;
      tally.longest = std::max(tally.longest, paths[b]);
      tally.negative += distances[b] >= 0.0 ? 0 : 1;
      tally.below_line += distances[b] >= line - tolerance(line) ? 0 : 1;
      tally.above_edges += distances[b] <= paths[b] + tolerance(paths[b]) ? 0 : 1;
    }
    for (Index j = 0; j < size(); ++j) between_[k * size() + j] = distances[places_[j]];
  }

  // Share of pairs of sources whose distances in both directions differ.
  [[nodiscard]] double asymmetric() const {
    Index pairs = 0, different = 0;
    for (Index i = 0; i < size(); ++i) {
      for (Index j = 0; j < i; ++j) {
        const double there = between_[i * size() + j], back = between_[j * size() + i];
        ++pairs;
        different += std::abs(there - back) <= tolerance(0.5 * std::abs(there + back)) ? 0 : 1;
      }
    }
    return pairs == 0 ? 0.0 : static_cast<double>(different) / static_cast<double>(pairs);
  }

 private:
  [[nodiscard]] double tolerance(double length) const { return GeodesicCheck::relative_tolerance * length + slack_; }

  const TriangleMesh& mesh_;
  double slack_;
  std::vector<Index> targets_;
  std::vector<Index> places_;  // positions of the sources among the targets
  std::vector<double> between_;
};

// Checks the sources of this rank (every communicator.size()-th source), `batch` at a time.
Tally check_own(const Communicator& communicator, Sample& sample, const SourceSimilarity& paths, Index batch,
                const DistancesToTargets& distances) {
  std::vector<Index> own, sources;
  for (Index k = communicator.rank(); k < sample.size(); k += communicator.size()) own.push_back(k);
  const auto n = static_cast<Index>(sample.targets().size());
  const auto targets = paths.prepare(sample.targets());
  Buffer<double> values(std::min(batch, std::max<Index>(1, static_cast<Index>(own.size()))) * n), lengths(n);
  Tally tally;
  for (std::size_t first = 0; first < own.size(); first += batch) {
    const auto count = std::min(static_cast<std::size_t>(batch), own.size() - first);
    sources.clear();
    for (std::size_t a = 0; a < count; ++a) sources.push_back(sample.source(own[first + a]));
    distances(sources, *targets, MatrixView<double>(values.data(), static_cast<Index>(count), n));
    for (std::size_t a = 0; a < count; ++a) {
      paths.to_targets(std::span(&sources[a], 1), *targets, MatrixView<double>(lengths.data(), 1, n));
      sample.take(own[first + a], values.data() + static_cast<Index>(a) * n, lengths.data(), tally);
      Watchdog::beat();
    }
  }
  return tally;
}

}  // namespace

double GeodesicCheck::worst() const { return std::max({negative, below_line, above_edges, asymmetric}); }

std::string GeodesicCheck::summary() const {
  return fmt::format(
      "of the distances from {} vertices {:.2f} % are negative, {:.2f} % shorter than the straight line, "
      "{:.2f} % longer than the shortest path along edges, and {:.2f} % differ by direction (the last three by more "
      "than {:.0f} % and {:.3g}, half a mean edge)",
      sources, 100 * negative, 100 * below_line, 100 * above_edges, 100 * asymmetric, 100 * relative_tolerance,
      edge_tolerance * mean_edge);
}

std::vector<std::string> GeodesicCheck::warnings(const std::string& key) const {
  std::vector<std::string> list;
  if (worst() > warned_share) {
    list.push_back(fmt::format(
        "some geodesic distances are wrong: {}; change {}, or use a mesh with more regular triangles", summary(), key));
  }
  if (coarse()) {
    list.push_back(
        fmt::format("the mesh is coarse: its mean edge is {:.3g}, {:.0f} % of the longest path, {:.3g}; "
                    "geodesics may be wrong by about an edge, and the check of them allows for half of one",
                    mean_edge, 100 * mean_edge / longest, longest));
  }
  return list;
}

GeodesicCheck check_geodesics(const Communicator& communicator, const TriangleMesh& mesh, double mean_edge, Index batch,
                              const DistancesToTargets& distances) {
  const SharedGraph edges = edge_graph(communicator, mesh);
  const auto paths = collectively(communicator, [&] { return make_dijkstra(edges); });
  Sample sample = collectively(communicator, [&] { return Sample(mesh, mean_edge, largest_component(mesh)); });
  const Tally tally =
      collectively(communicator, [&] { return check_own(communicator, sample, *paths, batch, distances); });
  std::vector<Index> counts{tally.pairs, tally.negative, tally.below_line, tally.above_edges};
  communicator.sum(std::span(counts));
  communicator.sum(sample.between());
  const auto share = [&](Index count) { return static_cast<double>(count) / static_cast<double>(counts[0]); };
  return {.sources = sample.size(),
          .negative = share(counts[1]),
          .below_line = share(counts[2]),
          .above_edges = share(counts[3]),
          .asymmetric = sample.asymmetric(),
          .mean_edge = mean_edge,
          .longest = communicator.maximum(tally.longest)};
}

}  // namespace cairn
