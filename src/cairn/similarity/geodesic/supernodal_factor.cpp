#include "cairn/similarity/geodesic/supernodal_factor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/linalg/sparse/cholmod_factor.hpp"

namespace cairn {

namespace {

using Long = SuiteSparse_long;

// The upper half of a matrix by columns.
struct UpperHalf {
  std::vector<Long> starts, rows;
  std::vector<double> values;
  [[nodiscard]] cholmod_sparse view() { return cholmod_view(starts, rows, values, StoredHalf::upper); }
};

UpperHalf upper_half(const NodeArray<Index>& starts, const NodeArray<std::int32_t>& neighbors) {
  const Index n = starts.size() - 1;
  UpperHalf matrix;
  matrix.starts.reserve(n + 1);
  matrix.rows.reserve(neighbors.size() / 2 + n);
  for (Index j = 0; j < n; ++j) {
    matrix.starts.push_back(static_cast<Long>(matrix.rows.size()));
    for (Index a = starts[j]; a < starts[j + 1] && neighbors[a] < j; ++a) matrix.rows.push_back(neighbors[a]);
    matrix.rows.push_back(j);
  }
  matrix.starts.push_back(static_cast<Long>(matrix.rows.size()));
  matrix.values.resize(matrix.rows.size());
  return matrix;
}

void set_values(UpperHalf& matrix, const NodeArray<Index>& starts, const NodeArray<std::int32_t>& neighbors,
                const SymmetricValues& values) {
  double* x = matrix.values.data();
  for (Index j = 0; j + 1 < starts.size(); ++j) {
    for (Index a = starts[j]; a < starts[j + 1] && neighbors[a] < j; ++a) *x++ = values.arcs[a];
    *x++ = values.diagonal[j];
  }
}

// Shares an array of CHOLMOD, held by the first rank of a node, with the node. Collective.
template <class T>
NodeArray<T> share(const Communicator& communicator, bool writes, const void* from, std::size_t count,
                   const Communicator& node) {
  auto size = static_cast<Index>(count);
  node.broadcast(std::span(&size, 1), 0);
  NodeArray<T> result(communicator, size);
  if (writes) {
    if constexpr (std::is_floating_point_v<T>)
      std::copy_n(static_cast<const double*>(from), size, result.writable().begin());
    else
      std::transform(static_cast<const Long*>(from), static_cast<const Long*>(from) + size, result.writable().begin(),
                     [](Long value) { return static_cast<T>(value); });
  }
  result.publish();
  return result;
}

std::vector<Long> parents_of(const cholmod_factor& factor) {
  const auto* columns = static_cast<const Long*>(factor.super);
  const auto* row_starts = static_cast<const Long*>(factor.pi);
  const auto* rows = static_cast<const Long*>(factor.s);
  std::vector<Long> owner(factor.n), parents(factor.nsuper, -1);
  for (std::size_t s = 0; s < factor.nsuper; ++s) {
    std::fill(owner.begin() + columns[s], owner.begin() + columns[s + 1], static_cast<Long>(s));
  }
  for (std::size_t s = 0; s < factor.nsuper; ++s) {
    const Long first_below = row_starts[s] + columns[s + 1] - columns[s];
    if (first_below < row_starts[s + 1]) parents[s] = owner[rows[first_below]];
  }
  return parents;
}

std::shared_ptr<const SupernodalStructure> share_structure(const Communicator& communicator, bool writes,
                                                           const cholmod_factor& f, const Communicator& node) {
  const std::vector<Long> parents = writes ? parents_of(f) : std::vector<Long>{};
  auto result = std::make_shared<SupernodalStructure>();
  result->order = share<Index>(communicator, writes, f.Perm, f.n, node);
  result->columns = share<Index>(communicator, writes, f.super, f.nsuper + 1, node);
  result->row_starts = share<Index>(communicator, writes, f.pi, f.nsuper + 1, node);
  result->value_starts = share<Index>(communicator, writes, f.px, f.nsuper + 1, node);
  result->rows = share<std::int32_t>(communicator, writes, f.s, f.ssize, node);
  result->parent = share<std::int32_t>(communicator, writes, parents.data(), parents.size(), node);
  return result;
}

}  // namespace

std::vector<SupernodalFactor> factorize(const Communicator& communicator, const NodeArray<Index>& starts,
                                        const NodeArray<std::int32_t>& neighbors,
                                        const std::vector<SymmetricValues>& matrices) {
  const Communicator& node = starts.node();
  const bool writes = node.is_root();
  UpperHalf matrix;
  CholmodFactor<Long> cholmod(fmt::format("a matrix of the heat method on {} vertices", starts.size() - 1));
  cholmod_common& settings = cholmod.settings();
  settings.nmethods = 1;
  settings.method[0].ordering = CHOLMOD_METIS;
  settings.postorder = 1;
  settings.supernodal = CHOLMOD_SUPERNODAL;
  std::shared_ptr<const SupernodalStructure> structure;
  std::vector<SupernodalFactor> factors;
  // The other ranks wait for the first rank of the node, whose own grace period ends when the factors are due.
  const Watchdog::Patience patience(writes ? 0.0 : Watchdog::longest_patience);
  collectively(communicator, [&] {
    if (!writes) return;
    matrix = upper_half(starts, neighbors);
    cholmod.analyze(matrix.view());
  });
  for (const SymmetricValues& values : matrices) {
    collectively(communicator, [&] {
      if (!writes) return;
      set_values(matrix, starts, neighbors, values);
      cholmod.factorize(matrix.view());
    });
    const cholmod_factor none{};
    const cholmod_factor& factor = writes ? cholmod.factor() : none;
    if (!structure) structure = share_structure(communicator, writes, factor, node);
    factors.emplace_back(structure, share<double>(communicator, writes, factor.x, factor.xsize, node));
  }
  return factors;
}

}  // namespace cairn
