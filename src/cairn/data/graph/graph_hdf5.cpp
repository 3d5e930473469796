#include "cairn/data/graph/graph_hdf5.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include <cmath>

#include "cairn/base/error.hpp"
#include "cairn/data/io/byte_stream.hpp"
#include "cairn/data/io/hdf5_numbers.hpp"
#include "cairn/data/io/hdf5_open.hpp"

namespace cairn {

namespace {

using hdf5::Handle;
using hdf5::NumberList;

// The own rows' starts, which ascend within the arcs.
std::vector<Index> read_starts(const NumberList& set, Range own, Index vertices, Index arcs) {
  std::vector<Index> starts = set.read<Index>({own.begin, own.end + 1});
  for (std::size_t k = 0; k < starts.size(); ++k) {
    const Index at = own.begin + static_cast<Index>(k);
    if (starts[k] < 0 || starts[k] > arcs || (k > 0 && starts[k] < starts[k - 1])) {
      set.fail(
          fmt::format("entry {} is {}; they must ascend from 0 to the number of neighbours, {}", at, starts[k], arcs));
    }
    if ((at == 0 && starts[k] != 0) || (at == vertices && starts[k] != arcs)) {
      set.fail(fmt::format("entry {} is {}; the first must be 0, the last the number of neighbours, {}", at, starts[k],
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
    set.fail(fmt::format("entry {} is {}; lengths are positive and finite ({} = false passes over them)",
                         first + static_cast<Index>(k), lengths[k], keys("weighted")));
  }
}

}  // namespace

Hdf5Graph read_hdf5_graph(const std::string& path, int rank, int ranks, bool weighted, const KeyNames& keys) {
  (void)file_size(path);
  hdf5::keep_quiet();
  const Handle file = hdf5::open_to_read(path);
  if (!file) {
    throw Error(ErrorKind::input, fmt::format("{}: is no readable HDF5 file: {}", path, hdf5::failure_reason()));
  }
  const NumberList starts_set(path, file.id(), "starts", true);
  const NumberList neighbours_set(path, file.id(), "neighbours", true);
  if (starts_set.size() < 2) starts_set.fail("must have one entry more than there are vertices, two at least");
  Hdf5Graph graph;
  graph.vertices = starts_set.size() - 1;
  graph.edges.weighted = weighted && H5Lexists(file.id(), "lengths", H5P_DEFAULT) > 0;
  const Range own = RowPartition(graph.vertices, ranks).range(rank);
  const std::vector<Index> starts = read_starts(starts_set, own, graph.vertices, neighbours_set.size());
  const Range arcs{starts.front(), starts.back()};
  const std::vector<Index> neighbours = neighbours_set.read<Index>(arcs);
  std::vector<double> lengths;
  if (graph.edges.weighted) {
    const NumberList lengths_set(path, file.id(), "lengths", false);
    if (lengths_set.size() != neighbours_set.size()) lengths_set.fail("must have one entry a neighbour");
    lengths = lengths_set.read<double>(arcs);
    check_lengths(lengths_set, lengths, arcs.begin, keys, graph);
  }
  graph.arcs = arcs.size();
  for (Index v = own.begin; v < own.end; ++v) {
    const auto row = static_cast<std::size_t>(v - own.begin);
    for (Index k = starts[row] - arcs.begin; k < starts[row + 1] - arcs.begin; ++k) {
      const auto at = static_cast<std::size_t>(k);
      const Index u = neighbours[at];
      if (u < 0 || u >= graph.vertices) {
        neighbours_set.fail(
            fmt::format("entry {} is vertex {}, outside 0 to {}", arcs.begin + k, u, graph.vertices - 1));
      }
      if (u == v) continue;
      graph.edges.ends.insert(graph.edges.ends.end(), {v, u});
      if (graph.edges.weighted) graph.edges.lengths.push_back(lengths[at]);
    }
  }
  return graph;
}

}  // namespace cairn
