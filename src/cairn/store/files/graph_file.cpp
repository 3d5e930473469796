#include "cairn/store/files/graph_file.hpp"

#include <span>
#include <vector>

#include "cairn/store/hdf5/table_file.hpp"

namespace cairn {

void write_graph(const Execution& execution, const OutputPath& path, const Graph& graph) {
  const Communicator& communicator = execution.communicator;
  Phases::Scope phase = execution.phases.enter("write");
  // A rank has the ends of its rows; the leading 0 is written by rank 0.
  const std::vector<Index> counts = communicator.all_gather_one(static_cast<Index>(graph.neighbors().size()));
  Index before = 0;
  for (int r = 0; r < communicator.rank(); ++r) before += counts[r];
  std::vector<Index> starts;
  if (communicator.is_root()) starts.push_back(0);
  for (std::size_t v = 1; v < graph.starts().size(); ++v) starts.push_back(before + graph.starts()[v]);
  std::vector<SharedTable> tables = {
      consecutive_rows(communicator, "starts", -1, std::span<const Index>(starts)),
      consecutive_rows(communicator, "neighbours", -1, std::span<const Index>(graph.neighbors()))};
  if (graph.weighted()) {
    tables.push_back(consecutive_rows(communicator, "lengths", -1, std::span<const double>(graph.lengths())));
  }
  phase.count_bytes(write_table_file(communicator, path, tables));
}

}  // namespace cairn
