#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/mpi/collective_reading.hpp"
#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/random.hpp"
#include "cairn/data/graph/edge_list_head.hpp"
#include "cairn/data/graph/graph.hpp"
#include "cairn/data/graph/graph_assembly.hpp"
#include "cairn/data/graph/graph_formats.hpp"
#include "cairn/data/graph/osm_roads.hpp"
#include "cairn/data/graph/strong_components.hpp"
#include "cairn/data/graph/vertex_names.hpp"
#include "cairn/data/io/byte_stream.hpp"
#include "cairn/data/io/hdf5_numbers.hpp"
#include "cairn/data/io/hdf5_open.hpp"
#include "cairn/parameters/key_names.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

namespace {

// Graphs in HDF5.

// One rank's rows of a graph in compressed rows.
struct Hdf5Graph {
  Index vertices = 0;     ///< vertices of the whole graph
  Index arcs = 0;         ///< arcs of these rows, including loops
  EdgeList edges;         ///< the arcs without loops
  Index zeros = 0;        ///< weights of 0 in these rows, including loops
  Index first_zero = -1;  ///< position of the first of them in /lengths
};

using hdf5::Handle;
using hdf5::NumberList;

// Reads the starts of the own rows, which ascend and lie within the arcs.
std::vector<Index> read_starts(const NumberList& set, Range own, Index vertices, Index arcs) {
  std::vector<Index> starts = set.read<Index>({own.begin, own.end + 1});
  for (std::size_t k = 0; k < starts.size(); ++k) {
    const Index at = own.begin + static_cast<Index>(k);
    if (starts[k] < 0 || starts[k] > arcs || (k > 0 && starts[k] < starts[k - 1])) {
      set.fail(
          fmt::format("entry {} is {}; they must ascend from 0 to the number of neighbors, {}", at, starts[k], arcs));
    }
    if ((at == 0 && starts[k] != 0) || (at == vertices && starts[k] != arcs)) {
      set.fail(fmt::format("entry {} is {}; the first must be 0, the last the number of neighbors, {}", at, starts[k],
                           arcs));
    }
  }
  return starts;
}

void check_lengths(const NumberList& set, const std::vector<double>& lengths, Index first, const KeyNames& keys,
                   Hdf5Graph& graph) {
  for (std::size_t k = 0; k < lengths.size(); ++k) {
    if (lengths[k] > 0.0 && std::isfinite(lengths[k])) continue;
    if (lengths[k] == 0.0) {
      if (graph.zeros++ == 0) graph.first_zero = first + static_cast<Index>(k);
      continue;
    }
    set.fail(fmt::format("entry {} is {}; lengths must be positive and finite ({} = false ignores them)",
                         first + static_cast<Index>(k), lengths[k], keys("weighted")));
  }
}

// Reads the rows of `rank` in a RowPartition from /starts (n + 1 integers, from 0, ascending), /neighbours (integers 0
// to n - 1) and, if it exists and `weighted`, /lengths (one per neighbor). The file has one or both arcs of an edge.
// @param keys  name of `weighted` @throws Error(input) with the data set and the position in it. Local. Memory: 24
// bytes per arc of these rows, 32 with weights.
Hdf5Graph read_hdf5_graph(const std::string& path, int rank, int ranks, bool weighted, const KeyNames& keys) {
  (void)file_size(path);
  hdf5::keep_quiet();
  const Handle file = hdf5::open_to_read(path);
  if (!file) {
    throw Error(ErrorKind::input, fmt::format("{}: is no readable HDF5 file: {}", path, hdf5::failure_reason()));
  }
  const NumberList starts_set(path, file.id(), "starts", true);
  const NumberList neighbors_set(path, file.id(), "neighbours", true);
  if (starts_set.size() < 2) starts_set.fail("must have one entry more than there are vertices, two at least");
  Hdf5Graph graph;
  graph.vertices = starts_set.size() - 1;
  graph.edges.weighted = weighted && H5Lexists(file.id(), "lengths", H5P_DEFAULT) > 0;
  const Range own = RowPartition(graph.vertices, ranks).range(rank);
  const std::vector<Index> starts = read_starts(starts_set, own, graph.vertices, neighbors_set.size());
  const Range arcs{starts.front(), starts.back()};
  const std::vector<Index> neighbors = neighbors_set.read<Index>(arcs);
  std::vector<double> lengths;
  if (graph.edges.weighted) {
    const NumberList lengths_set(path, file.id(), "lengths", false);
    if (lengths_set.size() != neighbors_set.size()) lengths_set.fail("must have one entry a neighbor");
    lengths = lengths_set.read<double>(arcs);
    check_lengths(lengths_set, lengths, arcs.begin, keys, graph);
  }
  graph.arcs = arcs.size();
  for (Index v = own.begin; v < own.end; ++v) {
    const auto row = static_cast<std::size_t>(v - own.begin);
    for (Index k = starts[row] - arcs.begin; k < starts[row + 1] - arcs.begin; ++k) {
      const auto at = static_cast<std::size_t>(k);
      const Index u = neighbors[at];
      if (u < 0 || u >= graph.vertices) {
        neighbors_set.fail(
            fmt::format("entry {} is vertex {}, outside 0 to {}", arcs.begin + k, u, graph.vertices - 1));
      }
      if (u == v) continue;
      graph.edges.ends.insert(graph.edges.ends.end(), {v, u});
      if (graph.edges.weighted) graph.edges.lengths.push_back(lengths[at]);
    }
  }
  return graph;
}

// Generated graphs, so that everything runs without data.

// An edge is identified by its smaller vertex and its direction.
enum Direction : std::uint64_t { right = 0, down = 1 };

class Grid {
 public:
  Grid(Index side, double removed, std::uint64_t seed)
      : side_(side), removed_(removed), random_(seed, Stream::generator) {}

