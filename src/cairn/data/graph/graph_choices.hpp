// Choices that some formats of graphs have, and what is said of how they were read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cairn/data/graph/graph.hpp"
#include "cairn/data/graph/osm_roads.hpp"

namespace cairn {

/// Edges of weight 0 are an error, or accepted.
enum class ZeroLengths { refused, taken };

struct FormatChoices {
  ZeroLengths zeros = ZeroLengths::refused;
  std::optional<RoadMeasure> measure{};  ///< osm.pbf: what lengths are; nothing: distance
  std::optional<bool> contract{};  ///< osm.pbf: nodes that only give a way its shape are no vertices; nothing: true
};

/// A graph, and sentences on how its format was read.
struct ReadGraph {
  Graph graph;
  std::vector<std::string> notes{};
};

/// read_graph with such choices. @throws also Error(usage) for one that the format does not have. Collective.
[[nodiscard]] ReadGraph read_graph(const Communicator& communicator, const GraphSource& source,
                                   const FormatChoices& choices);

}  // namespace cairn
