#include "approximation/patch.hpp"

#include <algorithm>

#include "approximation/node_set.hpp"

namespace cairn {

namespace {

// Breadth-first layers around the nodes in `queue`, until `enough()` at the end of one; then through landmarks, so that
// none is at the end. add(node): whether it is new.  @return nodes of the queue before which all were gone on from
template <class NeighboursOf, class Add, class Enough, class IsLandmark>
std::size_t spread(std::vector<std::int32_t>& queue, NeighboursOf neighbours_of, Add add, Enough enough,
                   IsLandmark is_landmark) {
  const auto go_on = [&](std::int32_t node) {
    for (const std::int32_t other : neighbours_of(node)) {
      if (add(other)) queue.push_back(other);
    }
  };
  std::size_t head = 0;
  while (head < queue.size() && !enough()) {
    for (const std::size_t layer = queue.size(); head < layer; ++head) go_on(queue[head]);
  }
  for (std::size_t at = head; at < queue.size(); ++at) {
    if (is_landmark(queue[at])) go_on(queue[at]);
  }
  return head;
}

}  // namespace

Region::Region(const OperatorView& op, std::span<const std::int32_t> landmark_at,
               const std::vector<std::int32_t>& seeds, Index reach)
    : op_(op), landmark_at_(landmark_at), inside_(op.size) {
  grow(seeds, reach);
}

void Region::grow(const std::vector<std::int32_t>& from, Index more) {
  const auto add = [&](std::int32_t vertex) {
    if (inside_.contains(vertex)) return false;
    inside_.insert(vertex);
    vertices_.push_back(vertex);
    return true;
  };
  std::vector<std::int32_t> queue = from;
  for (const std::int32_t v : from) add(v);
  const std::size_t enough = vertices_.size() + static_cast<std::size_t>(more);
  spread(
      queue,
      [&](std::int32_t v) {
        return std::span(op_.neighbours + op_.starts[v], static_cast<std::size_t>(op_.starts[v + 1] - op_.starts[v]));
      },
      add, [&] { return vertices_.size() >= enough; },
      [&](std::int32_t v) { return landmark_at_[static_cast<std::size_t>(v)] >= 0; });
}

// The graph on some vertices alone, and those of them that have lost neighbours. Numbered as the vertices are listed.
struct Patch::Subgraph {
  Subgraph(const OperatorView& op, const std::vector<std::int32_t>& vertices) : complete(vertices.size(), 1) {
    std::vector<std::int32_t> place_of(static_cast<std::size_t>(op.size), -1);
    for (std::size_t place = 0; place < vertices.size(); ++place) {
      place_of[static_cast<std::size_t>(vertices[place])] = static_cast<std::int32_t>(place);
    }
    for (std::size_t place = 0; place < vertices.size(); ++place) {
      const Index v = vertices[place];
      double degree = 0.0;
      for (Index arc = op.starts[v]; arc < op.starts[v + 1]; ++arc) {
        const std::int32_t other = place_of[static_cast<std::size_t>(op.neighbours[arc])];
        if (other < 0) {
          complete[place] = 0;
          continue;
        }
        neighbours.push_back(other);
        if (op.weights != nullptr) weights.push_back(op.weights[arc]);
        degree += op.weight(arc);
      }
      degrees.push_back(degree);
      if (op.inverse_masses != nullptr) inverse_mass.push_back(op.inverse_masses[v]);
      starts.push_back(static_cast<Index>(neighbours.size()));
    }
  }
  [[nodiscard]] OperatorView view() const {
    OperatorView op;
    op.size = static_cast<Index>(degrees.size());
    op.starts = starts.data();
    op.neighbours = neighbours.data();
    op.weights = weights.empty() ? nullptr : weights.data();
    op.degrees = degrees.data();
    op.inverse_masses = inverse_mass.empty() ? nullptr : inverse_mass.data();
    return op;
  }

