// A part of the graph that is solved separately.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/approximation/biharmonic/landmark_regions.hpp"
#include "cairn/approximation/biharmonic/local/patch_factor.hpp"
#include "cairn/operator/operator_view.hpp"

namespace cairn {

/// Some regions of landmarks with the subgraph on them, as if nothing were outside, and the factor of M_uu of that
/// subgraph on its unknowns. (Not the rows and columns of the whole M_uu: these clamp the values at the edge to small
/// ones, however large they are otherwise, and could not show whether the patch is large enough.) Nodes are numbered:
/// unknowns as the rows of L, then the landmarks.
class Patch {
 public:
  /// @param regions  in any order
  /// @throws Error(numeric) if M_uu is not positive definite, Error(resource). Local, thread-safe. Memory: 4 bytes per
  /// landmark of the graph, about 110 bytes per node and 12 bytes per entry of L.
  Patch(const OperatorView& op, const LandmarkRegions& all, const std::vector<std::int32_t>& regions);

  [[nodiscard]] std::int32_t unknowns() const { return factor_.size(); }
  [[nodiscard]] std::int32_t nodes() const { return static_cast<std::int32_t>(starts_.size()) - 1; }
  [[nodiscard]] const PatchFactor& factor() const { return factor_; }
  /// Unknowns with neighbors outside the patch, or adjacent to a landmark that has some; empty if the patch contains
  /// all reachable vertices.
  [[nodiscard]] const std::vector<std::int32_t>& edge() const { return edge_; }
  [[nodiscard]] bool at_edge(std::int32_t node) const { return at_edge_[node] != 0; }

  [[nodiscard]] bool holds(std::int32_t region) const { return first_[region] >= 0; }
  [[nodiscard]] std::int32_t node_of_landmark(std::int32_t region) const;
  /// Unknowns of a region of the patch, in the order of their vertices.
  [[nodiscard]] std::span<const std::int32_t> nodes_of(std::int32_t region) const;

  /// For places 0 .. nodes() - 1 the vertices ascend.
  [[nodiscard]] std::int32_t vertex_at(std::int32_t place) const { return vertices_[place]; }
  [[nodiscard]] std::int32_t node_at(std::int32_t place) const { return nodes_[place]; }
  [[nodiscard]] const std::vector<std::int32_t>& places() const { return places_; }  ///< of the nodes
  [[nodiscard]] std::int32_t vertex_of(std::int32_t node) const { return vertex_at(places_[node]); }

  // The graph on the nodes: neighbors inside the patch.
  [[nodiscard]] const std::vector<std::int32_t>& starts() const { return starts_; }
  [[nodiscard]] const std::vector<std::int32_t>& neighbors() const { return neighbors_; }
  [[nodiscard]] std::span<const std::int32_t> neighbors_of(std::int32_t node) const {
    const auto a = static_cast<std::size_t>(node);
    return std::span(neighbors_).subspan(starts_[a], starts_[a + 1] - starts_[a]);
  }
  [[nodiscard]] const std::vector<double>& weights() const { return weights_; }            ///< empty: all 1
  [[nodiscard]] const std::vector<double>& degrees() const { return degrees_; }            ///< V_ii of the subgraph
  [[nodiscard]] const std::vector<double>& inverse_mass() const { return inverse_mass_; }  ///< empty: all 1

 private:
  struct Subgraph;
  void list_vertices(const std::vector<std::int32_t>& regions);
  [[nodiscard]] std::int32_t place_of(std::int32_t vertex) const;
  void number_nodes(const Subgraph& graph, const std::vector<std::int32_t>& regions);
  void link_nodes(const Subgraph& graph);
  void mark_edge(const Subgraph& graph);

  const LandmarkRegions& all_;
  PatchFactor factor_;
  std::vector<std::int32_t> first_;         // by region of the graph: start of its vertices in the next array, or -1
  std::vector<std::int32_t> by_region_;     // places, grouped by region
  std::vector<std::int32_t> region_nodes_;  // the same as nodes, a region's landmark last
  std::vector<std::int32_t> vertices_;      // of all nodes, ascending
  std::vector<std::int32_t> nodes_;         // of the vertices
  std::vector<std::int32_t> places_;        // of a node in vertices_
  std::vector<std::int32_t> edge_, starts_, neighbors_;
  std::vector<double> weights_, degrees_, inverse_mass_;
  std::vector<char> at_edge_;
};

}  // namespace cairn