  // Neighbors in ascending order: above, left, right, below.
  void append_neighbors(Index v, std::vector<Index>& neighbors) const {
    const Index column = v % side_;
    if (v >= side_ && stays(v - side_, down)) neighbors.push_back(v - side_);
    if (column > 0 && stays(v - 1, right)) neighbors.push_back(v - 1);
    if (column + 1 < side_ && stays(v, right)) neighbors.push_back(v + 1);
    if (v + side_ < side_ * side_ && stays(v, down)) neighbors.push_back(v + side_);
  }

 private:
  [[nodiscard]] bool stays(Index v, Direction direction) const {
    return removed_ == 0.0 || random_.uniform(static_cast<std::uint64_t>(v), direction) >= removed_;
  }
  Index side_;
  double removed_;
  Random random_;
};

Index square_side(Index points) {
  auto side = static_cast<Index>(std::sqrt(static_cast<double>(points)));
  while (side * side > points) --side;
  while ((side + 1) * (side + 1) <= points) ++side;
  return side;
}

void check(const GraphSource& source) {
  if (source.generator != "grid") {
    throw Error(ErrorKind::usage, fmt::format("{}: '{}' is not known for a graph; there is grid",
                                              source.keys("generate"), source.generator));
  }
  constexpr Index most = Index{1} << 60;  // beyond all memory, and squares still fit
  if (source.points < 1 || source.points > most) {
    throw Error(ErrorKind::usage, fmt::format("{} must be 1 to 2^60, not {}", source.keys("points"), source.points));
  }
  if (!(source.removed >= 0.0 && source.removed < 1.0)) {
    throw Error(ErrorKind::usage, fmt::format("{} must be in [0, 1), not {}", source.keys("removed"), source.removed));
  }
}

// grid: side x side vertices, side = floor(sqrt(points)), row by row, each connected to its neighbors to the left and
// right, above and below; each edge is removed with the probability `removed`, independently, so that the graph may be
// disconnected. The choice of removed edges is a function of (seed, edge) alone. No weights.
// @throws Error(usage) for another kind, points < 1, removed outside [0, 1). Collective.
Graph generate_graph(const Communicator& communicator, const GraphSource& source) {
  return collectively(communicator, [&] {
    check(source);
    const Index side = square_side(source.points);
    const RowPartition partition(side * side, communicator.size());
    const Range own = partition.range(communicator.rank());
    const Grid grid(side, source.removed, source.seed);
    std::vector<Index> starts{0};
    std::vector<Index> neighbors;
    starts.reserve(static_cast<std::size_t>(own.size()) + 1);
    for (Index v = own.begin; v < own.end; ++v) {
      grid.append_neighbors(v, neighbors);
      starts.push_back(static_cast<Index>(neighbors.size()));
    }
    return Graph(partition, communicator.rank(), std::move(starts), std::move(neighbors), {});
  });
}

// Edges that one rank has read, and counts over all ranks. Ends are numbers in the file.
struct ReadEdges {
  EdgeList list;
  Index lines = 0;
  Index loops = 0;                     // not in the list
  std::string header, columns;         // line with names of columns; columns that are used
  std::string first_line;              // first line with names of vertices, if there is no header
  std::unique_ptr<VertexNames> names;  // if the file has no numbers
  std::optional<Index> vertices;       // if the file states it; else from smallest and largest
  bool only_used = false;              // numbers without an edge are no vertices
  Index reversed = 0;                  // edges in the list that are the way back of another, not repetitions
  std::vector<std::string> notes;
  Index smallest = std::numeric_limits<Index>::max();
  Index largest = -1;
};

constexpr Index few_vertices = Index{1} << 16;  // allocated for any file size

// Requires that the counts in the header match the lines and are small enough for allocation.
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

// Rejects a presumed header whose names are also vertices, unless columns are chosen by them. Collective.
void require_header(const Communicator& communicator, const GraphSource& source, const EdgeLayout& layout,
                    const NamesOfLines& names) {
  if (layout.header.empty() || !source.columns.empty()) return;
  for (const std::string& name : header_names(layout)) {
    if (communicator.maximum(Index{names.has(name)}) == 0) continue;
    throw Error(ErrorKind::input, fmt::format("{}: the first line, '{}', may be a header or an edge: other lines also "
                                              "contain the vertex '{}'. Add a header line at the top, such as from,to",
                                              source.path, layout.header, name));
  }
}

// Reads the lines again to report the first refused weight, and the number of such lines. Collective.
void refuse_lengths(const Communicator& communicator, const TextBlocks& text, const EdgeLayout& layout,
                    const GraphSource& source, Index count) {
  EdgeParser parser(layout, source.weighted, communicator.is_root(), count);
  Edge edge;
  text.for_each_line(
      communicator, [&](std::string_view line, Index) { static_cast<void>(parser.parse(line, edge)); },
      [](Index, Index) {});
  throw Error(ErrorKind::input, fmt::format("{}: changed while it was read", text.path()));
}

// Parses this rank's lines.
ReadEdges parse_edges(const Communicator& communicator, const TextBlocks& text, const EdgeLayout& layout,
                      const GraphSource& source) {
  ReadEdges read;
  read.list.weighted = source.weighted && layout.lengths;
  read.list.directed = source.directed;
  const bool both = source.directed && layout.symmetric;
  EdgeParser parser(layout, source.weighted, communicator.is_root());  // rank 0 has block 0
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
        if (!both) return;
        read.list.ends.push_back(edge.v);
        read.list.ends.push_back(edge.u);
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
    for (Index& end : read.list.ends) end = read.names->numbers()[end];
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
    throw Error(ErrorKind::input,
                fmt::format("{}: data set 'lengths': entry {} is 0{}; lengths must be positive; {} = true accepts "
                            "those of 0 ({} = false ignores all)",
                            source.path, first, zeros > 1 ? fmt::format(" (the first of {})", grouped(zeros)) : "",
                            source.keys("zero-lengths"), source.keys("weighted")));
  }
  ReadEdges read;
  read.lines = communicator.sum(part.arcs);
  read.loops = read.lines - communicator.sum(static_cast<Index>(part.edges.ends.size()) / 2);
  read.list = std::move(part.edges);
  read.list.directed = source.directed;
  read.vertices = part.vertices;
  read.smallest = 0;
  return read;
}

