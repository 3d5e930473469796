// Contraction hierarchies in files.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "cairn/similarity/shortest_paths/contraction_hierarchy.hpp"

namespace cairn {

/// A contraction hierarchy, or one rank's part of it, in the least numbers from which all else follows: vertices in
/// preorder of the elimination tree, so that their depths say which is whose parent, and arcs by the depth of their
/// head, which is one of the tail's ancestors.
struct StoredHierarchy {
  using Counts = std::variant<std::vector<std::uint16_t>, std::vector<std::int32_t>>;
  using Lengths = std::variant<std::vector<std::uint16_t>, std::vector<std::uint32_t>, std::vector<double>>;
  std::vector<std::int32_t> vertices;  ///< by place
  Counts depths;                       ///< ancestors of the vertex, by place
  Counts degrees;                      ///< arcs upward of the vertex, by place
  Counts heads;                        ///< by arc, those of a place one after another: depth of its head, descending
  Lengths lengths;                     ///< by arc
};

/// The hierarchy whose only part `stored` is. Nothing of it is trusted. Local.
/// @param refused  what is wrong, a part of a sentence; else left empty. What is returned is then of no use.
[[nodiscard]] ContractionHierarchy unpack(const StoredHierarchy& stored, std::string& refused);

/// Twice the largest length of a path from a root to a vertex below it: ContractionHierarchy::longest. Local.
[[nodiscard]] double longest_path_bound(const ContractionHierarchy& hierarchy);

/// Arcs upward of the hierarchy of a road network with so many vertices, and bytes that it takes in a file. Local.
[[nodiscard]] Index planned_hierarchy_arcs(Index vertices);
[[nodiscard]] Index planned_hierarchy_bytes(Index vertices, bool weighted);

}  // namespace cairn
