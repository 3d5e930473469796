// Sparse Cholesky factors held once per node, and solves with a few right-hand sides at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/mpi/node_array.hpp"

namespace cairn {

/// Supernodes of a factor, once per node. Rows and columns are in the factor's own order. Supernode s has the columns
/// [columns[s], columns[s + 1]); its rows are rows[row_starts[s] ..), its own columns first, ascending.
struct SupernodalStructure {
  NodeArray<Index> order;         ///< n: row of the matrix for each row of the factor
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
  /// Right-hand sides of a solve.
  static constexpr Index width = 16;

  SupernodalFactor(std::shared_ptr<const SupernodalStructure> structure, NodeArray<double> values)
      : structure_(std::move(structure)), values_(std::move(values)) {}

  [[nodiscard]] const SupernodalStructure& structure() const { return *structure_; }
  /// Stored values, including zeros in supernodes.
  [[nodiscard]] Index values() const { return values_.size(); }

  /// X := A⁻¹ X, X n x width, row-major, aligned to 64 bytes, rows in the factor's order.
  /// @param filled rows of X that may be nonzero; empty: all. Columns that are no ancestors of these in the tree are
  ///   skipped. Local, thread-safe.
  void solve(double* x, std::span<const Index> filled) const;

 private:
  std::shared_ptr<const SupernodalStructure> structure_;
  NodeArray<double> values_;
};

/// Values of a symmetric matrix with the pattern of a BiharmonicOperator.
struct SymmetricValues {
  std::vector<double> arcs;      ///< of (i, neighbors[a]), a in row i; both halves
  std::vector<double> diagonal;  ///< n
};

/// Factors positive definite matrices of one pattern (rows `starts`, `neighbors` ascending, without diagonal). They
/// are ordered once by nested dissection and factored one after the other (CHOLMOD, supernodal) by the first rank of
/// each node, which alone needs `matrices`. All ranks pass the same number of matrices.
/// @throws Error(numeric) if one is not positive definite, Error(resource) if a factor does not fit. Collective.
[[nodiscard]] std::vector<SupernodalFactor> factorize(const Communicator& communicator, const NodeArray<Index>& starts,
                                                      const NodeArray<std::int32_t>& neighbors,
                                                      const std::vector<SymmetricValues>& matrices);

}  // namespace cairn
