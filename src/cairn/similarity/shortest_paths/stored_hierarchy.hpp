// Contraction hierarchies in files.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "cairn/similarity/shortest_paths/contraction_hierarchy.hpp"

namespace cairn {

/// A contraction hierarchy, or one rank's part of it, in the least numbers that determine it: vertices in preorder of
/// the elimination tree with their depths, which determine the parents, and arcs by the depth of their head, which is
/// an ancestor of the tail.
struct StoredHierarchy {
  using Counts = std::variant<std::vector<std::uint16_t>, std::vector<std::int32_t>>;
  using Lengths = std::variant<std::vector<std::uint16_t>, std::vector<std::uint32_t>, std::vector<double>>;
  std::vector<std::int32_t> vertices;  ///< by place
  Counts depths;                       ///< number of ancestors of the vertex, by place
  Counts degrees;                      ///< number of upward arcs of the vertex, by place
  Counts heads;                        ///< depth of the head, by arc, those of a place one after another; descending
  Lengths lengths;                     ///< by arc
};

/// The hierarchy whose only part is `stored`. Nothing in it is trusted. Local.
/// @param refused  the defect, a part of a sentence; the result is then unusable. Else left empty.
[[nodiscard]] ContractionHierarchy unpack(const StoredHierarchy& stored, std::string& refused);

/// Twice the largest length of a path from a root to a vertex below it: ContractionHierarchy::longest. Local.
[[nodiscard]] double longest_path_bound(const ContractionHierarchy& hierarchy);

/// Upward arcs of the hierarchy of a road network with that many vertices, and its bytes in a file. Local.
[[nodiscard]] Index planned_hierarchy_arcs(Index vertices);
[[nodiscard]] Index planned_hierarchy_bytes(Index vertices, bool weighted);

}  // namespace cairn
