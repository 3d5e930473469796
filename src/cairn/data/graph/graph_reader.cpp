#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/mpi/collective_reading.hpp"
#include "cairn/data/graph/edge_list_head.hpp"
#include "cairn/data/graph/graph.hpp"
#include "cairn/data/graph/graph_assembly.hpp"
#include "cairn/data/graph/graph_formats.hpp"
#include "cairn/data/graph/graph_generator.hpp"
#include "cairn/data/graph/graph_hdf5.hpp"
#include "cairn/data/graph/vertex_names.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

namespace {

// What one rank has read, and what of it was counted over all ranks. Ends are numbers in the file.
struct ReadEdges {
  EdgeList list;
  Index lines = 0;
  Index loops = 0;                     // not in the list
  std::string header, columns;         // that names columns; which of them are taken
  std::string first_line;              // with names of vertices, if there is no header
  std::unique_ptr<VertexNames> names;  // if the file has no numbers
  std::optional<Index> vertices;       // where the file tells it; else smallest and largest do
  Index smallest = std::numeric_limits<Index>::max();
  Index largest = -1;
};

constexpr Index few_vertices = Index{1} << 16;  // memory for them is taken whatever the file's size is

// The counts of the header agree with the lines, and are such that memory can be taken for them.
void check_counts(const std::string& path, const EdgeLayout& layout, Index lines) {
  constexpr Index most_a_line = 64;  // nearly all of them without an edge
  if (layout.edges && *layout.edges != lines) {
    throw Error(ErrorKind::input,
                fmt::format("{}: its header counts {} edges, but there are {}", path, *layout.edges, lines));
  }
  if (layout.vertices && *layout.vertices > std::max(few_vertices, most_a_line * lines)) {
    throw Error(ErrorKind::input, fmt::format("{}: its header counts {} vertices, but {} edges reach {} at most", path,
                                              *layout.vertices, lines, 2 * lines));
  }
}

// What was taken for a header is none if vertices have its names, unless columns are chosen by them. Collective.
void require_header(const Communicator& communicator, const GraphSource& source, const EdgeLayout& layout,
                    const NamesOfLines& names) {
  if (layout.header.empty() || !source.columns.empty()) return;
  for (const std::string& name : header_names(layout)) {
    if (communicator.maximum(Index{names.has(name)}) == 0) continue;
    throw Error(ErrorKind::input, fmt::format("{}: the first line, '{}', may be a header or an edge: other lines have "
                                              "the vertex '{}', too. Put a header in front, as from,to",
                                              source.path, layout.header, name));
  }
}

// The lines once more, to name the first whose length is refused, and how many there are. Collective.
void refuse_lengths(const Communicator& communicator, const TextBlocks& text, const EdgeLayout& layout,
                    const GraphSource& source, Index count) {
  EdgeParser parser(layout, source.weighted, communicator.is_root(), count);
  Edge edge;
  text.for_each_line(
      communicator, [&](std::string_view line, Index) { static_cast<void>(parser.parse(line, edge)); },
      [](Index, Index) {});
  throw Error(ErrorKind::input, fmt::format("{}: changed while it was read", text.path()));
}

// This rank's lines.
ReadEdges parse_edges(const Communicator& communicator, const TextBlocks& text, const EdgeLayout& layout,
                      const GraphSource& source) {
  ReadEdges read;
  read.list.weighted = source.weighted && layout.lengths;
  EdgeParser parser(layout, source.weighted, communicator.is_root());  // block 0 is rank 0's
  NamesOfLines names;
  text.for_each_line(
      communicator,
      [&](std::string_view line, Index) {
        Edge edge;
        if (!parser.parse(line, edge)) return;
        ++read.lines;
        if (layout.named) {
          edge.u = names.number(edge.u_name);
          edge.v = names.number(edge.v_name);
        }
        read.smallest = std::min({read.smallest, edge.u, edge.v});
        read.largest = std::max({read.largest, edge.u, edge.v});
        if (edge.u == edge.v) {
          ++read.loops;
          return;
        }
        read.list.ends.push_back(edge.u);
        read.list.ends.push_back(edge.v);
        if (read.list.weighted) read.list.lengths.push_back(edge.length);
      },
      [&](Index block, Index) {
        names.end_block(block);
        if (!parser.header_is_next()) return;
        throw Error(ErrorKind::input,
                    text.path() + ": its header is behind 1 MiB of comments; it is looked for before that");
      });
  if (const Index refused = communicator.sum(parser.refused_lengths()); refused > 0) {
    refuse_lengths(communicator, text, layout, source, refused);
  }
  if (layout.named) {
    require_header(communicator, source, layout, names);
    read.names = std::make_unique<VertexNames>(communicator, names);
    for (Index& end : read.list.ends) end = read.names->numbers()[static_cast<std::size_t>(end)];
  }
  return read;
}

ReadEdges read_text_edges(const Communicator& communicator, const GraphSource& source, EdgeLayout::Format format,
                          ZeroLengths zeros) {
  const auto text = collectively(communicator, [&] { return TextBlocks(source.path); });
  EdgeLayout layout =
      read_collectively(communicator, source.path, [&] { return find_edge_layout(text, format, source); });
  layout.zero_lengths = zeros;
  ReadEdges read = parse_edges(communicator, text, layout, source);
  read.lines = communicator.sum(read.lines);
  read.loops = communicator.sum(read.loops);
  if (format == EdgeLayout::Format::edges && read.lines == 0) {
    throw Error(ErrorKind::input, source.path + ": has no edges below its header");
  }
  read.vertices = layout.named ? read.names->count() : layout.vertices;
  if (format == EdgeLayout::Format::edges) {
    read.header = layout.header;
    read.columns = columns_text(layout);
    if (layout.named && !layout.has_header) read.first_line = layout.first_line;
  }
  read.smallest = layout.named ? 0 : layout.vertices ? 1 : communicator.minimum(read.smallest);
  read.largest = communicator.maximum(read.largest);
  check_counts(source.path, layout, read.lines);
  return read;
}

ReadEdges read_hdf5_edges(const Communicator& communicator, const GraphSource& source, ZeroLengths allowed) {
  Hdf5Graph part = read_collectively(communicator, source.path, [&] {
    return read_hdf5_graph(source.path, communicator.rank(), communicator.size(), source.weighted, source.keys);
  });
  if (const Index zeros = communicator.sum(part.zeros); zeros > 0 && allowed == ZeroLengths::refused) {
    const Index first = communicator.minimum(part.zeros > 0 ? part.first_zero : std::numeric_limits<Index>::max());
    throw Error(
        ErrorKind::input,
        fmt::format("{}: data set 'lengths': entry {} is 0{}; lengths are positive unless {} = true takes those "
                    "of 0 as they are ({} = false passes over all)",
                    source.path, first, zeros > 1 ? fmt::format(" (the first of {})", grouped(zeros)) : "",
                    source.keys("zero-lengths"), source.keys("weighted")));
  }
  ReadEdges read;
  read.lines = communicator.sum(part.arcs);
  read.loops = read.lines - communicator.sum(static_cast<Index>(part.edges.ends.size()) / 2);
  read.list = std::move(part.edges);
  read.vertices = part.vertices;
  read.smallest = 0;
  return read;
}

// Less than half of the numbers can be in use, for want of edges: known before memory is taken for them.
Graph assemble_sparse(const Communicator& communicator, EdgeList edges) {
  std::vector<Index> originals = compact_ends(communicator, edges);
  const Index vertices = communicator.sum(static_cast<Index>(originals.size()));
  Graph graph = assemble_graph(communicator, vertices, std::move(edges));
  GraphReport report = graph.report();
  report.renumbered = true;
  report.original_ids = std::move(originals);
  graph.set_report(std::move(report));
  return graph;
}

// The vertices with edges, renumbered, where they are less than half.
Graph without_gaps(const Communicator& communicator, Graph graph) {
  std::vector<bool> used(graph.starts().size() - 1);
  for (std::size_t v = 0; v < used.size(); ++v) used[v] = graph.starts()[v + 1] > graph.starts()[v];
  const Index in_use = communicator.sum(static_cast<Index>(std::count(used.begin(), used.end(), true)));
  if (2 * in_use >= graph.size()) return graph;
  Graph compact = keep_vertices(communicator, graph, used);
  GraphReport report = compact.report();
  report.dropped_vertices = 0;  // numbers without edges, not vertices
  compact.set_report(std::move(report));
  return compact;
}

// Numbers of the file become 0, 1, ...; the graph on them.
// @throws Error(input) if loops alone span more numbers than memory is taken for
Graph number_and_assemble(const Communicator& communicator, const std::string& path, ReadEdges read) {
  const Index span = read.vertices ? *read.vertices : read.largest - read.smallest + 1;
  const Index edges = read.lines - read.loops;
  if (!read.vertices && edges == 0 && span > few_vertices) {
    throw Error(ErrorKind::input,
                fmt::format("{}: has only loops, of vertices from {} to {}", path, read.smallest, read.largest));
  }
  const bool may_be_sparse = !read.vertices && edges > 0;
  if (may_be_sparse && span > 4 * edges) return assemble_sparse(communicator, std::move(read.list));
  for (Index& end : read.list.ends) end -= read.smallest;
  Graph graph = assemble_graph(communicator, span, std::move(read.list));
  GraphReport report = graph.report();
  report.first_id = read.smallest;
  graph.set_report(std::move(report));
  return may_be_sparse ? without_gaps(communicator, std::move(graph)) : std::move(graph);
}

// Whether the ends of the first edge of a list of names, vertices 0 and 1, have no other edge, and others do.
bool first_edge_is_alone(const Communicator& communicator, const Graph& graph) {
  bool alone = false;
  if (communicator.is_root() && !graph.report().renumbered && graph.size() > 2 && graph.range().size() > 1) {
    alone = graph.starts()[1] == 1 && graph.starts()[2] == 2 && graph.neighbours()[0] == 1;
  }
  return communicator.maximum(Index{alone}) != 0;
}

// The graph, and the names of its vertices if the file has them.
std::pair<Graph, std::unique_ptr<VertexNames>> read_file(const Communicator& communicator, const GraphSource& source,
                                                         ZeroLengths zeros) {
  const auto format = collectively(communicator, [&] { return edge_format(source); });
  ReadEdges read = format == EdgeLayout::Format::hdf5 ? read_hdf5_edges(communicator, source, zeros)
                                                      : read_text_edges(communicator, source, format, zeros);
  const Index loops = read.loops;
  const std::string header = read.header, columns = read.columns, first_line = read.first_line;
  std::unique_ptr<VertexNames> names = std::move(read.names);
  Graph graph = number_and_assemble(communicator, source.path, std::move(read));
  GraphReport report = graph.report();
  report.self_loops = loops;
  report.header = header;
  report.columns = columns;
  if (!first_line.empty() && first_edge_is_alone(communicator, graph)) report.lone_first = first_line;
  graph.set_report(std::move(report));
  return {std::move(graph), std::move(names)};
}

// Vertices get their names for labels; what numbers they had among all names is of no use. Collective.
void label(const Communicator& communicator, const VertexNames& names, Graph& graph) {
  GraphReport report = graph.report();
  const std::vector<Index> numbers = report.renumbered ? std::move(report.original_ids) : numbers_of(graph.range());
  graph.set_labels(names.names_of(communicator, numbers));
  report.named = true;
  report.renumbered = false;
  report.original_ids.clear();
  report.first_id = 0;
  graph.set_report(std::move(report));
}

// The largest component; of several, that with the smallest vertex.
Graph largest_component(const Communicator& communicator, const Graph& graph, const Components& components) {
  const auto largest = std::max_element(components.sizes.begin(), components.sizes.end(),
                                        [](const auto& a, const auto& b) { return a.second < b.second; });
  std::vector<bool> keeps(components.of_own.size());
  for (std::size_t v = 0; v < keeps.size(); ++v) keeps[v] = components.of_own[v] == largest->first;
  return keep_vertices(communicator, graph, keeps);
}

// Counts the edges and finds their range of lengths, over all ranks.
void measure_edges(const Communicator& communicator, Graph& graph) {
  GraphReport report = graph.report();
  report.edges = communicator.sum(static_cast<Index>(graph.neighbours().size())) / 2;
  if (communicator.maximum(Index{graph.weighted()}) != 0 && report.edges > 0) {
    double shortest = std::numeric_limits<double>::infinity(), longest = 0;
    for (const double length : graph.lengths()) {
      shortest = std::min(shortest, length);
      longest = std::max(longest, length);
    }
    report.shortest = communicator.minimum(shortest);
    report.longest = communicator.maximum(longest);
  }
  graph.set_report(std::move(report));
}

}  // namespace

Graph read_graph(const Communicator& communicator, const GraphSource& source) {
  return read_graph(communicator, source, ZeroLengths::refused);
}

Graph read_graph(const Communicator& communicator, const GraphSource& source, ZeroLengths zeros) {
  if (source.path.empty() == source.generator.empty()) {
    throw Error(ErrorKind::usage,
                fmt::format("a graph comes from one of {} and {}", source.keys("path"), source.keys("generate")));
  }
  auto [graph, names] = source.generator.empty()
                            ? read_file(communicator, source, zeros)
                            : std::pair(generate_graph(communicator, source), std::unique_ptr<VertexNames>());
  const Components components = connected_components(communicator, graph);
  GraphReport report = graph.report();
  report.components = components.count;
  report.keys = source.keys;
  graph.set_report(std::move(report));
  if (source.largest_component && components.count > 1) graph = largest_component(communicator, graph, components);
  if (names) label(communicator, *names, graph);
  measure_edges(communicator, graph);
  return graph;
}

}  // namespace cairn
