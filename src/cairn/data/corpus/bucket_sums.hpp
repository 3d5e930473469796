// Additions summed by the rank that has their bucket. Private to this folder.
#pragma once

#include <span>
#include <vector>

#include "cairn/base/buffer.hpp"
#include "cairn/base/mpi/communicator.hpp"
#include "cairn/data/corpus/additions.hpp"
#include "cairn/data/corpus/row_sums.hpp"
#include "cairn/data/corpus/sum_rows.hpp"

namespace cairn {

/// Sums of the buckets of a rank: bucket b is that of rank b mod ranks.
class BucketSums {
 public:
  /// Buckets of a rank that are taken at a time, so that messages stay small.
  static constexpr Index buckets_at_once = 8;
  /// Bytes of a sum: other and count.
  static constexpr Index bytes_of_a_sum = 12;

  /// `words`: columns of C.
  BucketSums(const Communicator& communicator, const Additions& additions, Index words);

  /// Adds the additions of all ranks, some buckets at a time, and clears them. Collective.
  void add(Additions& additions);
  /// Of this rank.
  [[nodiscard]] Index bytes() const { return bytes_; }
  /// Buckets that are taken at a time: numbers [first, first + round()).
  [[nodiscard]] Index round() const { return buckets_at_once * communicator_.size(); }
  /// The sums of this rank's buckets among those from `first` on, ascending; they are then forgotten. Local.
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
  std::vector<SumRows> sums_;  // of own buckets, by b / ranks
  CountRowSums row_;
  SumRows scratch_;            // keeps its memory: new pages are expensive
  std::vector<Index> begins_;  // of the rows' additions, when they are sorted
  Buffer<Addition> sorted_;    // the additions of a bucket by their rows
  std::vector<std::vector<Addition>> outgoing_;
  ReusedArrays<Addition> received_;
  Index bytes_ = 0;
};

}  // namespace cairn
