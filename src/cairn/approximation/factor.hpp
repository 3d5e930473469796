// A tall factor of an approximation, dense or sparse.
#pragma once

#include <utility>
#include <variant>

#include "cairn/base/error.hpp"
#include "cairn/linalg/sparse/sparse_rows.hpp"
#include "cairn/linalg/tall/row_block.hpp"

namespace cairn {

/// L or R of K ~ g(L J Rᵀ): rows contiguous over ranks, dense or sparse. Common properties are members; values are
/// accessed by dense() or sparse(). Move-only.
template <class T>
class Factor {
 public:
  Factor() = default;
  Factor(RowBlock<T> rows) : rows_(std::move(rows)) {}    // NOLINT(google-explicit-constructor)
  Factor(SparseRows<T> rows) : rows_(std::move(rows)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool is_sparse() const { return std::holds_alternative<SparseRows<T>>(rows_); }
  [[nodiscard]] const RowPartition& partition() const {
    return std::visit([](const auto& rows) -> const RowPartition& { return rows.partition(); }, rows_);
  }
  /// Number of rows of the whole factor.
  [[nodiscard]] Index rows() const { return partition().rows(); }
  [[nodiscard]] Index columns() const {
    return std::visit([](const auto& rows) { return rows.columns(); }, rows_);
  }
  /// Rows that this rank holds.
  [[nodiscard]] Range range() const {
    return std::visit([](const auto& rows) { return rows.range(); }, rows_);
  }

  /// @throws Error(internal) if the factor is sparse: callers must check first
  [[nodiscard]] RowBlock<T>& dense() { return get<RowBlock<T>>(rows_); }
  [[nodiscard]] const RowBlock<T>& dense() const { return get<const RowBlock<T>>(rows_); }
  /// @throws Error(internal) if the factor is dense
  [[nodiscard]] SparseRows<T>& sparse() { return get<SparseRows<T>>(rows_); }
  [[nodiscard]] const SparseRows<T>& sparse() const { return get<const SparseRows<T>>(rows_); }

 private:
  template <class Rows, class Variant>
  static Rows& get(Variant& rows) {
    if (auto* found = std::get_if<std::remove_const_t<Rows>>(&rows)) return *found;
    throw Error(ErrorKind::internal, "a sparse factor is taken for a dense one, or a dense one for a sparse one");
  }

  std::variant<RowBlock<T>, SparseRows<T>> rows_;
};

}  // namespace cairn
