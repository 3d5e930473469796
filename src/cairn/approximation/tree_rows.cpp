#include "cairn/approximation/tree_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/operator/graph_operator.hpp"

namespace cairn {

namespace {

// Access to rows of P by number: own rows in place, others fetched from their owners.
template <class T>
class RowsAnywhere {
 public:
  // Collective. Refers to `rows`. @param ids  ascending
  RowsAnywhere(const Communicator& communicator, const SparseRows<T>& rows, std::span<const Index> ids) : rows_(rows) {
    std::vector<std::vector<Index>> asked(communicator.size());
    for (const Index id : ids) {
      if (rows.range().contains(id)) continue;
      ids_.push_back(id);
      asked[rows.partition().owner(id)].push_back(id);
    }
    const auto wanted = communicator.exchange(asked);
    std::vector<std::vector<std::int32_t>> sizes(wanted.size()), columns(wanted.size());
    std::vector<std::vector<T>> values(wanted.size());
    collectively(communicator, [&] {
      for (std::size_t r = 0; r < wanted.size(); ++r) {
        for (const Index id : wanted[r]) {
          const SparseRow<T> row = rows.row(id);
          sizes[r].push_back(static_cast<std::int32_t>(row.columns.size()));
          for (const Index column : row.columns) columns[r].push_back(static_cast<std::int32_t>(column));
          values[r].insert(values[r].end(), row.values.begin(), row.values.end());
        }
      }
    });
    // Ranks own rows in ascending order, so that the concatenated parts are in the order of the ids.
    starts_.push_back(0);
    for (const auto& part : communicator.exchange(sizes)) {
      for (const std::int32_t size : part) starts_.push_back(starts_.back() + size);
    }
    append(communicator.exchange(columns), columns_);
    append(communicator.exchange(values), values_);
  }

  [[nodiscard]] SparseRow<T> row(Index id) const {
    if (rows_.range().contains(id)) return rows_.row(id);
    const auto place = static_cast<std::size_t>(std::ranges::lower_bound(ids_, id) - ids_.begin());
    const auto begin = static_cast<std::size_t>(starts_[place]),
               size = static_cast<std::size_t>(starts_[place + 1]) - begin;
    return {std::span(columns_).subspan(begin, size), std::span(values_).subspan(begin, size)};
  }

 private:
  template <class Sent, class Value>
  static void append(const std::vector<std::vector<Sent>>& parts, std::vector<Value>& all) {
    for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  }

  const SparseRows<T>& rows_;
  std::vector<Index> ids_, starts_, columns_;  // rows of other ranks
  std::vector<T> values_;
};

}  // namespace

BiharmonicOperator core_operator(const Communicator& communicator, const BiharmonicOperator& op,
                                 const HangingTrees& trees) {
  if (op.kind != "graph" || !op.weights.empty() || !op.inverse_mass.empty()) {
    throw Error(ErrorKind::usage, fmt::format("pendant trees need the operator graph, not {}", op.kind));
  }
  return graph_operator(communicator, core_of(communicator, {op.starts.share(), op.neighbors.share(), {}, {}}, trees));
}

template <class T>
SparseRows<T> rows_over_trees(const Communicator& communicator, const SparseRows<T>& core, const HangingTrees& trees) {
  const RowPartition partition(trees.size(), communicator.size());
  const Range own = partition.range(communicator.rank());
  std::vector<Index> roots;
  for (Index v = own.begin; v < own.end; ++v) roots.push_back(trees.roots[v]);
  std::ranges::sort(roots);
  roots.erase(std::ranges::unique(roots).begin(), roots.end());
  const RowsAnywhere<T> of_core(communicator, core, roots);
  return collectively(communicator, [&] {
    const Index heights = core.columns(), ones = heights + 1;
    std::vector<Index> starts{0};
    for (Index v = own.begin; v < own.end; ++v) {
      const auto size = static_cast<Index>(of_core.row(trees.roots[v]).columns.size());
      starts.push_back(starts.back() + size + (trees.in_core(v) ? 1 : 2));
    }
    std::vector<Index> indices;
    std::vector<T> values;
    indices.reserve(starts.back());
    values.reserve(starts.back());
    const auto add = [&](Index column, double value) {
      indices.push_back(column);
      values.push_back(static_cast<T>(value));
    };
    for (Index v = own.begin; v < own.end; ++v) {
      const auto row = of_core.row(trees.roots[v]);
      indices.insert(indices.end(), row.columns.begin(), row.columns.end());
      values.insert(values.end(), row.values.begin(), row.values.end());
      if (!trees.in_core(v)) add(heights, trees.heights[v]);
      add(ones, 1.0);
    }
    return SparseRows<T>(partition, communicator.rank(), core.columns() + tree_columns, std::move(starts),
                         std::move(indices), std::move(values));
  });
}

template <class T>
std::vector<Range> core_rows(const SparseRows<T>& rows, const HangingTrees& trees) {
  std::vector<Range> core;
  const Range own = rows.range();
  for (Index v = own.begin; v < own.end; ++v) {
    if (!trees.in_core(v)) continue;
    const Index begin = rows.starts()[v - own.begin], end = rows.starts()[v - own.begin + 1];
    core.push_back({begin, end - 1});  // the last entry is in the column of ones
  }
  return core;
}

void subtract_common_heights(const HangingTrees& trees, Range own, std::span<const Index> columns,
                             MatrixView<double> out) {
  const auto roots = trees.roots.values();
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const Index column = columns[c];
    if (trees.in_core(column)) continue;
    const std::int32_t root = roots[column];
    for (Index v = own.begin; v < own.end; ++v) {
      if (roots[v] == root) {
        out(v - own.begin, static_cast<Index>(c)) -= 2.0 * trees.common_height(v, column);
      }
    }
  }
}

template SparseRows<float> rows_over_trees(const Communicator&, const SparseRows<float>&, const HangingTrees&);
template SparseRows<double> rows_over_trees(const Communicator&, const SparseRows<double>&, const HangingTrees&);
template std::vector<Range> core_rows(const SparseRows<float>&, const HangingTrees&);
template std::vector<Range> core_rows(const SparseRows<double>&, const HangingTrees&);

}  // namespace cairn
