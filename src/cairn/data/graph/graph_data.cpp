// Graphs as a kind of data.
#include "cairn/data/graph/graph_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/printable.hpp"
#include "cairn/data/data_kinds.hpp"
#include "cairn/data/data_parameters.hpp"
#include "cairn/data/digest.hpp"
#include "cairn/data/graph/level_separator.hpp"
#include "cairn/data/graph/pieces.hpp"
#include "cairn/data/graph/strong_components.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

GraphSource graph_source(const Values& values) {
  GraphSource source;
  source.keys = values.keys();
  source.path = values.text("path");
  source.generator = values.text("generate");
  source.format = values.text("format");
  source.columns = values.text("columns");
  source.names = values.text("names");
  source.largest_component = values.flag("largest-component");
  source.weighted = values.flag("weighted");
  source.directed = values.flag("directed");
  source.removed = values.number("removed");
  if (!source.generator.empty()) source.points = values.integer("points");
  source.seed = static_cast<std::uint64_t>(values.integer("seed"));
  return source;
}

ReadGraph read_graph(const Communicator& communicator, const Values& values) {
  FormatChoices choices;
  if (values.flag("zero-lengths")) choices.zeros = ZeroLengths::taken;
  if (values.given("measure"))
    choices.measure = values.text("measure") == "time" ? RoadMeasure::time : RoadMeasure::distance;
  if (values.given("contract")) choices.contract = values.flag("contract");
  ReadGraph read = read_graph(communicator, graph_source(values), choices);
  const std::vector<std::string> changes = notes_of(read.graph.report());
  read.notes.insert(read.notes.end(), changes.begin(), changes.end());
  return read;
}

std::vector<std::string> notes_of(const GraphReport& report) {
  std::vector<std::string> notes;
  if (!report.header.empty()) {
    notes.push_back(fmt::format("the first line, '{}', names columns: {}", printable(report.header), report.columns));
  } else if (!report.columns.empty()) {
    notes.push_back(report.columns);
  }
  if (!report.lone_first.empty()) {
    notes.push_back(
        fmt::format("the first line, '{}', is read as an edge, and no other edge has its names: if it names columns, "
                    "give {} = {}",
                    printable(report.lone_first), report.keys("columns"), "U,V[,LENGTH]"));
  }
  if (report.named) {
    notes.push_back(
        "vertices have names, which are their labels; rows are in the order in which the file has them first");
  }
  if (report.self_loops > 0) {
    notes.push_back(fmt::format("{} loops of the graph were dropped", grouped(report.self_loops)));
  }
  if (report.repeated_edges > 0) {
    notes.push_back(fmt::format("{} {} that came more than once{} were taken once", grouped(report.repeated_edges),
                                report.directed ? "arcs" : "edges", report.directed ? "" : ", in either direction,"));
  }
  const Index one_way = report.file_edges - report.both_ways;
  if (report.directed) {
    notes.push_back(fmt::format("{} of {} pairs of neighbors have an arc in one direction only", grouped(one_way),
                                grouped(report.file_edges)));
  } else if (report.both_ways > 0 && one_way > 0) {
    notes.push_back(
        fmt::format("{} of {} edges are in the file in one direction only; the graph is undirected, and all count "
                    "both ways ({} = true takes directions)",
                    grouped(one_way), grouped(report.file_edges), report.keys("directed")));
  }
  if (report.different_lengths > 0) {
    notes.push_back(fmt::format("{} {} had two different lengths; the shorter is taken",
                                grouped(report.different_lengths), report.directed ? "arcs" : "pairs of vertices"));
  }
  if (report.dropped_vertices > 0) {
    notes.push_back(fmt::format("{} vertices outside the largest of {} components were dropped",
                                grouped(report.dropped_vertices), grouped(report.components)));
  }
  return notes;
}

NumbersInFile numbers_of(const Communicator& communicator, const Graph& graph) {
  const GraphReport& report = graph.report();
  if (report.named) return {.names = graph.labels()};
  if (!report.renumbered) return {.first = report.first_id};
  return listed_numbers(communicator, graph.range(), report.original_ids);
}

