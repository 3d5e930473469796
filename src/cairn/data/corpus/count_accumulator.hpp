// Adding up co-occurrences as they come, on one rank. Private to this folder.
#pragma once

#include <cstdint>
#include <iterator>
#include <span>
#include <unordered_map>
#include <vector>

#include "cairn/base/buffer.hpp"
#include "cairn/data/corpus/row_sums.hpp"

namespace cairn {

/// Sums of some rows that follow each other.
struct SumRows {
  std::int32_t first = 0;
  std::vector<Index> starts{0};      ///< of the rows
  std::vector<std::int32_t> others;  ///< ascending within a row, at most the row
  std::vector<Index> counts;

  [[nodiscard]] std::int32_t end() const { return first + static_cast<std::int32_t>(std::ssize(starts) - 1); }
  [[nodiscard]] Range entries(std::int32_t row) const {
    const auto local = static_cast<std::size_t>(row - first);
    return {starts[local], starts[local + 1]};
  }
};

/// Sums of pairs of words. Most additions belong to few frequent words, whose triangle is kept densely; the others are
/// written one after another into the bucket of the rarer word (a range of rows), and added up when it is full: no
/// addition misses a cache but that to the triangle.
class CountAccumulator {
 public:
  /// Rows of the dense triangle.
  static constexpr Index most_dense = 2048;
  /// Additions that a bucket holds before they are added up.
  static constexpr Index bucket_entries = Index{1} << 16U;
  /// What the codes of an addition can be.
  static constexpr Index most_code = 65535;

  /// @param frequencies  of the words, falling: rows are dealt into buckets so that these fill at one pace
  /// @param weights  weights[code]: what an addition with this code counts; code 0 is not used
  CountAccumulator(std::span<const Index> frequencies, std::vector<Index> weights);

  void add(std::int32_t i, std::int32_t j, Index code) {
    const std::int32_t row = i > j ? i : j, other = i > j ? j : i;
    if (row < dense_) return add_dense(row, other, weights_[static_cast<std::size_t>(code)]);
    const std::size_t number = bucket_of_[static_cast<std::size_t>(row)];
    Filling& filling = fillings_[number];
    *filling.next++ = (static_cast<std::uint64_t>(row - filling.first) << 48U) |
                      (static_cast<std::uint64_t>(other) << 16U) | static_cast<std::uint64_t>(code);
    if (filling.next == filling.end) add_up(number);
  }

  [[nodiscard]] Index dense_rows() const { return dense_; }
  /// Bytes of the sums that are kept beside the triangle and the additions in buckets.
  [[nodiscard]] Index sum_bytes() const { return sum_bytes_; }
  [[nodiscard]] Index buckets() const { return std::ssize(buckets_); }
  /// The sums of a bucket, which are then forgotten; buckets have ascending rows.
  [[nodiscard]] SumRows take(Index bucket);
  /// The sums of the triangle, row by row: dense_rows() (dense_rows() + 1) / 2 of them; they are then forgotten.
  [[nodiscard]] std::vector<Index> take_dense();

 private:
  // Where the next addition to a bucket goes.
  struct Filling {
    std::uint64_t* next = nullptr;  // row - first, other, code: 16, 32 and 16 bits
    std::uint64_t* end = nullptr;
    std::int32_t first = 0;  // row
  };

  void add_dense(std::int32_t row, std::int32_t other, Index count) {
    const std::size_t place =
        static_cast<std::size_t>(row) * static_cast<std::size_t>(row + 1) / 2 + static_cast<std::size_t>(other);
    std::uint32_t& sum = triangle_[place];
    const std::uint32_t before = sum;
    sum += static_cast<std::uint32_t>(count);
    if (sum < before) ++carries_[place];
  }
  void add_up(std::size_t bucket);
  [[nodiscard]] std::span<const std::uint64_t> additions(std::size_t bucket) const;
  void sort_by_row(std::span<const std::uint64_t> additions, std::size_t rows);

  std::vector<Index> weights_;
  std::int32_t dense_;
  std::vector<std::uint32_t> triangle_;
  std::unordered_map<std::size_t, Index> carries_;  // of the triangle: times 2^32
  std::vector<std::uint16_t> bucket_of_;            // of each row
  std::vector<Filling> fillings_;
  std::vector<SumRows> buckets_;
  Buffer<std::uint64_t> additions_;  // bucket_entries a bucket
  RowSums sums_;
  SumRows scratch_;               // keeps its memory: new pages are expensive
  std::vector<Index> begins_;     // of the rows' additions, when they are sorted
  Buffer<std::uint64_t> sorted_;  // the additions of a bucket by their rows
  Index sum_bytes_ = 0;
};

}  // namespace cairn
