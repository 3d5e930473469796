// Sums of one sparse row. Private to this folder.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "cairn/base/index.hpp"

namespace cairn {

/// Adds up the entries of one row after another. Memory: 8 bytes a column.
class CountRowSums {
 public:
  explicit CountRowSums(Index columns)
      : sums_(static_cast<std::size_t>(columns), 0), marks_(sums_.size() / 64 + 1, 0) {}

  /// @pre count > 0
  void add(std::int32_t column, Index count) {
    Index& sum = sums_[static_cast<std::size_t>(column)];
    if (sum == 0) touched_.push_back(column);
    sum += count;
  }

  /// Calls emit(column, sum) in ascending order of the columns; the row is then empty.
  template <class Emit>
  void take(Emit emit) {
    // Going through one bit a column is cheaper than to sort unless the row is nearly empty.
    constexpr std::size_t words_a_comparison = 4;
    if (touched_.size() * words_a_comparison < marks_.size()) {
      std::ranges::sort(touched_);
      for (const std::int32_t column : touched_) give(column, emit);
    } else {
      for (const std::int32_t column : touched_) {
        marks_[static_cast<std::size_t>(column) / 64] |= std::uint64_t{1} << (static_cast<std::uint32_t>(column) % 64U);
      }
      for (std::size_t w = 0; w < marks_.size(); ++w) {
        for (std::uint64_t left = marks_[w]; left != 0; left &= left - 1) {
          give(static_cast<std::int32_t>(w * 64 + static_cast<std::size_t>(std::countr_zero(left))), emit);
        }
        marks_[w] = 0;
      }
    }
    touched_.clear();
  }

 private:
  template <class Emit>
  void give(std::int32_t column, Emit& emit) {
    Index& sum = sums_[static_cast<std::size_t>(column)];
    emit(column, sum);
    sum = 0;
  }

  std::vector<Index> sums_;
  std::vector<std::int32_t> touched_;
  std::vector<std::uint64_t> marks_;
};

}  // namespace cairn
