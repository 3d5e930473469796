// A part of the graph that is solved alone.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "approximation/node_set.hpp"
#include "approximation/operator_view.hpp"
#include "approximation/patch_factor.hpp"

namespace cairn {

/// A set of vertices that grows by breadth-first layers. No landmark is at its edge, where it would hide what is
/// beyond.
class Region {
 public:
  /// Whole layers around the seeds until they hold `reach` vertices, or no more can be reached. `op` and `landmark_at`
  /// (position of each vertex among the landmarks, or -1) outlive it.
  Region(const OperatorView& op, std::span<const std::int32_t> landmark_at, const std::vector<std::int32_t>& seeds,
         Index reach);
  /// Whole layers around `from`, through what is not inside yet, until `more` vertices have come in.
  void grow(const std::vector<std::int32_t>& from, Index more);
  [[nodiscard]] const std::vector<std::int32_t>& vertices() const { return vertices_; }

 private:
  const OperatorView& op_;
  std::span<const std::int32_t> landmark_at_;
  NodeSet inside_;
  std::vector<std::int32_t> vertices_;
};

/// A region with the graph within, as if there were nothing outside, and M_uu of that graph on its unknowns as a
/// factor. (Not the rows and columns of the whole M_uu: these hold the values at the edge down as a clamp does, however
/// large they are without it, and could not tell whether the region is large enough.) Nodes are numbered: unknowns as
/// the rows of L, then the landmarks that lie inside.
class Patch {
 public:
  /// @param landmark_at  position of each vertex among the landmarks, or -1
  /// @throws Error(numeric) where M_uu is not positive definite, Error(resource). Local, thread-safe. Memory: 4 bytes a
  /// vertex of the graph while it is made, and about 100 bytes a node and 12 bytes an entry of L.
  Patch(const OperatorView& op, std::span<const std::int32_t> landmark_at, std::vector<std::int32_t> vertices);

  [[nodiscard]] std::int32_t unknowns() const { return factor_.size(); }
  [[nodiscard]] std::int32_t nodes() const { return static_cast<std::int32_t>(starts_.size()) - 1; }
  [[nodiscard]] const PatchFactor& factor() const { return factor_; }
  /// The node of a vertex that lies inside.
  [[nodiscard]] std::int32_t node_of(std::int32_t vertex) const;
  /// Unknowns with neighbours outside of the patch; none where the patch is all that can be reached.
  [[nodiscard]] const std::vector<std::int32_t>& edge() const { return edge_; }
  /// By place, 0 .. nodes() - 1, the vertices ascend.
  [[nodiscard]] std::int32_t vertex_at(std::int32_t place) const { return vertices_[static_cast<std::size_t>(place)]; }
  [[nodiscard]] std::int32_t node_at(std::int32_t place) const { return nodes_[static_cast<std::size_t>(place)]; }
  [[nodiscard]] const std::vector<std::int32_t>& places() const { return places_; }  ///< of the nodes
  [[nodiscard]] std::int32_t vertex_of(std::int32_t node) const {
    return vertex_at(places_[static_cast<std::size_t>(node)]);
  }

  // The graph on the nodes: neighbours inside the patch.
  [[nodiscard]] const std::vector<std::int32_t>& starts() const { return starts_; }
  [[nodiscard]] const std::vector<std::int32_t>& neighbours() const { return neighbours_; }
  [[nodiscard]] std::span<const std::int32_t> neighbours_of(std::int32_t node) const {
    const auto a = static_cast<std::size_t>(node);
    return std::span(neighbours_)
        .subspan(static_cast<std::size_t>(starts_[a]), static_cast<std::size_t>(starts_[a + 1] - starts_[a]));
  }
  [[nodiscard]] const std::vector<double>& weights() const { return weights_; }            ///< empty: all 1
  [[nodiscard]] const std::vector<double>& degrees() const { return degrees_; }            ///< V_ii of the graph within
  [[nodiscard]] const std::vector<double>& inverse_mass() const { return inverse_mass_; }  ///< empty: all 1
  /// Whether all neighbours of a node are inside.
  [[nodiscard]] bool complete(std::int32_t node) const { return complete_[static_cast<std::size_t>(node)] != 0; }

 private:
  struct Subgraph;
  void number_nodes(const Subgraph& graph, std::span<const std::int32_t> landmark_at);
  void link_nodes(const Subgraph& graph);

  PatchFactor factor_;
  std::vector<std::int32_t> vertices_;  // of all nodes, ascending
  std::vector<std::int32_t> nodes_;     // of the vertices
  std::vector<std::int32_t> places_;    // of a node in vertices_
  std::vector<std::int32_t> edge_, starts_, neighbours_;
  std::vector<double> weights_, degrees_, inverse_mass_;
  std::vector<char> complete_;
};

/// Part of a patch around some of its nodes, that grows as a Region does. `patch` outlives it.
class Neighbourhood {
 public:
  Neighbourhood(const Patch& patch, std::span<const std::int32_t> nodes, Index reach);
  void grow(std::span<const std::int32_t> from, Index more);

  /// Unknowns that came in at the last growth.
  [[nodiscard]] const std::vector<std::int32_t>& added() const { return added_; }
  /// Unknowns with neighbours outside.
  [[nodiscard]] const std::vector<std::int32_t>& rim() const { return rim_; }
  [[nodiscard]] Index size() const { return size_; }
  /// All unknowns in the order of their vertices, and these.
  void list(std::vector<std::int32_t>& unknowns, std::vector<std::int32_t>& vertices) const;

 private:
  const Patch& patch_;
  NodeSet inside_, by_vertex_;
  Index size_ = 0;
  std::vector<std::int32_t> added_, rim_;
};

}  // namespace cairn
