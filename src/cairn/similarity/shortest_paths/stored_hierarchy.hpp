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

/// A completion with the lengths of edges, in the same form: `lengths` are those of `edges` alone.
struct StoredCompletion {
  std::vector<std::int32_t> vertices;  ///< as in StoredHierarchy, and the next three
  std::vector<std::int32_t> depths, degrees, heads;
  std::vector<Index> edges;     ///< arcs that are edges, ascending
  std::vector<double> lengths;  ///< of these; of a directed graph from the tail to the head, infinity: no arc
  std::vector<double> back;     ///< of a directed graph from the head to the tail; else empty
};

/// The completion that is stored, with lengths by arc. Nothing in it is trusted. Local.
/// @param refused  the defect, a part of a sentence; the result is then unusable. Else left empty.
[[nodiscard]] ChordalCompletion unpack(const StoredCompletion& stored, bool directed, std::vector<double>& up,
                                       std::vector<double>& down, std::string& refused);

/// Upward arcs of the hierarchy of a road network with that many vertices, and its bytes in a file. Local.
[[nodiscard]] Index planned_hierarchy_arcs(Index vertices);
[[nodiscard]] Index planned_hierarchy_bytes(Index vertices, bool weighted);

}  // namespace cairn