// Roads of an extract; the ends are ids of nodes. A road that leads both ways is two edges.
ReadEdges read_osm_edges(const Communicator& communicator, const GraphSource& source, const FormatChoices& choices) {
  const RoadChoice choice{.measure = choices.measure.value_or(RoadMeasure::distance),
                          .contract = choices.contract.value_or(true)};
  const OsmRoads roads = read_osm_roads(communicator, source.path, choice);
  ReadEdges read;
  read.only_used = true;
  read.notes = notes_of(roads, choice, source.weighted, source.keys);
  read.list.weighted = source.weighted;
  read.list.directed = source.directed;
  Index loops = 0;
  collectively(communicator, [&] {
    const auto add = [&](Index from, Index to, double length) {
      read.list.ends.insert(read.list.ends.end(), {from, to});
      if (source.weighted) read.list.lengths.push_back(length);
    };
    for (const RoadArc& arc : roads.arcs) {
      if (arc.from == arc.to) {
        ++loops;
        continue;
      }
      add(arc.from, arc.to, arc.length);
      if (!arc.both) continue;
      add(arc.to, arc.from, arc.length);
      if (!source.directed) ++read.reversed;
    }
  });
  read.loops = communicator.sum(loops);
  read.lines = read.loops + communicator.sum(std::ssize(read.list.ends)) / 2;
  read.reversed = communicator.sum(read.reversed);
  if (read.lines == read.loops) {
    throw Error(ErrorKind::input, source.path + ": no road for cars has two nodes whose places are in the file");
  }
  return read;
}

