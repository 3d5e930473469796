#include "cairn/store/graphs/graph_file.hpp"

#include <cmath>
#include <span>
#include <vector>

#include "cairn/store/hdf5/table_file.hpp"

namespace cairn {

namespace {

// The arcs that exist: all of an undirected graph.
struct Rows {
  std::span<const Index> starts, neighbors;
  std::span<const double> lengths;
  std::vector<Index> own_starts{}, own_neighbors{};
  std::vector<double> own_lengths{};
};

Rows rows_of(const Graph& graph) {
  Rows rows{graph.starts(), graph.neighbors(), graph.lengths()};
  if (!graph.directed()) return rows;
  rows.own_starts.push_back(0);
  for (std::size_t v = 0; v + 1 < graph.starts().size(); ++v) {
    for (auto a = static_cast<std::size_t>(graph.starts()[v]); a < static_cast<std::size_t>(graph.starts()[v + 1]);
         ++a) {
      if (!std::isfinite(graph.lengths()[a])) continue;
      rows.own_neighbors.push_back(graph.neighbors()[a]);
      rows.own_lengths.push_back(graph.lengths()[a]);
    }
    rows.own_starts.push_back(std::ssize(rows.own_neighbors));
  }
  rows.starts = rows.own_starts, rows.neighbors = rows.own_neighbors, rows.lengths = rows.own_lengths;
  return rows;
}

}  // namespace

void write_graph(const Execution& execution, const OutputPath& path, const Graph& graph) {
  const Communicator& communicator = execution.communicator;
  const Rows rows = rows_of(graph);
  Phases::Scope phase = execution.phases.enter("write");
  // A rank has the ends of its rows; the leading 0 is written by rank 0.
  const std::vector<Index> counts = communicator.all_gather_one(static_cast<Index>(rows.neighbors.size()));
  Index before = 0;
  for (int r = 0; r < communicator.rank(); ++r) before += counts[r];
  std::vector<Index> starts;
  if (communicator.is_root()) starts.push_back(0);
  for (std::size_t v = 1; v < rows.starts.size(); ++v) starts.push_back(before + rows.starts[v]);
  std::vector<SharedTable> tables = {consecutive_rows(communicator, "starts", -1, std::span<const Index>(starts)),
                                     consecutive_rows(communicator, "neighbours", -1, rows.neighbors)};
  if (graph.weighted()) {
    tables.push_back(consecutive_rows(communicator, "lengths", -1, rows.lengths));
  }
  phase.count_bytes(write_table_file(communicator, path, tables));
}

}  // namespace cairn
