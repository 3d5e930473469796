// Graphs as data, with facts and notes.
#pragma once

#include <string>
#include <vector>

#include "cairn/data/data_kind.hpp"
#include "cairn/data/graph/graph_choices.hpp"

namespace cairn {

/// The source of a graph, from the values of graph_data(). Local.
[[nodiscard]] GraphSource graph_source(const Values& values);

/// Reads the graph that the values of graph_data() specify; the notes include notes_of() its report. @throws as
/// read_graph of its source. Collective.
[[nodiscard]] ReadGraph read_graph(const Communicator& communicator, const Values& values);

/// The vertices of a graph as objects, with facts and notes.
/// @param numbering  phrase on the numbers of vertices in messages: "in the file" @param key  parameter that keeps only
/// the largest component
/// @throws Error(input) if the graph is not connected. Collective.
template <class T>
[[nodiscard]] Data<T> data_of(const Communicator& communicator, Graph graph, const std::string& numbering,
                              const std::string& key);

/// The numbers of the graph's vertices in the file. Collective.
[[nodiscard]] NumbersInFile numbers_of(const Communicator& communicator, const Graph& graph);

/// Sentences on what reading a graph changed. Local.
[[nodiscard]] std::vector<std::string> notes_of(const GraphReport& report);

/// Sizes of a graph, its edge weights, and repetitions in the file. Local.
[[nodiscard]] std::vector<DataFact> facts_of(const Graph& graph);

/// A sentence if a graph has a high mean degree and no small separators: biharmonic interpolation is not designed for
/// it. Collective.
[[nodiscard]] std::vector<std::string> notes_of_separators(const Communicator& communicator, const SharedGraph& graph);

}  // namespace cairn
