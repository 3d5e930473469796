// Undirected graphs, distributed over ranks by vertex.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/mpi/node_array.hpp"
#include "cairn/data/object_set.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// A graph whole, once per node, in compressed rows: both arcs of every edge, neighbours ascending, no loops, no
/// repeated edges.
struct SharedGraph {
  NodeArray<Index> starts;  ///< n + 1
  NodeArray<std::int32_t> neighbours;
  NodeArray<double> lengths;  ///< of arcs; empty: all 1
  KeyNames keys{};            ///< of its source: how to take another part of the data (largest-component)
  [[nodiscard]] Index vertices() const { return starts.size() - 1; }
  [[nodiscard]] Index arcs() const { return neighbours.size(); }
  /// Other handles to the same arrays. Every rank of the node makes them, and lets go of them.
  [[nodiscard]] SharedGraph share() const { return {starts.share(), neighbours.share(), lengths.share(), keys}; }
};

/// What reading a graph dropped or joined.
struct GraphReport {
  Index self_loops = 0;              ///< dropped
  Index repeated_edges = 0;          ///< joined (the shortest length is kept); (u, v) and (v, u) are one edge
  Index different_lengths = 0;       ///< pairs among the joined ones that had two different lengths
  Index edges = 0;                   ///< of the graph as it is, over all ranks
  double shortest = 1, longest = 1;  ///< lengths of its edges, over all ranks
  Index components = 1;              ///< in the file
  Index dropped_vertices = 0;        ///< outside the largest component, where only that was asked for
  Index first_id = 0;                ///< number in the file of vertex 0, where original_ids is empty: v is first_id + v
  bool renumbered = false;           ///< original_ids says the numbers in the file (on every rank alike)
  std::vector<Index> original_ids;   ///< this rank's vertices: their numbers in the file; empty: as first_id says
  bool named = false;                ///< vertices have names, not numbers, in the file
  std::string header{};              ///< of the file, that names columns; empty: there is none
  std::string columns{};             ///< which columns of the file hold ends and lengths, if they are named or chosen
  std::string lone_first{};          ///< the first line, if it has names that no other edge has; empty: it has not
  Index file_edges = 0;              ///< pairs of vertices with an edge in the file
  Index both_ways = 0;               ///< pairs of vertices that the file has in both directions
  KeyNames keys{};                   ///< those of its source
};

/// n vertices, contiguous over ranks, each rank with the arcs of its vertices: 64 bits throughout.
class Graph final : public NumberedObjects {
 public:
  /// @param starts own vertices + 1, @param neighbours global numbers, ascending within a vertex, @param lengths one an
  /// arc or empty everywhere. @param weighted true if `lengths` may be empty for want of arcs. Both arcs of an edge
  /// are given. Local.
  Graph(const RowPartition& partition, int rank, std::vector<Index> starts, std::vector<Index> neighbours,
        std::vector<double> lengths, bool weighted = false);

  [[nodiscard]] bool weighted() const { return weighted_; }
  [[nodiscard]] const std::vector<Index>& starts() const { return starts_; }
  [[nodiscard]] const std::vector<Index>& neighbours() const { return neighbours_; }
  [[nodiscard]] const std::vector<double>& lengths() const { return lengths_; }
  [[nodiscard]] const GraphReport& report() const { return report_; }
  void set_report(GraphReport report) { report_ = std::move(report); }
  /// The names of this rank's vertices, if the file has names in place of numbers; none otherwise.
  [[nodiscard]] const std::vector<std::string>& labels() const override { return labels_; }
  void set_labels(std::vector<std::string> labels) { labels_ = std::move(labels); }

  /// The whole graph, once per node. @throws Error(resource) for 2^31 vertices or more. Collective.
  [[nodiscard]] SharedGraph share(const Communicator& communicator) const;

 private:
  std::vector<Index> starts_, neighbours_;
  std::vector<double> lengths_;
  bool weighted_ = false;
  GraphReport report_;
  std::vector<std::string> labels_;
};

/// Where a graph comes from. Exactly one of `path` and `generator` is set.
struct GraphSource {
  std::string path{};     ///< file; .gz and .xz are read as they are
  std::string format{};   ///< edges (SNAP: u v [length]), gr (DIMACS `p sp`, `a u v w`; or `p tw`, u v), mtx
                          ///< (MatrixMarket coordinate), cedge (id u v length), hdf5 (/starts, /neighbours, perhaps
                          ///< /lengths: compressed rows); empty: from the file's name
  std::string columns{};  ///< edges: two or three columns, by name or number from 1; empty: u v [length]
  std::string names = "auto";  ///< edges: whether vertices have names: true, false, or auto, as the first edge shows
  bool largest_component = false;
  bool weighted = true;     ///< false: lengths in the file are ignored
  std::string generator{};  ///< grid (square, edges removed at random)
  Index points = 0;         ///< generator: n, rounded down to a square
  double removed = 0.2;     ///< grid: share of edges that are removed
  std::uint64_t seed = 0;
  KeyNames keys{};  ///< of path, format, columns, names, largest-component, weighted, generate, points, removed
};

/// Reads or generates, each rank its part.
///
/// Vertices are numbered as the file has them: in gr and mtx vertex 0 is the file's 1, in hdf5 its 0; in edges and
/// cedge, which have no header, it is the smallest number, and numbers up to the largest that no edge has are vertices
/// without edges. Only where less than half of the numbers have an edge are those that have one numbered anew, in
/// order, as they are in the largest component; the report then gives their numbers in the file. If the first edge of
/// `edges` has names in place of numbers, all lines do: vertices are numbered from 0 in the order in which the file
/// names them first, and their names are labels. Loops are dropped, direction is not kept, and of repeated edges the
/// shortest stays. Memory, a rank's share: 64 bytes an edge with both arcs (96 with lengths), and 8 bytes a vertex of
/// the whole graph once per node.
/// @throws Error(usage) for an unknown format or generator, Error(input) with file:line for what cannot be read (a
/// vertex out of the range that the header gives, a length that is not positive, a count that does not agree, or far
/// more vertices than edges), the same on every rank. Collective.
[[nodiscard]] Graph read_graph(const Communicator& communicator, const GraphSource& source);

/// Component of every own vertex (numbered by their smallest vertex), and the sizes of all components by that number.
struct Components {
  std::vector<Index> of_own;                   ///< smallest vertex of the component
  std::vector<std::pair<Index, Index>> sizes;  ///< (smallest vertex, size), ascending, on every rank; at most the
                                               ///< 1000 largest where there are more
  Index count = 1;
};
/// Collective.
[[nodiscard]] Components connected_components(const Communicator& communicator, const Graph& graph);

}  // namespace cairn