namespace {

// Names of some vertices in the file; the list is the same on every rank. Collective.
std::vector<std::string> names_of(const Communicator& communicator, const Graph& graph, std::vector<Index> vertices) {
  const GraphReport& report = graph.report();
  std::vector<std::string> names;
  if (!report.named) {
    for (const Index number : vertices_in_file(communicator, graph.range(), report.renumbered, report.first_id,
                                               report.original_ids, std::move(vertices)))
      names.push_back(std::to_string(number));
    return names;
  }
  for (const Index vertex : vertices) {
    const bool own = graph.range().contains(vertex);
    names.push_back(own ? graph.labels()[vertex - graph.range().begin] : "");
    communicator.broadcast(names.back(), graph.partition().owner(vertex));
  }
  return names;
}

// @param numbering  phrase on the numbers of vertices in messages: "in the file"
void require_connected(const Communicator& communicator, const Graph& graph, const std::string& numbering,
                       const std::string& key) {
  const GraphReport& report = graph.report();
  if (report.components <= 1 || report.dropped_vertices > 0) return;
  Components components =
      graph.directed() ? strong_components(communicator, graph) : connected_components(communicator, graph);
  if (components.count <= 1) return;
  const Index count = components.count;
  const Index single = std::ranges::count(components.sizes, 1, [](const auto& one) { return one.second; });
  std::ranges::stable_sort(components.sizes, [](const auto& a, const auto& b) { return a.second > b.second; });
  components.sizes.resize(std::min(components.sizes.size(), most_named_pieces));
  std::vector<Index> first;
  for (const auto& [vertex, size] : components.sizes) first.push_back(vertex);
  const std::vector<std::string> names = names_of(communicator, graph, std::move(first));
  std::vector<Piece> pieces;
  for (std::size_t k = 0; k < names.size(); ++k) pieces.push_back({names[k], components.sizes[k].second});
  refuse_pieces("graph", count, single, std::move(pieces), numbering, key, "", graph.directed());
}

template <class T>
Data<T> read(const DataInput& input) {
  ReadGraph read = read_graph(input.execution.communicator, input.values);
  Data<T> data = data_of<T>(input.execution.communicator, std::move(read.graph),
                            input.values.given("generate") ? "of the grid, from 0" : "in the file",
                            input.values.keys()("largest-component"));
  data.notes = std::move(read.notes);
  return data;
}

std::vector<Parameter> parameters() {
  using namespace data_parameters;
  return {
      path("The file with the graph."),
      format(
          {"edges", "gr", "mtx", "cedge", "hdf5", "osm.pbf"},
          "edges (u v [length], as SNAP has it: integers between blanks, tabs or commas, or names if the first edge "
          "has "
          "them; perhaps a header), gr "
          "(DIMACS), mtx (MatrixMarket), cedge (id u v length), hdf5, or osm.pbf (roads for cars of an OpenStreetMap "
          "extract)."),
      {.name = "columns",
       .value = "U,V[,LENGTH]",
       .help = "edges: the columns that hold the ends of an edge and, if a third is given, its length: names of a "
               "header, or "
               "numbers from 1. Others are ignored. By default a line is u v [length]."},
      {.name = "names",
       .value = "WHEN",
       .type = ValueType::choice,
       .fallback = "auto",
       .help = "edges: whether vertices have names in place of numbers. auto: if the first edge has a name, or a "
               "number with "
               "leading zeros (0007), which false takes for a number.",
       .choices = {"auto", "true", "false"}},
      {.name = "measure",
       .value = "WHAT",
       .type = ValueType::choice,
       .fallback = "distance",
       .help =
           "osm.pbf: what lengths of edges are: distance, in decimeters, or time, in tenths of a second, by maxspeed "
           "or the kind of road. They are integers, for which path lengths are exact and fastest.",
       .choices = {"distance", "time"}},
      {.name = "contract",
       .value = "BOOL",
       .type = ValueType::flag,
       .fallback = "true",
       .help =
           "osm.pbf: nodes that only give a way its shape are no vertices, and the edge between two vertices has the "
           "length of all pieces between them. Otherwise all nodes of roads are vertices."},
      {.name = "weighted",
       .value = "BOOL",
       .type = ValueType::flag,
       .fallback = "true",
       .help = "Take the lengths of edges from the file, if it has any; otherwise every edge has length 1."},
      {.name = "directed",
       .value = "BOOL",
       .type = ValueType::flag,
       .fallback = "false",
       .help =
           "A line u v is an arc from u to v alone, as one-way streets have it; otherwise an edge counts both ways. "
           "A component is then one in which paths lead from every vertex to every other, and path lengths are "
           "no symmetric matrix."},
      {.name = "zero-lengths",
       .value = "BOOL",
       .type = ValueType::flag,
       .fallback = "false",
       .help = "Take edges of length 0 as they are: their ends are 0 apart. Otherwise they are an error."},
      largest_component("otherwise several pieces are an error."),
      generate({"grid"}, ": a grid of squares."),
      count("Number of vertices to generate: as many as the form allows, at most this."),
      {.name = "removed",
       .value = "NUMBER",
       .type = ValueType::number,
       .fallback = "0.2",
       .help = "grid: the share of edges that are removed at random. Unless it is 0 the grid falls into pieces as a "
               "rule, and needs largest-component = true.",
       .lowest = 0,
       .below = 1},
      seed(),
  };
}

}  // namespace

