// Graphs, distributed over ranks by vertex.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/data/object_set.hpp"
#include "cairn/data/shared_graph.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// Findings of reading a graph.
struct GraphReport {
  Index self_loops = 0;              ///< dropped
  Index repeated_edges = 0;          ///< merged (the smallest weight is kept); (u, v) and (v, u) are one edge
  Index different_lengths = 0;       ///< pairs among the merged ones that had two different weights
  Index edges = 0;                   ///< edges of the final graph, over all ranks; arcs if it is directed
  double shortest = 1, longest = 1;  ///< range of its edge weights, over all ranks
  Index components = 1;              ///< number in the file; of strong ones if the graph is directed
  Index dropped_vertices = 0;        ///< outside the largest component, if only that was requested
  Index first_id = 0;                ///< if original_ids is empty, vertex v has number first_id + v in the file
  bool renumbered = false;           ///< original_ids has the numbers in the file (the same on every rank)
  std::vector<Index> original_ids;   ///< numbers in the file of this rank's vertices; empty: see first_id
  bool named = false;                ///< vertices have names, not numbers, in the file
  std::string header{};              ///< header of the file with names of columns; empty: there is none
  std::string columns{};             ///< columns of the file with ends and weights, if they are named or chosen
  std::string lone_first{};          ///< the first line, if no other edge has its names; else empty
  Index file_edges = 0;              ///< pairs of vertices with an edge in the file
  Index both_ways = 0;               ///< pairs of vertices that the file has in both directions
  bool directed = false;             ///< above, edges are arcs: (u, v) and (v, u) are two
  KeyNames keys{};                   ///< key names of its source
};

/// n vertices, contiguous over ranks; each rank has the arcs of its vertices. All numbers have 64 bits. Labels are the
/// names of the vertices, if the file has names instead of numbers.
class Graph final : public NumberedObjects {
 public:
  /// @param starts own vertices + 1, @param neighbors global numbers, ascending within a vertex, @param lengths
  /// weights, one per arc, or empty on every rank. @param weighted true if `lengths` may be empty because there are no
  /// arcs. @param directed  arcs that do not exist, and whose reverse does, have an infinite length. Both arcs of an
  /// edge are given. Local.
  Graph(const RowPartition& partition, int rank, std::vector<Index> starts, std::vector<Index> neighbors,
        std::vector<double> lengths, bool weighted = false, bool directed = false);

  /// Also true for a directed graph, whose arcs have the length 1 or none.
  [[nodiscard]] bool weighted() const { return weighted_; }
  [[nodiscard]] bool directed() const { return directed_; }
  [[nodiscard]] const std::vector<Index>& starts() const { return starts_; }
  [[nodiscard]] const std::vector<Index>& neighbors() const { return neighbors_; }
  [[nodiscard]] const std::vector<double>& lengths() const { return lengths_; }
  [[nodiscard]] const GraphReport& report() const { return report_; }
  void set_report(GraphReport report) { report_ = std::move(report); }

  /// The whole graph, once per node. @throws Error(resource) for 2^31 vertices or more. Collective.
  [[nodiscard]] SharedGraph share(const Communicator& communicator) const;
  void add_sizes(const Communicator& communicator, Index value_bytes, DataSize& sizes) const override;

 private:
  std::vector<Index> starts_, neighbors_;
  std::vector<double> lengths_;
  bool weighted_ = false, directed_ = false;
  GraphReport report_;
};

/// Source of a graph. Exactly one of `path` and `generator` is set.
struct GraphSource {
  std::string path{};     ///< file, possibly .gz or .xz
  std::string format{};   ///< edges (SNAP: u v [weight]), gr (DIMACS `p sp`, `a u v w`; or `p tw`, u v), mtx
                          ///< (MatrixMarket coordinate), cedge (id u v weight), hdf5 (/starts, /neighbours, optionally
                          ///< /lengths: compressed rows); empty: from the file's name
  std::string columns{};  ///< edges: two or three columns, by name or number from 1; empty: u v [weight]
  std::string names = "auto";  ///< edges: vertices have names: true, false, or auto (by the first edge)
  bool largest_component = false;
  bool weighted = true;     ///< false: weights in the file are ignored
  bool directed = false;    ///< a line `u v` is an arc from u to v alone; not of a generated graph
  std::string generator{};  ///< grid (square, edges removed at random)
  Index points = 0;         ///< generator: n, rounded down to a square
  double removed = 0.2;     ///< grid: share of edges that are removed
  std::uint64_t seed = 0;
  KeyNames keys{};  ///< names of path, format, columns, names, largest-component, weighted, directed, generate,
                    ///< points, removed
};

/// Reads or generates a graph, each rank its part.
///
/// Vertices are numbered as in the file: in gr and mtx vertex 0 is the file's 1, in hdf5 its 0. In edges and cedge,
/// which have no header, it is the smallest number, and unused numbers up to the largest are vertices without edges.
/// Only if less than half of the numbers have an edge, those that have one are renumbered in order, as in the largest
/// component; the report then gives their numbers in the file. If the first edge of `edges` has names instead of
/// numbers, all lines do: vertices are numbered from 0 in the order of first occurrence, and their names are labels.
/// Loops are dropped, directions are ignored unless the source is directed, and of repeated edges the one with the
/// smallest weight is kept. In hdf5 a vertex lists the ends of its arcs; a symmetric matrix in mtx has both arcs of
/// each entry. Memory, a rank's share: 64 bytes per edge with both arcs (96 with weights), and 8 bytes per vertex of
/// the whole graph once per node.
/// @throws Error(usage) for an unknown format or generator, Error(input) with file:line for invalid input (a vertex out
/// of the range in the header, a weight that is not positive, a wrong count, or far more vertices than edges), the same
/// on every rank. Collective.
[[nodiscard]] Graph read_graph(const Communicator& communicator, const GraphSource& source);

/// The component of every own vertex, identified by its smallest vertex, and the sizes of all components, or of the
/// 1000 largest if there are more. Directions do not count.
struct Components {
  std::vector<Index> of_own;                   ///< smallest vertex of the component
  std::vector<std::pair<Index, Index>> sizes;  ///< (smallest vertex, size), ascending, on every rank
  Index count = 1;
};
/// Collective.
[[nodiscard]] Components connected_components(const Communicator& communicator, const Graph& graph);

/// data_digest() of a graph: its arcs and their weights. Collective.
[[nodiscard]] std::uint64_t data_digest(const Communicator& communicator, const Graph& graph);

}  // namespace cairn
