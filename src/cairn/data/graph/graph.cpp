#include "cairn/data/graph/graph.hpp"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"

namespace cairn {

Graph::Graph(const RowPartition& partition, int rank, std::vector<Index> starts, std::vector<Index> neighbours,
             std::vector<double> lengths, bool weighted)
    : NumberedObjects(partition, rank),
      starts_(std::move(starts)),
      neighbours_(std::move(neighbours)),
      lengths_(std::move(lengths)),
      weighted_(weighted || !lengths_.empty()) {}

SharedGraph Graph::share(const Communicator& communicator) const {
  if (size() > std::numeric_limits<std::int32_t>::max()) {
    throw Error(
        ErrorKind::resource,
        fmt::format("a graph of {} vertices cannot be held whole on a node: there are 2^31 - 1 at most", size()));
  }
  const std::vector<Index> arcs = communicator.all_gather_one(static_cast<Index>(neighbours_.size()));
  Index before = 0;
  for (int r = 0; r < communicator.rank(); ++r) before += arcs[static_cast<std::size_t>(r)];
  auto [starts, neighbours] = collectively(communicator, [&] {
    std::vector<Index> own(starts_.begin(), starts_.end() - 1);
    for (Index& start : own) start += before;
    if (communicator.rank() + 1 == communicator.size()) own.push_back(before + arcs.back());
    std::vector<std::int32_t> narrow(neighbours_.begin(), neighbours_.end());
    return std::pair(std::move(own), std::move(narrow));
  });
  SharedGraph shared;
  shared.keys = report_.keys;
  shared.starts = replicate_on_nodes(communicator, std::span<const Index>(starts));
  shared.neighbours = replicate_on_nodes(communicator, std::span<const std::int32_t>(neighbours));
  // A rank without arcs has no lengths to tell it by, whoever made the graph.
  if (communicator.maximum(Index{weighted_}) != 0) {
    shared.lengths = replicate_on_nodes(communicator, std::span<const double>(lengths_));
  }
  return shared;
}

}  // namespace cairn
