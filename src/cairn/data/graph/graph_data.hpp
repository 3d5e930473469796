// What is reported of graphs.
#pragma once

#include <string>
#include <vector>

#include "cairn/data/data_kind.hpp"
#include "cairn/data/graph/graph.hpp"

namespace cairn {

/// Where the values of graph_data() say that a graph comes from. Local.
[[nodiscard]] GraphSource graph_source(const Values& values);

/// The graph that the values of graph_data() say. @throws as read_graph of its source. Collective.
[[nodiscard]] Graph read_graph(const Communicator& communicator, const Values& values);

/// The numbers of its vertices in the file. Collective.
[[nodiscard]] NumbersInFile numbers_of(const Communicator& communicator, const Graph& graph);

/// What reading a graph changed, in sentences. Local.
[[nodiscard]] std::vector<std::string> notes_of(const GraphReport& report);

/// Sizes of a graph, the lengths of its edges, and what was repeated in the file. Local.
[[nodiscard]] std::vector<DataFact> facts_of(const Graph& graph);

/// A sentence if a graph has a high mean degree and no small separators, which biharmonic interpolation is not made
/// for. Collective.
[[nodiscard]] std::vector<std::string> notes_of_separators(const Communicator& communicator, const SharedGraph& graph);

}  // namespace cairn
