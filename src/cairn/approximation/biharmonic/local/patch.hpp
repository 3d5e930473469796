// A part of the graph that is solved alone.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/approximation/biharmonic/landmark_regions.hpp"
#include "cairn/approximation/biharmonic/local/patch_factor.hpp"
#include "cairn/approximation/biharmonic/operator_view.hpp"

namespace cairn {

/// Some regions of landmarks with the graph within, as if there were nothing outside, and M_uu of that graph on its
/// unknowns as a factor. (Not the rows and columns of the whole M_uu: these hold the values at the edge down as a clamp
/// does, however large they are without it, and could not tell whether the patch is large enough.) Nodes are numbered:
/// unknowns as the rows of L, then the landmarks.
class Patch {
 public:
  /// @param regions  in any order
  /// @throws Error(numeric) if M_uu is not positive definite, Error(resource). Local, thread-safe. Memory: 4 bytes a
  /// landmark of the graph, about 110 bytes a node and 12 bytes an entry of L.
  Patch(const OperatorView& op, const LandmarkRegions& all, const std::vector<std::int32_t>& regions);

  [[nodiscard]] std::int32_t unknowns() const { return factor_.size(); }
  [[nodiscard]] std::int32_t nodes() const { return static_cast<std::int32_t>(starts_.size()) - 1; }
  [[nodiscard]] const PatchFactor& factor() const { return factor_; }
  /// Unknowns with neighbours outside of the patch, or whose neighbour, a landmark, has some; none if the patch is
  /// all that can be reached.
  [[nodiscard]] const std::vector<std::int32_t>& edge() const { return edge_; }
  [[nodiscard]] bool at_edge(std::int32_t node) const { return at_edge_[static_cast<std::size_t>(node)] != 0; }

  [[nodiscard]] bool holds(std::int32_t region) const { return first_[static_cast<std::size_t>(region)] >= 0; }
  [[nodiscard]] std::int32_t node_of_landmark(std::int32_t region) const;
  /// Unknowns of a region that is held, in the order of their vertices.
  [[nodiscard]] std::span<const std::int32_t> nodes_of(std::int32_t region) const;

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

 private:
  struct Subgraph;
  void list_vertices(const std::vector<std::int32_t>& regions);
  [[nodiscard]] std::int32_t place_of(std::int32_t vertex) const;
  void number_nodes(const Subgraph& graph, const std::vector<std::int32_t>& regions);
  void link_nodes(const Subgraph& graph);
  void mark_edge(const Subgraph& graph);

  const LandmarkRegions& all_;
  PatchFactor factor_;
  std::vector<std::int32_t> first_;         // of a region of the graph: where its vertices begin below, or -1
  std::vector<std::int32_t> by_region_;     // places, the vertices of each region together
  std::vector<std::int32_t> region_nodes_;  // the same as nodes, a region's landmark last
  std::vector<std::int32_t> vertices_;      // of all nodes, ascending
  std::vector<std::int32_t> nodes_;         // of the vertices
  std::vector<std::int32_t> places_;        // of a node in vertices_
  std::vector<std::int32_t> edge_, starts_, neighbours_;
  std::vector<double> weights_, degrees_, inverse_mass_;
  std::vector<char> at_edge_;
};

}  // namespace cairn
