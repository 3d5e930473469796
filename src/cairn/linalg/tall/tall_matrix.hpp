// Tall dense matrices of numbers, or of integers that take fewer bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <variant>

#include "cairn/base/error.hpp"
#include "cairn/linalg/tall/row_block.hpp"

namespace cairn {

/// Uninitialized rows as those of `shape`, on the same rank. @throws Error(resource) as RowBlock does (not collective)
template <class T, class Other>
[[nodiscard]] RowBlock<T> rows_like(const RowBlock<Other>& shape, Index columns) {
  const RowPartition& partition = shape.partition();
  int rank = 0;
  while (partition.range(rank).begin != shape.range().begin || partition.range(rank).end != shape.range().end) ++rank;
  return RowBlock<T>(partition, rank, columns);
}

/// A tall matrix of numbers T, held as such, or as unsigned integers of 2 or 4 bytes that T represents exactly. What
/// reads it converts some rows at a time. Move-only.
template <class T>
class TallMatrix {
 public:
  TallMatrix() = default;
  TallMatrix(RowBlock<T> rows) : rows_(std::move(rows)) {}              // NOLINT(google-explicit-constructor)
  TallMatrix(RowBlock<std::uint16_t> rows) : rows_(std::move(rows)) {}  // NOLINT(google-explicit-constructor)
  TallMatrix(RowBlock<std::uint32_t> rows) : rows_(std::move(rows)) {}  // NOLINT(google-explicit-constructor)

  /// Uninitialized. @param bytes  of an entry: 2 or 4 for integers, else sizeof(T)
  /// @throws Error(resource) as RowBlock does (not collective)
  [[nodiscard]] static TallMatrix of_bytes(Index bytes, const RowPartition& partition, int rank, Index columns) {
    if (bytes == sizeof(T)) return RowBlock<T>(partition, rank, columns);
    if (bytes == sizeof(std::uint16_t)) return RowBlock<std::uint16_t>(partition, rank, columns);
    return RowBlock<std::uint32_t>(partition, rank, columns);
  }

  /// Calls use(rows) with the rows as they are held: a RowBlock of T or of integers.
  template <class Use>
  decltype(auto) visit(Use&& use) const {
    return std::visit(std::forward<Use>(use), rows_);
  }
  template <class Use>
  decltype(auto) visit(Use&& use) {
    return std::visit(std::forward<Use>(use), rows_);
  }

  [[nodiscard]] const RowPartition& partition() const {
    return visit([](const auto& rows) -> const RowPartition& { return rows.partition(); });
  }
  [[nodiscard]] Index rows() const { return partition().rows(); }
  [[nodiscard]] Range range() const {
    return visit([](const auto& rows) { return rows.range(); });
  }
  [[nodiscard]] Index columns() const {
    return visit([](const auto& rows) { return rows.columns(); });
  }
  /// True if the entries are held as integers.
  [[nodiscard]] bool is_integral() const { return !std::holds_alternative<RowBlock<T>>(rows_); }
  /// Bytes of an entry.
  [[nodiscard]] Index value_bytes() const {
    return visit([]<class N>(const RowBlock<N>& /*rows*/) { return static_cast<Index>(sizeof(N)); });
  }

  /// @throws Error(internal) if the entries are held as integers
  [[nodiscard]] RowBlock<T>& numbers() { return get<RowBlock<T>>(rows_); }
  [[nodiscard]] const RowBlock<T>& numbers() const { return get<const RowBlock<T>>(rows_); }

  /// Writes the row with this global number, which this rank must hold, to `out`.
  template <class Number>
  void copy_row(Index global, Number* out) const {
    visit([&](const auto& rows) {
      std::ranges::transform(rows.row(global), out, [](auto value) { return static_cast<Number>(value); });
    });
  }

  /// The matrix as numbers T; converted, with its integers beside it, if they are integers.
  /// @throws Error(resource) as RowBlock does (not collective)
  [[nodiscard]] RowBlock<T> widened() && {
    if (!is_integral()) return std::move(numbers());
    auto wide = visit([](const auto& rows) { return rows_like<T>(rows, rows.columns()); });
    for (Index i = wide.range().begin; i < wide.range().end; ++i) copy_row(i, wide.row(i).data());
    rows_ = RowBlock<T>();
    return wide;
  }

 private:
  template <class Rows, class Variant>
  static Rows& get(Variant& rows) {
    if (auto* found = std::get_if<std::remove_const_t<Rows>>(&rows)) return *found;
    throw Error(ErrorKind::internal, "a factor of integers is taken for one of other numbers");
  }

  std::variant<RowBlock<T>, RowBlock<std::uint16_t>, RowBlock<std::uint32_t>> rows_;
};

}  // namespace cairn
