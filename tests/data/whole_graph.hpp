// Graphs gathered whole, to compare with what was written.
#pragma once

#include <hdf5.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "cairn/data/graph/graph.hpp"
#include "cairn/data/io/hdf5_handle.hpp"
#include "written_files.hpp"

namespace cairn::test {

/// A graph of all ranks on every rank: its edges (u < v, ascending), their lengths (empty: not weighted), and the
/// numbers of its vertices in the file.
struct WholeGraph {
  Index vertices = 0;
  std::vector<std::pair<Index, Index>> edges;
  std::vector<double> lengths;
  std::vector<Index> ids;
  GraphReport report;
};

/// Fails unless every row is sorted without loops, and each arc has its reverse of the same length. Collective.
inline WholeGraph whole(const Graph& graph) {
  WholeGraph all;
  all.vertices = graph.size();
  all.report = graph.report();
  EXPECT_EQ(graph.range(), RowPartition(graph.size(), world().size()).range(world().rank()));
  EXPECT_EQ(static_cast<Index>(graph.starts().size()), graph.range().size() + 1);
  const SharedGraph shared = graph.share(world());
  std::vector<std::pair<std::pair<Index, Index>, double>> reversed;
  for (Index v = 0; v < shared.vertices(); ++v) {
    for (Index k = shared.starts[v]; k < shared.starts[v + 1]; ++k) {
      const Index u = shared.neighbors[k];
      EXPECT_NE(u, v);
      if (k > shared.starts[v]) EXPECT_LT(shared.neighbors[k - 1], u);
      const double length = shared.lengths.empty() ? 1.0 : shared.lengths[k];
      if (u < v) reversed.push_back({{u, v}, length});
      if (u < v) continue;
      all.edges.emplace_back(v, u);
      if (!shared.lengths.empty()) all.lengths.push_back(length);
    }
  }
  std::sort(reversed.begin(), reversed.end());
  EXPECT_EQ(reversed.size(), all.edges.size());
  for (std::size_t k = 0; k < std::min(reversed.size(), all.edges.size()); ++k) {
    EXPECT_EQ(reversed[k].first, all.edges[k]);
    EXPECT_EQ(reversed[k].second, all.lengths.empty() ? 1.0 : all.lengths[k]);
  }
  all.ids = world().all_gather(graph.report().original_ids);
  if (graph.report().renumbered) EXPECT_EQ(static_cast<Index>(all.ids.size()), graph.size());
  return all;
}

inline WholeGraph read_whole_graph(const GraphSource& source) { return whole(read_graph(world(), source)); }

/// A graph in compressed rows as an HDF5 file; without lengths where these are empty. Rank 0 writes; the path on every
/// rank. Collective.
inline std::string write_hdf5_graph(const WrittenFiles& files, const std::string& name,
                                    const std::vector<Index>& starts, const std::vector<Index>& neighbors,
                                    const std::vector<double>& lengths) {
  if (world().is_root()) {
    using hdf5::Handle;
    const Handle file(H5Fcreate(files.path(name).c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
    const auto put = [&](const char* set_name, hid_t type, std::size_t count, const void* data) {
      const auto size = static_cast<hsize_t>(count);
      const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
      const Handle set(H5Dcreate2(file.id(), set_name, type, space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                       H5Dclose);
      EXPECT_GE(H5Dwrite(set.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), 0);
    };
    put("starts", H5T_NATIVE_INT64, starts.size(), starts.data());
    put("neighbours", H5T_NATIVE_INT64, neighbors.size(), neighbors.data());
    if (!lengths.empty()) put("lengths", H5T_NATIVE_DOUBLE, lengths.size(), lengths.data());
  }
  world().barrier();
  return files.path(name);
}

/// Fails unless reading is refused on this rank with a message that has all of `parts`.
inline void expect_graph_refused(const GraphSource& source, std::initializer_list<const char*> parts,
                                 ErrorKind kind = ErrorKind::input) {
  expect_error([&] { (void)read_graph(world(), source); }, kind, parts);
}

}  // namespace cairn::test
