// Collects co-occurrences in order of appearance on one rank. Private to this folder.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "cairn/base/buffer.hpp"

namespace cairn {

/// An addition to C in a bucket: its row relative to the first row of the bucket, the other word, a code for its
/// weight.
struct Addition {
  std::uint64_t bits = 0;  // 16, 32 and 16 bits for row, other word and code

  [[nodiscard]] std::size_t row() const { return static_cast<std::size_t>(bits >> 48U); }
  [[nodiscard]] std::int32_t other() const { return static_cast<std::int32_t>((bits >> 16U) & 0xFFFFFFFFU); }
  [[nodiscard]] std::size_t code() const { return static_cast<std::size_t>(bits & 0xFFFFU); }
};

/// Ranges of rows whose additions are stored together; equal on every rank.
struct Buckets {
  /// Divides the rows so that about the same number of additions is expected in each bucket.
  /// @param frequencies  frequencies of the words, descending
  /// @param first_row    first row that belongs to a bucket
  Buckets(std::span<const Index> frequencies, std::int32_t first_row);

  std::vector<std::int32_t> first;    ///< first row of each bucket, and the number of rows
  std::vector<std::uint16_t> of_row;  ///< bucket of each row from first_row on; 0 for earlier rows
  [[nodiscard]] Index size() const { return static_cast<Index>(first.size()) - 1; }
  [[nodiscard]] std::size_t rows(Index bucket) const {
    const auto b = static_cast<std::size_t>(bucket);
    return static_cast<std::size_t>(first[b + 1] - first[b]);
  }
};

/// Additions to C. Most are to pairs of a few frequent words, which are summed in a dense triangle. The others are
/// appended to the bucket of the rarer word until the memory budget is used up; then they must be added up elsewhere.
/// Only additions to the triangle miss the cache.
class Additions {
 public:
  /// Maximum number of rows of the dense triangle.
  static constexpr Index most_dense = 2048;
  /// Approximate number of buckets for the other rows.
  static constexpr Index wanted_buckets = 192;
  /// Maximum code of an addition.
  static constexpr Index most_code = 65535;

  /// @param weights     weights[code]: weight of an addition with this code; code 0 is not used
  /// @param most_bytes  approximate maximum bytes of additions in buckets
  Additions(std::span<const Index> frequencies, std::vector<Index> weights, Index most_bytes);

  void add(std::int32_t i, std::int32_t j, Index code) {
    const std::int32_t row = i > j ? i : j, other = i > j ? j : i;
    if (row < dense_) return add_dense(row, other, weights_[code]);
    const std::size_t bucket = buckets_.of_row[row];
    Filling& filling = fillings_[bucket];
    if (filling.next == filling.end) begin_chunk(filling);
    filling.next->bits = (static_cast<std::uint64_t>(row - filling.first) << 48U) |
                         (static_cast<std::uint64_t>(other) << 16U) | static_cast<std::uint64_t>(code);
    ++filling.next;
  }

  /// True if the additions fill their memory budget. A few more can still be added.
  [[nodiscard]] bool full() const { return used_ >= most_chunks_; }
  [[nodiscard]] const Buckets& buckets() const { return buckets_; }
  [[nodiscard]] const std::vector<Index>& weights() const { return weights_; }
  /// Additions of a bucket, in pieces that are valid until the bucket is cleared.
  [[nodiscard]] std::vector<std::span<const Addition>> of_bucket(Index bucket) const;
  /// Removes the additions of a bucket; the memory is reused.
  void clear(Index bucket);

  [[nodiscard]] Index dense_rows() const { return dense_; }
  /// Returns the dense_rows() (dense_rows() + 1) / 2 sums of the triangle, row by row, and resets them to 0.
  [[nodiscard]] std::vector<Index> take_dense();

 private:
  // Position of the next addition to a bucket.
  struct Filling {
    Addition* next = nullptr;
    Addition* end = nullptr;
    std::int32_t first = 0;  // first row
    std::vector<std::size_t> chunks{};
  };

  void add_dense(std::int32_t row, std::int32_t other, Index count) {
    const std::size_t place =
        static_cast<std::size_t>(row) * static_cast<std::size_t>(row + 1) / 2 + static_cast<std::size_t>(other);
    std::uint32_t& sum = triangle_[place];
    const std::uint32_t before = sum;
    sum += static_cast<std::uint32_t>(count);
    if (sum < before) ++carries_[place];
  }
  void begin_chunk(Filling& filling);
  void extend_memory();

  std::vector<Index> weights_;
  std::int32_t dense_;
  Buckets buckets_;
  std::vector<std::uint32_t> triangle_;
  std::unordered_map<std::size_t, Index> carries_;  // overflows of the triangle's entries, in units of 2^32
  std::vector<Filling> fillings_;
  std::vector<Buffer<Addition>> memory_;  // large allocations, which are mapped to large pages
  std::vector<Addition*> chunks_;
  std::vector<std::size_t> free_;  // unused chunks
  Index chunk_entries_, most_chunks_;
  Index used_ = 0;  // number of chunks in use
};

}  // namespace cairn
