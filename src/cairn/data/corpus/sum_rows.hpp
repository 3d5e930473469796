// Sums of co-occurrences on their way. Private to this folder.
#pragma once

#include <cstdint>
#include <iterator>
#include <vector>

#include "cairn/base/index.hpp"

namespace cairn {

/// Sums of some rows that follow each other.
struct SumRows {
  std::int32_t first = 0;
  std::vector<Index> starts{0};      ///< of the rows
  std::vector<std::int32_t> others;  ///< ascending within a row, at most the row
  std::vector<Index> counts;

  [[nodiscard]] std::int32_t end() const { return first + static_cast<std::int32_t>(std::ssize(starts) - 1); }
  [[nodiscard]] bool contains(Index row) const { return first <= row && row < end(); }
  /// The places of the entries of a row.
  [[nodiscard]] Range entries(Index row) const {
    const auto local = static_cast<std::size_t>(row - first);
    return {starts[local], starts[local + 1]};
  }
  /// No entries in so many rows from `first_row` on; memory is kept.
  void clear(std::int32_t first_row, std::size_t rows) {
    first = first_row;
    starts.assign(rows + 1, 0);
    others.clear();
    counts.clear();
  }
};

}  // namespace cairn
