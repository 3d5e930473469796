// A tall factor of an approximation: dense, sparse, or evaluated when it is needed.
#pragma once

#include <memory>
#include <utility>

#include "cairn/approximation/landmark_rows.hpp"
#include "cairn/base/error.hpp"
#include "cairn/linalg/sparse/sparse_rows.hpp"
#include "cairn/linalg/tall/tall_matrix.hpp"

namespace cairn {

/// L or R of K ~ g(L J Rᵀ): rows contiguous over ranks, dense, sparse, or not held at all but evaluated from the
/// landmarks. Common properties are members; values are accessed by dense(), sparse() or landmark_rows(). Move-only.
template <class T>
class Factor {
 public:
  Factor() = default;
  Factor(RowBlock<T> rows) : tall_(std::move(rows)) {}                        // NOLINT(google-explicit-constructor)
  Factor(TallMatrix<T> rows) : tall_(std::move(rows)) {}                      // NOLINT(google-explicit-constructor)
  Factor(SparseRows<T> rows) : sparse_(std::move(rows)), is_sparse_(true) {}  // NOLINT(google-explicit-constructor)
  Factor(LandmarkRows<T> rows)                                                // NOLINT(google-explicit-constructor)
      : landmark_rows_(std::make_shared<const LandmarkRows<T>>(std::move(rows))) {}

  [[nodiscard]] bool is_sparse() const { return is_sparse_; }
  /// False if the rows are evaluated whenever they are needed.
  [[nodiscard]] bool is_stored() const { return landmark_rows_ == nullptr; }
  [[nodiscard]] const RowPartition& partition() const {
    return !is_stored() ? landmark_rows_->partition() : is_sparse_ ? sparse_.partition() : tall_.partition();
  }
  /// Number of rows of the whole factor.
  [[nodiscard]] Index rows() const { return partition().rows(); }
  [[nodiscard]] Index columns() const {
    return !is_stored() ? landmark_rows_->columns() : is_sparse_ ? sparse_.columns() : tall_.columns();
  }
  /// Rows of this rank.
  [[nodiscard]] Range range() const {
    return !is_stored() ? landmark_rows_->range() : is_sparse_ ? sparse_.range() : tall_.range();
  }

  /// The rows of a dense factor, which may be held as integers.
  /// @throws Error(internal) if the factor is sparse: callers must check first; Error(usage) if it is not stored
  [[nodiscard]] TallMatrix<T>& tall() { return require(is_stored() && !is_sparse_), tall_; }
  [[nodiscard]] const TallMatrix<T>& tall() const { return require(is_stored() && !is_sparse_), tall_; }
  /// The same where no column is a column of K, as it comes from a SourceSimilarity.
  /// @throws Error(internal) also if the rows are held as integers
  [[nodiscard]] RowBlock<T>& dense() { return tall().numbers(); }
  [[nodiscard]] const RowBlock<T>& dense() const { return tall().numbers(); }
  /// @throws Error(internal) if the factor is dense
  [[nodiscard]] SparseRows<T>& sparse() { return require(is_sparse_), sparse_; }
  [[nodiscard]] const SparseRows<T>& sparse() const { return require(is_sparse_), sparse_; }
  /// @throws Error(internal) if the rows are stored
  [[nodiscard]] const LandmarkRows<T>& landmark_rows() const { return require(!is_stored()), *landmark_rows_; }

 private:
  void require(bool of_that_kind) const {
    if (of_that_kind) return;
    if (!is_stored()) throw rows_not_kept();
    throw Error(ErrorKind::internal, "a dense factor, a sparse one and one that is not stored are taken for another");
  }

  TallMatrix<T> tall_;  // or
  SparseRows<T> sparse_;
  bool is_sparse_ = false;
  std::shared_ptr<const LandmarkRows<T>> landmark_rows_;  // or
};

}  // namespace cairn
