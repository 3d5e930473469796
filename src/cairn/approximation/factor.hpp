// A tall factor of an approximation, dense or sparse.
#pragma once

#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/linalg/sparse/sparse_rows.hpp"
#include "cairn/linalg/tall/tall_matrix.hpp"

namespace cairn {

/// L or R of K ~ g(L J Rᵀ): rows contiguous over ranks, dense or sparse. Common properties are members; values are
/// accessed by dense() or sparse(). Move-only.
template <class T>
class Factor {
 public:
  Factor() = default;
  Factor(RowBlock<T> rows) : tall_(std::move(rows)) {}                        // NOLINT(google-explicit-constructor)
  Factor(TallMatrix<T> rows) : tall_(std::move(rows)) {}                      // NOLINT(google-explicit-constructor)
  Factor(SparseRows<T> rows) : sparse_(std::move(rows)), is_sparse_(true) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool is_sparse() const { return is_sparse_; }
  [[nodiscard]] const RowPartition& partition() const { return is_sparse_ ? sparse_.partition() : tall_.partition(); }
  /// Number of rows of the whole factor.
  [[nodiscard]] Index rows() const { return partition().rows(); }
  [[nodiscard]] Index columns() const { return is_sparse_ ? sparse_.columns() : tall_.columns(); }
  /// Rows that this rank holds.
  [[nodiscard]] Range range() const { return is_sparse_ ? sparse_.range() : tall_.range(); }

  /// The rows of a dense factor, which may be held as integers.
  /// @throws Error(internal) if the factor is sparse: callers must check first
  [[nodiscard]] TallMatrix<T>& tall() { return require(!is_sparse_), tall_; }
  [[nodiscard]] const TallMatrix<T>& tall() const { return require(!is_sparse_), tall_; }
  /// The same where no column is a column of K, as it comes from a SourceSimilarity.
  /// @throws Error(internal) also if the rows are held as integers
  [[nodiscard]] RowBlock<T>& dense() { return tall().numbers(); }
  [[nodiscard]] const RowBlock<T>& dense() const { return tall().numbers(); }
  /// @throws Error(internal) if the factor is dense
  [[nodiscard]] SparseRows<T>& sparse() { return require(is_sparse_), sparse_; }
  [[nodiscard]] const SparseRows<T>& sparse() const { return require(is_sparse_), sparse_; }

 private:
  static void require(bool of_that_kind) {
    if (of_that_kind) return;
    throw Error(ErrorKind::internal, "a sparse factor is taken for a dense one, or a dense one for a sparse one");
  }

  TallMatrix<T> tall_;  // or
  SparseRows<T> sparse_;
  bool is_sparse_ = false;
};

}  // namespace cairn