template <class T>
Data<T> data_of(const Communicator& communicator, Graph graph, const std::string& numbering, const std::string& key) {
  require_connected(communicator, graph, numbering, key);
  Data<T> data;
  data.digest = data_digest(communicator, graph);
  data.shared_graph = graph.share(communicator);
  data.numbers = numbers_of(communicator, graph);
  data.facts = facts_of(graph);
  data.notes = notes_of(graph.report());
  data.objects = std::make_unique<Graph>(std::move(graph));
  return data;
}

template Data<float> data_of(const Communicator&, Graph, const std::string&, const std::string&);
template Data<double> data_of(const Communicator&, Graph, const std::string&, const std::string&);

std::vector<DataFact> facts_of(const Graph& graph) {
  const GraphReport& report = graph.report();
  const auto plural = [](Index count, const char* one) {
    return fmt::format("{} {}{}", grouped(count), one, count == 1 ? "" : "s");
  };
  const std::string component = graph.directed() ? "strong component" : "component";
  std::vector<DataFact> facts = {
      {"graph",
       fmt::format("{} {}, {}, {}", grouped(graph.size()), graph.size() == 1 ? "vertex" : "vertices",
                   plural(report.edges, graph.directed() ? "arc" : "edge"),
                   report.dropped_vertices > 0
                       ? fmt::format("the largest of {} {}", grouped(report.components), component + "s")
                       : plural(report.components, component.c_str())),
       "vertices", graph.size()},
      {"", "", "edges", report.edges},
      {"", "", "components", report.components},
      {"", "", "directed", graph.directed()},
      {"lengths of edges",
       graph.weighted() ? fmt::format("{:.6g} to {:.6g}", report.shortest, report.longest) : "none, each counts 1",
       "has_lengths", graph.weighted()},
      {"", "", "repeated_edges", report.repeated_edges},
      {"", "", "different_lengths", report.different_lengths}};
  if (!graph.weighted()) return facts;
  facts.push_back({"", "", "shortest", report.shortest});
  facts.push_back({"", "", "longest", report.longest});
  return facts;
}

std::vector<std::string> notes_of_separators(const Communicator& communicator, const SharedGraph& graph) {
  constexpr double high_degree = 8.0, small_share = 0.2;
  const auto n = static_cast<double>(graph.vertices());
  const double degree = static_cast<double>(graph.arcs()) / n;
  if (degree <= high_degree) return {};
  Index separator = 0;
  collectively(communicator, [&] {
    if (communicator.is_root()) separator = level_separator(graph);
  });
  communicator.broadcast(std::span(&separator, 1), 0);
  if (static_cast<double>(separator) <= small_share * n) return {};
  return {fmt::format(
      "the graph has a mean degree of {:.3g} and no small separators, as social, e-mail and citation graphs "
      "do: values are not smooth over its neighborhoods, and a method that takes entries of K, as nystrom "
      "or sicur, is likely to do better",
      degree)};
}

const DataKind& graph_data() {
  static const DataKind kind = {
      .name = "graph",
      .summary = "The vertices of a graph, whose edges may have lengths and directions.",
      .subject = "graph is",
      .objects = objects::graph_vertices,
      .parameters = parameters(),
      .operators = {"graph"},
      .of_files = {"path", "format", "columns", "names", "directed", "measure", "contract", "zero-lengths"},
      .of_generators = {"points", "seed", "removed"},
      .of_places = {"path", "format", "generate", "points", "seed"},
      .check = [](const Values& values) { static_cast<void>(graph_source(values)); },
      .read_single = read<float>,
      .read_double = read<double>,
  };
  return kind;
}

}  // namespace cairn
