// Sparse Cholesky factors that a node holds once, and solves with a few right-hand sides at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/mpi/node_array.hpp"

namespace cairn {

/// Which columns of a factor stand together, once per node. Rows and columns are in the factor's own order; supernode s
/// has columns [columns[s], columns[s + 1]), its rows are rows[row_starts[s] ..), its own columns first, ascending.
struct SupernodalStructure {
  NodeArray<Index> order;         ///< n: the number, in the matrix, of each row of the factor
  NodeArray<Index> columns;       ///< supernodes + 1
  NodeArray<Index> row_starts;    ///< supernodes + 1
  NodeArray<Index> value_starts;  ///< supernodes + 1
  NodeArray<std::int32_t> rows;
  NodeArray<std::int32_t> parent;  ///< of each supernode in the elimination tree; -1: a root
  [[nodiscard]] Index size() const { return order.size(); }
  [[nodiscard]] Index supernodes() const { return parent.size(); }
};

/// One factor L of L Lᵀ = A, once per node.
class SupernodalFactor {
 public:
  /// Right-hand sides that a solve takes.
  static constexpr Index width = 16;

  SupernodalFactor(std::shared_ptr<const SupernodalStructure> structure, NodeArray<double> values)
      : structure_(std::move(structure)), values_(std::move(values)) {}

  [[nodiscard]] const SupernodalStructure& structure() const { return *structure_; }
  /// Numbers held, zeros of the supernodes with them.
  [[nodiscard]] Index values() const { return values_.size(); }

  /// X := A⁻¹ X, X n x width, row-major, aligned to 64 bytes, rows in the factor's order.
  /// @param filled rows of X outside of which it is zero (columns of the tree above none of them are skipped);
  ///   empty: any. Local, thread-safe.
  void solve(double* x, std::span<const Index> filled) const;

 private:
  std::shared_ptr<const SupernodalStructure> structure_;
  NodeArray<double> values_;
};

/// The values of a symmetric matrix whose pattern is that of a BiharmonicOperator.
struct SymmetricValues {
  std::vector<double> arcs;      ///< of (i, neighbours[a]), a in row i; both halves
  std::vector<double> diagonal;  ///< n
};

/// Factors of positive definite matrices of one pattern (rows `starts`, `neighbours` ascending, without diagonal):
/// ordered once by nested dissection, factored one after the other (CHOLMOD, supernodal) by the first rank of each
/// node, which alone needs `matrices`; all ranks give the same number of them.
/// @throws Error(numeric) if one is not positive definite, Error(resource) if a factor does not fit. Collective.
[[nodiscard]] std::vector<SupernodalFactor> factorize(const Communicator& communicator, const NodeArray<Index>& starts,
                                                      const NodeArray<std::int32_t>& neighbours,
                                                      const std::vector<SymmetricValues>& matrices);

}  // namespace cairn
