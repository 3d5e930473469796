#include "cairn/approximation/biharmonic/local/patch.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cairn {

namespace {

constexpr double loose = 1e-6;  // largest ratio of weight inside to outside of a vertex that keeps its degree

}  // namespace

// The subgraph on the patch's vertices, and which of them have all their neighbors. Numbered by place. A vertex with
// almost no weight inside keeps its full degree, which holds it near 0: nothing else would. Values there are below the
// tolerance, or the patch grows.
struct Patch::Subgraph {
  Subgraph(const OperatorView& op, const Patch& patch) {
    starts.reserve(patch.vertices_.size() + 1);
    neighbors.reserve(3 * patch.vertices_.size());
    for (const std::int32_t v : patch.vertices_) {
      double degree = 0.0, inside = 0.0, outside = 0.0;
      bool whole = true;
      for (Index arc = op.starts[v]; arc < op.starts[v + 1]; ++arc) {
        const std::int32_t other = patch.place_of(op.neighbors[arc]);
        const double weight = op.weight(arc);
        if (other < 0) {
          whole = false;
          outside += std::abs(weight);
          continue;
        }
        neighbors.push_back(other);
        if (op.weights != nullptr) weights.push_back(weight);
        degree += weight;
        inside += std::abs(weight);
      }
      complete.push_back(whole ? 1 : 0);
      degrees.push_back(inside > loose * outside ? degree : op.degrees[v]);
      if (op.inverse_masses != nullptr) inverse_mass.push_back(op.inverse_masses[v]);
      starts.push_back(static_cast<Index>(neighbors.size()));
    }
  }
  [[nodiscard]] OperatorView view() const {
    OperatorView op;
    op.size = static_cast<Index>(degrees.size());
    op.starts = starts.data();
    op.neighbors = neighbors.data();
    op.weights = weights.empty() ? nullptr : weights.data();
    op.degrees = degrees.data();
    op.inverse_masses = inverse_mass.empty() ? nullptr : inverse_mass.data();
    return op;
  }

  std::vector<Index> starts{0};
  std::vector<std::int32_t> neighbors;
  std::vector<double> weights, degrees, inverse_mass;
  std::vector<char> complete;
};

Patch::Patch(const OperatorView& op, const LandmarkRegions& all, const std::vector<std::int32_t>& regions) : all_(all) {
  list_vertices(regions);
  const Subgraph graph(op, *this);
  number_nodes(graph, regions);
  link_nodes(graph);
  mark_edge(graph);
}

void Patch::list_vertices(const std::vector<std::int32_t>& regions) {
  first_.assign(all_.size(), -1);
  for (const std::int32_t region : regions) {
    first_[region] = static_cast<std::int32_t>(vertices_.size());
    const auto members = all_.members(region);
    vertices_.insert(vertices_.end(), members.begin(), members.end());
  }
  std::ranges::sort(vertices_);
  by_region_.resize(vertices_.size());
  for (std::size_t place = 0; place < vertices_.size(); ++place) {
    const std::int32_t v = vertices_[place];
    const std::int32_t at = first_[all_.of(v)] + all_.index(v);
    by_region_[at] = static_cast<std::int32_t>(place);
  }
}

std::int32_t Patch::place_of(std::int32_t vertex) const {
  const std::int32_t first = first_[all_.of(vertex)];
  return first < 0 ? -1 : by_region_[static_cast<std::size_t>(first) + static_cast<std::size_t>(all_.index(vertex))];
}

void Patch::number_nodes(const Subgraph& graph, const std::vector<std::int32_t>& regions) {
  std::vector<std::int32_t> unknowns, row_of(vertices_.size(), -1);
  unknowns.reserve(vertices_.size());
  for (std::size_t place = 0; place < vertices_.size(); ++place) {
    if (all_.is_landmark(vertices_[place])) continue;
    row_of[place] = static_cast<std::int32_t>(unknowns.size());
    unknowns.push_back(static_cast<std::int32_t>(place));
  }
  factor_ = factorize(principal_submatrix<int>(graph.view(), unknowns, row_of.data()));
  auto end = static_cast<std::int32_t>(unknowns.size());
  places_.resize(vertices_.size());
  nodes_.reserve(vertices_.size());
  for (std::size_t place = 0; place < vertices_.size(); ++place) {
    nodes_.push_back(row_of[place] < 0 ? end++ : factor_.place[row_of[place]]);
    places_[nodes_.back()] = static_cast<std::int32_t>(place);
  }
  region_nodes_.resize(vertices_.size());
  for (const std::int32_t region : regions) {
    const auto first = static_cast<std::size_t>(first_[region]);
    const std::size_t size = all_.members(region).size();
    std::size_t next = first;
    for (std::size_t at = first; at < first + size; ++at) {
      const auto place = static_cast<std::size_t>(by_region_[at]);
      region_nodes_[row_of[place] < 0 ? first + size - 1 : next++] = nodes_[place];
    }
  }
}

void Patch::link_nodes(const Subgraph& graph) {
  starts_.reserve(vertices_.size() + 1);
  neighbors_.reserve(graph.neighbors.size());
  starts_.assign(1, 0);
  for (const std::int32_t at : places_) {
    const auto place = static_cast<std::size_t>(at);
    for (auto arc = static_cast<std::size_t>(graph.starts[place]);
         arc < static_cast<std::size_t>(graph.starts[place + 1]); ++arc) {
      neighbors_.push_back(nodes_[graph.neighbors[arc]]);
      if (!graph.weights.empty()) weights_.push_back(graph.weights[arc]);
    }
    degrees_.push_back(graph.degrees[place]);
    if (!graph.inverse_mass.empty()) inverse_mass_.push_back(graph.inverse_mass[place]);
    starts_.push_back(static_cast<std::int32_t>(neighbors_.size()));
  }
}

void Patch::mark_edge(const Subgraph& graph) {
  const auto open = [&](std::int32_t node) { return graph.complete[places_[node]] == 0; };
  at_edge_.assign(unknowns(), 0);
  for (std::int32_t node = 0; node < unknowns(); ++node) {
    const bool edge = open(node) || std::ranges::any_of(neighbors_of(node), [&](std::int32_t other) {
                        return other >= unknowns() && open(other);
                      });
    if (!edge) continue;
    at_edge_[node] = 1;
    edge_.push_back(node);
  }
}

std::int32_t Patch::node_of_landmark(std::int32_t region) const {
  return region_nodes_[static_cast<std::size_t>(first_[region]) + all_.members(region).size() - 1];
}

std::span<const std::int32_t> Patch::nodes_of(std::int32_t region) const {
  return std::span(region_nodes_).subspan(first_[region], all_.members(region).size() - 1);
}

}  // namespace cairn