// Assembles a graph with so few edges that less than half of the numbers can be used: known before memory is allocated
// for all numbers.
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

// The graph on the vertices with edges, renumbered, if they are less than half.
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

// Renumbers the vertices of the file from 0 and assembles the graph.
// @throws Error(input) if loops alone span more numbers than are allocated for
Graph number_and_assemble(const Communicator& communicator, const std::string& path, ReadEdges read) {
  const Index span = read.vertices ? *read.vertices : read.largest - read.smallest + 1;
  const Index edges = read.lines - read.loops;
  if (!read.vertices && edges == 0 && span > few_vertices) {
    throw Error(ErrorKind::input,
                fmt::format("{}: has only loops, of vertices from {} to {}", path, read.smallest, read.largest));
  }
  const bool may_be_sparse = !read.vertices && edges > 0;
  if (may_be_sparse && (read.only_used || span > 4 * edges)) return assemble_sparse(communicator, std::move(read.list));
  for (Index& end : read.list.ends) end -= read.smallest;
  Graph graph = assemble_graph(communicator, span, std::move(read.list));
  GraphReport report = graph.report();
  report.first_id = read.smallest;
  graph.set_report(std::move(report));
  return may_be_sparse ? without_gaps(communicator, std::move(graph)) : std::move(graph);
}

// True if the ends of the first edge of a list of names, vertices 0 and 1, have no other edge, and others do.
bool first_edge_is_alone(const Communicator& communicator, const Graph& graph) {
  bool alone = false;
  if (communicator.is_root() && !graph.report().renumbered && graph.size() > 2 && graph.range().size() > 1) {
    alone = graph.starts()[1] == 1 && graph.starts()[2] == 2 && graph.neighbors()[0] == 1;
  }
  return communicator.maximum(Index{alone}) != 0;
}

// A file as a graph, the names of its vertices if it has them, and notes on its format.
struct ReadFile {
  Graph graph;
  std::unique_ptr<VertexNames> names{};
  std::vector<std::string> notes{};
};

ReadFile read_file(const Communicator& communicator, const GraphSource& source, const FormatChoices& choices) {
  const auto format = collectively(communicator, [&] { return edge_format(source, choices); });
  ReadEdges read = format == EdgeLayout::Format::hdf5  ? read_hdf5_edges(communicator, source, choices.zeros)
                   : format == EdgeLayout::Format::osm ? read_osm_edges(communicator, source, choices)
                                                       : read_text_edges(communicator, source, format, choices.zeros);
  const Index loops = read.loops, reversed = read.reversed;
  const std::string header = read.header, columns = read.columns, first_line = read.first_line;
  std::unique_ptr<VertexNames> names = std::move(read.names);
  std::vector<std::string> notes = std::move(read.notes);
  Graph graph = number_and_assemble(communicator, source.path, std::move(read));
  GraphReport report = graph.report();
  report.self_loops = loops;
  report.repeated_edges -= reversed;
  report.header = header;
  report.columns = columns;
  if (!first_line.empty() && first_edge_is_alone(communicator, graph)) report.lone_first = first_line;
  graph.set_report(std::move(report));
  return {std::move(graph), std::move(names), std::move(notes)};
}

