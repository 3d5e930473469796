#include "approximation/patch.hpp"

#include <algorithm>

#include "approximation/node_set.hpp"

namespace cairn {

namespace {

// The vertices within whole breadth-first layers around each group of seeds.
std::vector<std::int32_t> grow(const OperatorView& op, const std::vector<std::vector<std::int32_t>>& seeds,
                               const std::vector<Index>& reach) {
  NodeSet inside(op.size);
  std::vector<std::int32_t> seen(static_cast<std::size_t>(op.size), -1), queue;
  for (std::size_t g = 0; g < seeds.size(); ++g) {
    queue.clear();
    const auto visit = [&](std::int32_t v) {
      if (seen[static_cast<std::size_t>(v)] == static_cast<std::int32_t>(g)) return;
      seen[static_cast<std::size_t>(v)] = static_cast<std::int32_t>(g);
      inside.insert(v);
      queue.push_back(v);
    };
    for (const std::int32_t v : seeds[g]) visit(v);
    for (std::size_t head = 0; head < queue.size() && static_cast<Index>(queue.size()) < reach[g];) {
      for (const std::size_t layer = queue.size(); head < layer; ++head) {
        const Index v = queue[head];
        for (Index arc = op.starts[v]; arc < op.starts[v + 1]; ++arc) visit(op.neighbours[arc]);
      }
    }
  }
  return inside.ascending();
}

}  // namespace

Patch::Patch(const OperatorView& op, std::span<const std::int32_t> landmark_at,
             const std::vector<std::vector<std::int32_t>>& seeds, const std::vector<Index>& reach)
    : vertices_(grow(op, seeds, reach)) {
  std::vector<std::int32_t> node_at(static_cast<std::size_t>(op.size), -1);
  number_nodes(op, landmark_at, node_at);
  link_nodes(op, node_at);
}

void Patch::number_nodes(const OperatorView& op, std::span<const std::int32_t> landmark_at,
                         std::vector<std::int32_t>& node_at) {
  std::vector<std::int32_t> unknowns;
  for (const std::int32_t v : vertices_) {
    if (landmark_at[static_cast<std::size_t>(v)] >= 0) continue;
    node_at[static_cast<std::size_t>(v)] = static_cast<std::int32_t>(unknowns.size());
    unknowns.push_back(v);
  }
  factor_ = factorize(principal_submatrix<int>(op, unknowns, node_at.data()));
  auto end = static_cast<std::int32_t>(unknowns.size());
  places_.resize(vertices_.size());
  nodes_.reserve(vertices_.size());
  for (std::size_t place = 0; place < vertices_.size(); ++place) {
    std::int32_t& node = node_at[static_cast<std::size_t>(vertices_[place])];
    node = node < 0 ? end++ : factor_.place[static_cast<std::size_t>(node)];
    nodes_.push_back(node);
    places_[static_cast<std::size_t>(node)] = static_cast<std::int32_t>(place);
  }
}

void Patch::link_nodes(const OperatorView& op, const std::vector<std::int32_t>& node_at) {
  starts_.assign(1, 0);
  complete_.assign(vertices_.size(), 1);
  for (std::size_t a = 0; a < vertices_.size(); ++a) {
    const Index v = vertices_[static_cast<std::size_t>(places_[a])];
    for (Index arc = op.starts[v]; arc < op.starts[v + 1]; ++arc) {
      const std::int32_t other = node_at[static_cast<std::size_t>(op.neighbours[arc])];
      if (other < 0) {
        complete_[a] = 0;
        continue;
      }
      neighbours_.push_back(other);
      if (op.weights != nullptr) weights_.push_back(op.weights[arc]);
    }
    degrees_.push_back(op.degrees[v]);
    if (op.inverse_masses != nullptr) inverse_mass_.push_back(op.inverse_masses[v]);
    starts_.push_back(static_cast<std::int32_t>(neighbours_.size()));
    if (complete_[a] == 0 && static_cast<std::int32_t>(a) < unknowns()) edge_.push_back(static_cast<std::int32_t>(a));
  }
}

std::int32_t Patch::node_of(std::int32_t vertex) const {
  return nodes_[static_cast<std::size_t>(std::ranges::lower_bound(vertices_, vertex) - vertices_.begin())];
}

Neighbourhood Patch::around(std::span<const std::int32_t> nodes, Index reach) const {
  NodeSet inside(this->nodes()), inside_by_vertex(this->nodes());
  std::vector<std::int32_t> queue;
  const auto visit = [&](std::int32_t node) {
    if (inside.contains(node)) return;
    inside.insert(node);
    inside_by_vertex.insert(places_[static_cast<std::size_t>(node)]);
    queue.push_back(node);
  };
  for (const std::int32_t node : nodes) visit(node);
  std::size_t layer = 0, head = 0;
  while (head < queue.size() && static_cast<Index>(queue.size()) < reach) {
    for (layer = queue.size(); head < layer; ++head) {
      const auto a = static_cast<std::size_t>(queue[head]);
      for (std::int32_t arc = starts_[a]; arc < starts_[a + 1]; ++arc) {
        visit(neighbours_[static_cast<std::size_t>(arc)]);
      }
    }
  }
  Neighbourhood result;
  for (const std::int32_t place : inside_by_vertex.ascending()) {
    const std::int32_t node = nodes_[static_cast<std::size_t>(place)];
    if (node >= unknowns()) continue;
    result.unknowns.push_back(node);
    result.vertices.push_back(vertices_[static_cast<std::size_t>(place)]);
  }
  for (std::size_t k = 0; k < queue.size(); ++k) {
    // Of the layers before the last one only those next to the patch's outside can have neighbours elsewhere.
    const std::int32_t node = queue[k];
    if (node >= unknowns()) continue;
    const auto begin = neighbours_.begin() + starts_[static_cast<std::size_t>(node)];
    const auto end = neighbours_.begin() + starts_[static_cast<std::size_t>(node) + 1];
    const bool last = k >= head && std::any_of(begin, end, [&](std::int32_t b) { return !inside.contains(b); });
    if (last || !complete(node)) result.rim.push_back(node);
  }
  return result;
}

}  // namespace cairn
