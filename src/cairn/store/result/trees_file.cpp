#include "cairn/store/result/trees_file.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

#include "cairn/approximation/tree_rows.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/store/hdf5/result_layout.hpp"
#include "cairn/store/hdf5/sparse_factor.hpp"

namespace cairn {

namespace {

std::string path_of(const char* name) { return layout::in(layout::trees, name); }

}  // namespace

template <class T>
std::vector<SharedTable> tree_tables(const Communicator& communicator, const SparseRows<T>& left,
                                     const HangingTrees& trees) {
  std::vector<Range> core = collectively(communicator, [&] { return core_rows(left, trees); });
  std::vector<SharedTable> tables = sparse_factor_tables<T>(
      communicator, layout::left, {left.columns() - tree_columns, std::move(core), left.indices(), left.values()});
  const auto own = [&](const auto& all) { return all.subspan(left.range().begin, left.range().size()); };
  tables.push_back(consecutive_rows(communicator, path_of(layout::parents), -1, own(trees.parents.values())));
  tables.push_back(consecutive_rows(communicator, path_of(layout::heights), -1, own(trees.heights.values())));
  return tables;
}

void create_tree_groups(const hdf5::Handle& file, Index columns, const HangingTrees& trees) {
  create_sparse_group(file, layout::left, trees.core, columns - tree_columns);
  static_cast<void>(hdf5::create_group(file, layout::trees));
}

Index stored_tree_vertices(const hdf5::InputFile& file) {
  if (!file.has(layout::trees)) return -1;
  const hdf5::TableShape parents = file.table(path_of(layout::parents)), heights = file.table(path_of(layout::heights));
  if (parents.columns >= 0 || heights.columns >= 0 || parents.rows != heights.rows ||
      !(parents.type == hdf5::element_type<std::int32_t>()) || !(heights.type == hdf5::element_type<double>())) {
    file.refuse(fmt::format("/{} is not a parent and a height of each vertex", layout::trees));
  }
  return parents.rows;
}

HangingTrees read_trees(const Communicator& communicator, const hdf5::InputFile& file, Index core) {
  const Index n = collectively(communicator, [&] { return stored_tree_vertices(file); });
  NodeArray<std::int32_t> parents(communicator, n);
  NodeArray<double> heights(communicator, n);
  collectively(communicator, [&] {
    if (!parents.node().is_root()) return;
    const auto read = [&](const char* name, auto& list) {
      const std::string path = path_of(name);
      if (n > 0) file.read_rows(path, file.table(path), {0, n}, list.writable().data());
    };
    read(layout::parents, parents);
    read(layout::heights, heights);
  });
  parents.publish();
  heights.publish();
  std::string refused;
  HangingTrees trees = trees_of(communicator, std::move(parents), std::move(heights), refused);
  if (refused.empty() && trees.core != core) {
    refused = fmt::format("leaves {} vertices in the core, and /{} has {} rows", trees.core, layout::left, core);
  }
  collectively(communicator, [&] {
    if (!refused.empty()) file.refuse(fmt::format("/{}: {}", layout::trees, refused));
  });
  return trees;
}

template std::vector<SharedTable> tree_tables(const Communicator&, const SparseRows<float>&, const HangingTrees&);
template std::vector<SharedTable> tree_tables(const Communicator&, const SparseRows<double>&, const HangingTrees&);

}  // namespace cairn
