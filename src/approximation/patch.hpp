// A part of the graph that is solved alone.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "approximation/operator_view.hpp"
#include "approximation/patch_factor.hpp"

namespace cairn {

/// Part of a patch around some of its nodes, by breadth-first layers.
struct Neighbourhood {
  std::vector<std::int32_t> unknowns;  ///< rows of L, in the order of their vertices
  std::vector<std::int32_t> vertices;  ///< theirs, ascending
  std::vector<std::int32_t> rim;       ///< unknowns next to vertices outside of it
};

/// A union of neighbourhoods of landmarks: the graph within, and M_uu on its unknowns as a factor (zero is assumed
/// outside). Nodes are numbered: unknowns as the rows of L, then the landmarks that lie inside.
class Patch {
 public:
  /// @param landmark_at  position of each vertex among the landmarks, or -1
  /// @param seeds        groups of vertices; around each the patch takes whole breadth-first layers until they hold
  ///                     `reach` vertices for each group
  /// @throws Error(numeric) where M_uu is not positive definite, Error(resource). Local, thread-safe. Memory: 8 bytes a
  /// vertex of the graph while it is made, and about 100 bytes a node and 12 bytes an entry of L.
  Patch(const OperatorView& op, std::span<const std::int32_t> landmark_at,
        const std::vector<std::vector<std::int32_t>>& seeds, const std::vector<Index>& reach);

  [[nodiscard]] std::int32_t unknowns() const { return factor_.size(); }
  [[nodiscard]] std::int32_t nodes() const { return static_cast<std::int32_t>(starts_.size()) - 1; }
  [[nodiscard]] const PatchFactor& factor() const { return factor_; }
  /// The node of a vertex that lies inside.
  [[nodiscard]] std::int32_t node_of(std::int32_t vertex) const;
  /// Unknowns with neighbours outside of the patch; none where the patch is all that can be reached.
  [[nodiscard]] const std::vector<std::int32_t>& edge() const { return edge_; }
  /// Whole layers around `nodes`, within the patch, until they hold `reach` nodes, or no more can be reached.
  [[nodiscard]] Neighbourhood around(std::span<const std::int32_t> nodes, Index reach) const;

  // The graph on the nodes: neighbours inside the patch.
  [[nodiscard]] const std::vector<std::int32_t>& starts() const { return starts_; }
  [[nodiscard]] const std::vector<std::int32_t>& neighbours() const { return neighbours_; }
  [[nodiscard]] const std::vector<double>& weights() const { return weights_; }  ///< empty: all 1
  [[nodiscard]] const std::vector<double>& degrees() const { return degrees_; }  ///< V_ii, outside neighbours included
  [[nodiscard]] const std::vector<double>& inverse_mass() const { return inverse_mass_; }  ///< empty: all 1
  /// Whether all neighbours of a node are inside.
  [[nodiscard]] bool complete(std::int32_t node) const { return complete_[static_cast<std::size_t>(node)] != 0; }

 private:
  void number_nodes(const OperatorView& op, std::span<const std::int32_t> landmark_at,
                    std::vector<std::int32_t>& node_at);
  void link_nodes(const OperatorView& op, const std::vector<std::int32_t>& node_at);

  PatchFactor factor_;
  std::vector<std::int32_t> vertices_;  // of all nodes, ascending
  std::vector<std::int32_t> nodes_;     // of the vertices
  std::vector<std::int32_t> places_;    // of a node in vertices_
  std::vector<std::int32_t> edge_, starts_, neighbours_;
  std::vector<double> weights_, degrees_, inverse_mass_;
  std::vector<char> complete_;
};

}  // namespace cairn
