// Co-occurrences as they come, on one rank. Private to this folder.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "cairn/base/buffer.hpp"

namespace cairn {

/// An addition to C in a bucket: its row less the first of the bucket, the other word, a code for what it counts.
struct Addition {
  std::uint64_t bits = 0;  // 16, 32 and 16 bits

  [[nodiscard]] std::size_t row() const { return static_cast<std::size_t>(bits >> 48U); }
  [[nodiscard]] std::int32_t other() const { return static_cast<std::int32_t>((bits >> 16U) & 0xFFFFFFFFU); }
  [[nodiscard]] std::size_t code() const { return static_cast<std::size_t>(bits & 0xFFFFU); }
};

/// Ranges of rows whose additions are kept together: the same on every rank.
struct Buckets {
  /// As many additions are expected in each. @param frequencies  of the words, falling. @param first  row
  Buckets(std::span<const Index> frequencies, std::int32_t first_row);

  std::vector<std::int32_t> first;    ///< row of each bucket, and the number of rows
  std::vector<std::uint16_t> of_row;  ///< bucket of each row from first_row on; 0 before
  [[nodiscard]] Index size() const { return static_cast<Index>(first.size()) - 1; }
  [[nodiscard]] std::size_t rows(Index bucket) const {
    const auto b = static_cast<std::size_t>(bucket);
    return static_cast<std::size_t>(first[b + 1] - first[b]);
  }
};

/// Additions to C. Most are to pairs of few frequent words, whose triangle is kept densely; the others are written one
/// after another into the bucket of the rarer word, until there is no room: then they have to be added up elsewhere.
/// No addition misses a cache but that to the triangle.
class Additions {
 public:
  /// Rows of the dense triangle.
  static constexpr Index most_dense = 2048;
  /// Buckets of the other rows, about.
  static constexpr Index wanted_buckets = 192;
  /// What the codes of an addition can be.
  static constexpr Index most_code = 65535;

  /// @param weights  weights[code]: what an addition with this code counts; code 0 is not used
  /// @param most_bytes  of additions in buckets, about
  Additions(std::span<const Index> frequencies, std::vector<Index> weights, Index most_bytes);

  void add(std::int32_t i, std::int32_t j, Index code) {
    const std::int32_t row = i > j ? i : j, other = i > j ? j : i;
    if (row < dense_) return add_dense(row, other, weights_[static_cast<std::size_t>(code)]);
    const std::size_t bucket = buckets_.of_row[static_cast<std::size_t>(row)];
    Filling& filling = fillings_[bucket];
    if (filling.next == filling.end) begin_chunk(filling);
    filling.next->bits = (static_cast<std::uint64_t>(row - filling.first) << 48U) |
                         (static_cast<std::uint64_t>(other) << 16U) | static_cast<std::uint64_t>(code);
    ++filling.next;
  }

  /// Whether the additions take the memory that they may. More can be added, if little.
  [[nodiscard]] bool full() const { return used_ >= most_chunks_; }
  [[nodiscard]] const Buckets& buckets() const { return buckets_; }
  [[nodiscard]] const std::vector<Index>& weights() const { return weights_; }
  /// Those of a bucket, in pieces that are valid until it is cleared.
  [[nodiscard]] std::vector<std::span<const Addition>> of_bucket(Index bucket) const;
  /// Forgets those of a bucket; the memory is used again.
  void clear(Index bucket);

  [[nodiscard]] Index dense_rows() const { return dense_; }
  /// The sums of the triangle, row by row: dense_rows() (dense_rows() + 1) / 2 of them; they are then forgotten.
  [[nodiscard]] std::vector<Index> take_dense();

 private:
  // Where the next addition to a bucket goes.
  struct Filling {
    Addition* next = nullptr;
    Addition* end = nullptr;
    std::int32_t first = 0;  // row
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
  std::unordered_map<std::size_t, Index> carries_;  // of the triangle: times 2^32
  std::vector<Filling> fillings_;
  std::vector<Buffer<Addition>> memory_;  // large pieces, which are mapped in large pages
  std::vector<Addition*> chunks_;
  std::vector<std::size_t> free_;  // chunks
  Index chunk_entries_, most_chunks_;
  Index used_ = 0;  // chunks
};

}  // namespace cairn