// Sets the names of vertices as labels; their numbers among all names are not needed. Collective.
void label(const Communicator& communicator, const VertexNames& names, Graph& graph) {
  GraphReport report = graph.report();
  const std::vector<Index> numbers = report.renumbered ? std::move(report.original_ids) : numbers_of(graph.range());
  graph.set_texts({.labels = names.names_of(communicator, numbers)});
  report.named = true;
  report.renumbered = false;
  report.original_ids.clear();
  report.first_id = 0;
  graph.set_report(std::move(report));
}

// The largest component; of several, the one with the smallest vertex.
Graph largest_component(const Communicator& communicator, const Graph& graph, const Components& components) {
  const auto largest = std::max_element(components.sizes.begin(), components.sizes.end(),
                                        [](const auto& a, const auto& b) { return a.second < b.second; });
  std::vector<bool> keeps(components.of_own.size());
  for (std::size_t v = 0; v < keeps.size(); ++v) keeps[v] = components.of_own[v] == largest->first;
  return keep_vertices(communicator, graph, keeps);
}

// Counts the edges, or arcs, and finds the range of their weights, over all ranks.
void measure_edges(const Communicator& communicator, Graph& graph) {
  GraphReport report = graph.report();
  const auto exists = [](double length) { return std::isfinite(length); };
  report.edges = graph.directed() ? communicator.sum(static_cast<Index>(std::ranges::count_if(graph.lengths(), exists)))
                                  : communicator.sum(static_cast<Index>(graph.neighbors().size())) / 2;
  if (communicator.maximum(Index{graph.weighted()}) != 0 && report.edges > 0) {
    double shortest = std::numeric_limits<double>::infinity(), longest = 0;
    for (const double length : graph.lengths()) {
      if (!exists(length)) continue;
      shortest = std::min(shortest, length);
      longest = std::max(longest, length);
    }
    report.shortest = communicator.minimum(shortest);
    report.longest = communicator.maximum(longest);
  }
  graph.set_report(std::move(report));
}

// The graph with its number of components in the report, strong ones if it is directed, or only its largest component.
// Collective.
Graph with_components(const Communicator& communicator, Graph graph, bool largest, const KeyNames& keys) {
  const Components components =
      graph.directed() ? strong_components(communicator, graph) : connected_components(communicator, graph);
  GraphReport report = graph.report();
  report.components = components.count;
  report.keys = keys;
  graph.set_report(std::move(report));
  return largest && components.count > 1 ? largest_component(communicator, graph, components) : std::move(graph);
}

}  // namespace

Graph read_graph(const Communicator& communicator, const GraphSource& source) {
  return read_graph(communicator, source, FormatChoices()).graph;
}

ReadGraph read_graph(const Communicator& communicator, const GraphSource& source, const FormatChoices& choices) {
  if (source.path.empty() == source.generator.empty()) {
    throw Error(ErrorKind::usage,
                fmt::format("a graph comes from one of {} and {}", source.keys("path"), source.keys("generate")));
  }
  auto [graph, names, notes] = source.generator.empty() ? read_file(communicator, source, choices)
                                                        : ReadFile{.graph = generate_graph(communicator, source)};
  graph = with_components(communicator, std::move(graph), source.largest_component, source.keys);
  if (names) label(communicator, *names, graph);
  measure_edges(communicator, graph);
  return {std::move(graph), std::move(notes)};
}

Graph make_graph(const Communicator& communicator, Index vertices, EdgeList edges, bool largest_component,
                 const KeyNames& keys) {
  Graph graph =
      with_components(communicator, assemble_graph(communicator, vertices, std::move(edges)), largest_component, keys);
  measure_edges(communicator, graph);
  return graph;
}

}  // namespace cairn
