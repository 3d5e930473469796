// Assignment of vertices to their nearest landmarks.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/mpi/node_array.hpp"
#include "cairn/operator/operator_view.hpp"

namespace cairn {

/// For every vertex the position of its nearest landmark, counted in edges (among equal ones the one that a
/// breadth-first search from all landmarks at once, in their order, meets first). O(n + arcs). Local. Memory: 8 bytes
/// per vertex.
/// @throws Error(numeric) if a component contains no landmark: names its smallest vertex and its size, and ends with
/// the advice
[[nodiscard]] std::vector<std::int32_t> nearest_landmarks(const OperatorView& op, const std::vector<Index>& landmarks,
                                                          const std::string& advice = "take more landmarks");

/// The graph cut into the regions of its landmarks, and the adjacency of regions, stored once per node. A region is the
/// natural unit of distance here: the decay of a column of P from one region to the next depends neither on the shape
/// of the graph nor on the density of landmarks.
class LandmarkRegions {
 public:
  /// @throws as nearest_landmarks. Collective. Memory: 12 bytes per vertex on a node, about 100 bytes per landmark; 8
  /// bytes per vertex more during construction.
  LandmarkRegions(const Communicator& communicator, const OperatorView& op, const std::vector<Index>& landmarks);

  [[nodiscard]] Index size() const { return starts_.size() - 1; }
  [[nodiscard]] Index vertices() const { return members_.size(); }
  [[nodiscard]] std::int32_t of(std::int32_t vertex) const { return region_of_[vertex]; }
  [[nodiscard]] std::int32_t landmark(std::int32_t region) const { return landmark_of_[region]; }  ///< its vertex
  [[nodiscard]] bool is_landmark(std::int32_t vertex) const { return landmark(of(vertex)) == vertex; }
  /// Vertices of a region, ascending.
  [[nodiscard]] std::span<const std::int32_t> members(std::int32_t region) const {
    return part(members_, starts_, region);
  }
  /// The position of a vertex among the members of its region.
  [[nodiscard]] std::int32_t index(std::int32_t vertex) const { return index_[vertex]; }
  /// Adjacent regions, ascending, and the number of shared edges.
  [[nodiscard]] std::span<const std::int32_t> touching(std::int32_t region) const {
    return part(touching_, touching_starts_, region);
  }
  [[nodiscard]] std::span<const std::int32_t> crossings(std::int32_t region) const {
    return part(crossings_, touching_starts_, region);
  }

 private:
  static std::span<const std::int32_t> part(const NodeArray<std::int32_t>& values, const NodeArray<Index>& starts,
                                            std::int32_t k) {
    return values.values().subspan(starts[k], starts[k + 1] - starts[k]);
  }
  void fill_members(const std::vector<std::int32_t>& nearest);

  NodeArray<std::int32_t> region_of_, index_, members_, landmark_of_, touching_, crossings_;
  NodeArray<Index> starts_, touching_starts_;
};

/// A set of regions, listed in the order of insertion.
class RegionSet {
 public:
  explicit RegionSet(const LandmarkRegions& regions)
      : regions_(regions), inside_(static_cast<std::size_t>(regions.size()), 0) {}

  [[nodiscard]] const std::vector<std::int32_t>& list() const { return list_; }
  [[nodiscard]] bool contains(std::int32_t region) const { return inside_[region] != 0; }
  [[nodiscard]] Index vertices() const { return vertices_; }
  /// @return whether it is new
  bool insert(std::int32_t region);
  /// Adds the regions adjacent to those from position `first` of the list on.  @return the position of the first new
  /// one
  std::size_t add_ring(std::size_t first);
  /// Adds rings around the regions from position `first` of the list on, until there are at least `rings` rings and
  /// `vertices` vertices in total, or no more can be reached.
  void spread(std::size_t first, Index rings, Index vertices);
  /// O(number of members).
  void clear();

 private:
  const LandmarkRegions& regions_;
  std::vector<char> inside_;
  std::vector<std::int32_t> list_;
  Index vertices_ = 0;
};

}  // namespace cairn