  std::vector<Index> starts{0};
  std::vector<std::int32_t> neighbours;
  std::vector<double> weights, degrees, inverse_mass;
  std::vector<char> complete;
};

Patch::Patch(const OperatorView& op, std::span<const std::int32_t> landmark_at, std::vector<std::int32_t> vertices)
    : vertices_(std::move(vertices)) {
  std::ranges::sort(vertices_);
  const Subgraph graph(op, vertices_);
  number_nodes(graph, landmark_at);
  link_nodes(graph);
}

void Patch::number_nodes(const Subgraph& graph, std::span<const std::int32_t> landmark_at) {
  std::vector<std::int32_t> unknowns, row_of(vertices_.size(), -1);
  for (std::size_t place = 0; place < vertices_.size(); ++place) {
    if (landmark_at[static_cast<std::size_t>(vertices_[place])] >= 0) continue;
    row_of[place] = static_cast<std::int32_t>(unknowns.size());
    unknowns.push_back(static_cast<std::int32_t>(place));
  }
  factor_ = factorize(principal_submatrix<int>(graph.view(), unknowns, row_of.data()));
  auto end = static_cast<std::int32_t>(unknowns.size());
  places_.resize(vertices_.size());
  nodes_.reserve(vertices_.size());
  for (std::size_t place = 0; place < vertices_.size(); ++place) {
    nodes_.push_back(row_of[place] < 0 ? end++ : factor_.place[static_cast<std::size_t>(row_of[place])]);
    places_[static_cast<std::size_t>(nodes_.back())] = static_cast<std::int32_t>(place);
  }
}

void Patch::link_nodes(const Subgraph& graph) {
  starts_.assign(1, 0);
  for (std::size_t a = 0; a < vertices_.size(); ++a) {
    const auto place = static_cast<std::size_t>(places_[a]);
    for (auto arc = static_cast<std::size_t>(graph.starts[place]);
         arc < static_cast<std::size_t>(graph.starts[place + 1]); ++arc) {
      neighbours_.push_back(nodes_[static_cast<std::size_t>(graph.neighbours[arc])]);
      if (!graph.weights.empty()) weights_.push_back(graph.weights[arc]);
    }
    degrees_.push_back(graph.degrees[place]);
    if (!graph.inverse_mass.empty()) inverse_mass_.push_back(graph.inverse_mass[place]);
    starts_.push_back(static_cast<std::int32_t>(neighbours_.size()));
    complete_.push_back(graph.complete[place]);
    if (complete_[a] == 0 && static_cast<std::int32_t>(a) < unknowns()) edge_.push_back(static_cast<std::int32_t>(a));
  }
}

std::int32_t Patch::node_of(std::int32_t vertex) const {
  return nodes_[static_cast<std::size_t>(std::ranges::lower_bound(vertices_, vertex) - vertices_.begin())];
}

Neighbourhood::Neighbourhood(const Patch& patch, std::span<const std::int32_t> nodes, Index reach)
    : patch_(patch), inside_(patch.nodes()), by_vertex_(patch.nodes()) {
  grow(nodes, reach);
}

void Neighbourhood::grow(std::span<const std::int32_t> from, Index more) {
  added_.clear();
  const auto add = [&](std::int32_t node) {
    if (inside_.contains(node)) return false;
    inside_.insert(node);
    by_vertex_.insert(patch_.places()[static_cast<std::size_t>(node)]);
    ++size_;
    if (node < patch_.unknowns()) added_.push_back(node);
    return true;
  };
  std::vector<std::int32_t> queue(from.begin(), from.end());
  for (const std::int32_t node : from) add(node);
  const Index enough = size_ + more;
  const std::size_t head = spread(
      queue, [&](std::int32_t node) { return patch_.neighbours_of(node); }, add, [&] { return size_ >= enough; },
      [&](std::int32_t node) { return node >= patch_.unknowns(); });
  // Only nodes that were not gone on from, and those at the patch's edge, can have neighbours outside.
  std::vector<std::int32_t> candidates = std::move(rim_);
  candidates.insert(candidates.end(), queue.begin() + static_cast<std::ptrdiff_t>(head), queue.end());
  for (std::size_t k = 0; k < head; ++k) {
    if (!patch_.complete(queue[k])) candidates.push_back(queue[k]);
  }
  rim_.clear();
  for (const std::int32_t node : candidates) {
    if (node >= patch_.unknowns()) continue;
    const auto others = patch_.neighbours_of(node);
    const bool inner = std::ranges::all_of(others, [&](std::int32_t other) { return inside_.contains(other); });
    if (!inner || !patch_.complete(node)) rim_.push_back(node);
  }
}

void Neighbourhood::list(std::vector<std::int32_t>& unknowns, std::vector<std::int32_t>& vertices) const {
  unknowns.clear();
  vertices.clear();
  for (const std::int32_t place : by_vertex_.ascending()) {
    const std::int32_t node = patch_.node_at(place);
    if (node >= patch_.unknowns()) continue;
    unknowns.push_back(node);
    vertices.push_back(patch_.vertex_at(place));
  }
}

}  // namespace cairn
