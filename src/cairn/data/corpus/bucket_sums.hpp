// Sums additions on the rank that owns their bucket. Private to this folder.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "cairn/base/buffer.hpp"
#include "cairn/base/index.hpp"
#include "cairn/base/mpi/communicator.hpp"
#include "cairn/data/corpus/additions.hpp"

namespace cairn {

/// Adds up the entries of one row at a time. Memory: 8 bytes per column.
class CountRowSums {
 public:
  explicit CountRowSums(Index columns)
      : sums_(static_cast<std::size_t>(columns), 0), marks_(sums_.size() / 64 + 1, 0) {}

  /// @pre count > 0
  void add(std::int32_t column, Index count) {
    Index& sum = sums_[column];
    if (sum == 0) touched_.push_back(column);
    sum += count;
  }

  /// Calls emit(column, sum) in ascending order of the columns and clears the row.
  template <class Emit>
  void take(Emit emit) {
    // Scanning one bit per column is cheaper than sorting unless the row is nearly empty.
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
    Index& sum = sums_[column];
    emit(column, sum);
    sum = 0;
  }

  std::vector<Index> sums_;
  std::vector<std::int32_t> touched_;
  std::vector<std::uint64_t> marks_;
};

/// Sums of consecutive rows.
struct SumRows {
  std::int32_t first = 0;
  std::vector<Index> starts{0};      ///< first entry of each row
  std::vector<std::int32_t> others;  ///< ascending within a row, at most the row
  std::vector<Index> counts;

  [[nodiscard]] std::int32_t end() const { return first + static_cast<std::int32_t>(std::ssize(starts) - 1); }
  [[nodiscard]] bool contains(Index row) const { return first <= row && row < end(); }
  /// Range of the entries of a row.
  [[nodiscard]] Range entries(Index row) const {
    const auto local = static_cast<std::size_t>(row - first);
    return {starts[local], starts[local + 1]};
  }
  /// Makes `rows` empty rows from `first_row` on; the memory is kept.
  void clear(std::int32_t first_row, std::size_t rows) {
    first = first_row;
    starts.assign(rows + 1, 0);
    others.clear();
    counts.clear();
  }
};

/// Sums of the buckets of a rank. Bucket b belongs to rank b mod ranks.
class BucketSums {
 public:
  /// Number of a rank's buckets processed at a time, so that messages stay small.
  static constexpr Index buckets_at_once = 8;
  /// Bytes per sum: other word and count.
  static constexpr Index bytes_of_a_sum = 12;

  /// @param words  number of columns of C
  BucketSums(const Communicator& communicator, const Additions& additions, Index words);

  /// Sums the additions of all ranks, several buckets at a time, and clears them. Collective.
  void add(Additions& additions);
  /// Bytes of this rank's sums.
  [[nodiscard]] Index bytes() const { return bytes_; }
  /// Number of buckets of all ranks that are processed at a time: [first, first + round()).
  [[nodiscard]] Index round() const { return buckets_at_once * communicator_.size(); }
  /// Returns and removes the sums of this rank's buckets among the round() buckets from `first` on, ascending. Local.
  [[nodiscard]] std::vector<SumRows> take(Index first);
  [[nodiscard]] Index buckets() const { return buckets_.size(); }

 private:
  using Pieces = std::vector<std::span<const Addition>>;

  [[nodiscard]] bool is_own(Index bucket) const { return bucket % communicator_.size() == communicator_.rank(); }
  [[nodiscard]] Range round_from(Index first) const;
  void add_up(Index bucket, const Pieces& pieces);
  void sort_by_row(const Pieces& pieces, std::size_t rows);

  const Communicator& communicator_;
  const Buckets& buckets_;
  const std::vector<Index>& weights_;
  std::vector<SumRows> sums_;  // of this rank's buckets, by b / ranks
  CountRowSums row_;
  SumRows scratch_;            // keeps its memory, since new pages are expensive
  std::vector<Index> begins_;  // first addition of each row after sorting
  Buffer<Addition> sorted_;    // additions of a bucket sorted by row
  std::vector<std::vector<Addition>> outgoing_;
  ReusedArrays<Addition> received_;
  Index bytes_ = 0;
};

}  // namespace cairn
