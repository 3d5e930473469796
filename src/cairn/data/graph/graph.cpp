#include "cairn/data/graph/graph.hpp"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/data_kind.hpp"
#include "cairn/data/digest.hpp"

namespace cairn {

Graph::Graph(const RowPartition& partition, int rank, std::vector<Index> starts, std::vector<Index> neighbors,
             std::vector<double> lengths, bool weighted, bool directed)
    : NumberedObjects(partition, rank),
      starts_(std::move(starts)),
      neighbors_(std::move(neighbors)),
      lengths_(std::move(lengths)),
      weighted_(weighted || directed || !lengths_.empty()),
      directed_(directed) {}

SharedGraph Graph::share(const Communicator& communicator) const {
  if (size() > std::numeric_limits<std::int32_t>::max()) {
    throw Error(
        ErrorKind::resource,
        fmt::format("a graph of {} vertices cannot be held whole on a node: there are 2^31 - 1 at most", size()));
  }
  const std::vector<Index> arcs = communicator.all_gather_one(static_cast<Index>(neighbors_.size()));
  Index before = 0;
  for (int r = 0; r < communicator.rank(); ++r) before += arcs[r];
  auto [starts, neighbors] = collectively(communicator, [&] {
    std::vector<Index> own(starts_.begin(), starts_.end() - 1);
    for (Index& start : own) start += before;
    if (communicator.rank() + 1 == communicator.size()) own.push_back(before + arcs.back());
    std::vector<std::int32_t> narrow(neighbors_.begin(), neighbors_.end());
    return std::pair(std::move(own), std::move(narrow));
  });
  SharedGraph shared;
  shared.keys = report_.keys;
  shared.directed = directed_;
  shared.starts = replicate_on_nodes(communicator, std::span<const Index>(starts));
  shared.neighbors = replicate_on_nodes(communicator, std::span<const std::int32_t>(neighbors));
  // A rank without arcs cannot see from its lengths whether the graph is weighted.
  if (communicator.maximum(Index{weighted_}) != 0) {
    shared.lengths = replicate_on_nodes(communicator, std::span<const double>(lengths_));
  }
  return shared;
}

std::uint64_t data_digest(const Communicator& communicator, const Graph& graph) {
  const Index unit = RowPartition::unit(graph.size());
  const Range own = graph.range();
  const auto start_of = [&](Index vertex) { return graph.starts()[vertex - own.begin]; };
  std::uint64_t sum = 0;
  for (Index begin = own.begin; begin < own.end; begin += unit) {
    const Index end = std::min(begin + unit, own.end);
    std::vector<Index> counts;
    for (Index vertex = begin; vertex < end; ++vertex) counts.push_back(start_of(vertex + 1) - start_of(vertex));
    const auto first = static_cast<std::size_t>(start_of(begin));
    const auto arcs = static_cast<std::size_t>(start_of(end)) - first;
    std::uint64_t state = hash_bytes(std::as_bytes(std::span(counts)), static_cast<std::uint64_t>(begin / unit) + 1);
    state = hash_bytes(std::as_bytes(std::span(graph.neighbors()).subspan(first, arcs)), state);
    if (graph.weighted()) state = hash_bytes(std::as_bytes(std::span(graph.lengths()).subspan(first, arcs)), state);
    sum += state;
  }
  return mix_bits(communicator.sum(sum) + static_cast<std::uint64_t>(graph.size()));
}

void Graph::add_sizes(const Communicator& communicator, Index value_bytes, DataSize& sizes) const {
  ObjectSet::add_sizes(communicator, value_bytes, sizes);
  sizes.arcs = communicator.sum(std::ssize(neighbors()));
  sizes.weighted = weighted();
  sizes.directed = directed();
}

}  // namespace cairn
