#include "cairn/data/corpus/count_accumulator.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace cairn {

namespace {

constexpr Index wanted_buckets = 192;
constexpr Index most_rows = 65536;    // of a bucket: 16 bits
constexpr Index bytes_of_a_sum = 12;  // other and count
constexpr std::uint64_t other_mask = 0xFFFFFFFFU, code_mask = 0xFFFFU;

std::size_t row_of(std::uint64_t addition) { return static_cast<std::size_t>(addition >> 48U); }
std::int32_t other_of(std::uint64_t addition) { return static_cast<std::int32_t>((addition >> 16U) & other_mask); }
std::size_t code_of(std::uint64_t addition) { return static_cast<std::size_t>(addition & code_mask); }

}  // namespace

CountAccumulator::CountAccumulator(std::span<const Index> frequencies, std::vector<Index> weights)
    : weights_(std::move(weights)),
      dense_(static_cast<std::int32_t>(std::min(most_dense, std::ssize(frequencies)))),
      triangle_(static_cast<std::size_t>(dense_) * static_cast<std::size_t>(dense_ + 1) / 2, 0),
      bucket_of_(frequencies.size(), 0),
      sums_(std::ssize(frequencies)),
      sorted_(bucket_entries) {
  const auto first = static_cast<std::size_t>(dense_);
  const Index sum =
      std::accumulate(frequencies.begin() + static_cast<std::ptrdiff_t>(first), frequencies.end(), Index{0});
  const Index share = std::max<Index>(1, sum / wanted_buckets);
  Index filled = 0;
  for (std::size_t row = first; row < frequencies.size(); ++row) {
    if (buckets_.empty() || filled >= share || buckets_.back().rows == most_rows) {
      filled = 0;
      Bucket& next = buckets_.emplace_back();
      next.first = static_cast<std::int32_t>(row);
      next.additions = Buffer<std::uint64_t>(bucket_entries);
    }
    filled += frequencies[row];
    ++buckets_.back().rows;
    bucket_of_[row] = static_cast<std::uint16_t>(buckets_.size() - 1);
  }
  for (Bucket& bucket : buckets_) bucket.starts.assign(static_cast<std::size_t>(bucket.rows) + 1, 0);
}

void CountAccumulator::sort_by_row(const Bucket& bucket) {
  begins_.assign(static_cast<std::size_t>(bucket.rows) + 1, 0);
  for (Index k = 0; k < bucket.filled; ++k) ++begins_[row_of(bucket.additions[k]) + 1];
  std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
  for (Index k = 0; k < bucket.filled; ++k) sorted_[begins_[row_of(bucket.additions[k])]++] = bucket.additions[k];
  // begins_[r] is now where row r + 1 begins.
}

void CountAccumulator::add_up(Bucket& bucket) {
  if (bucket.filled == 0) return;
  sort_by_row(bucket);
  std::vector<std::int32_t> others;
  std::vector<Index> counts, starts{0};
  others.reserve(bucket.others.size() + static_cast<std::size_t>(bucket.filled) / 4);
  counts.reserve(others.capacity());
  starts.reserve(bucket.starts.size());
  Index at = 0;
  for (std::size_t row = 0; row < static_cast<std::size_t>(bucket.rows); ++row) {
    if (at == begins_[row]) {  // nothing new
      const auto begin = bucket.starts[row], end = bucket.starts[row + 1];
      others.insert(others.end(), bucket.others.begin() + begin, bucket.others.begin() + end);
      counts.insert(counts.end(), bucket.counts.begin() + begin, bucket.counts.begin() + end);
    } else {
      for (auto k = static_cast<std::size_t>(bucket.starts[row]); k < static_cast<std::size_t>(bucket.starts[row + 1]);
           ++k) {
        sums_.add(bucket.others[k], bucket.counts[k]);
      }
      for (; at < begins_[row]; ++at) sums_.add(other_of(sorted_[at]), weights_[code_of(sorted_[at])]);
      sums_.take([&](std::int32_t other, Index count) {
        others.push_back(other);
        counts.push_back(count);
      });
    }
    starts.push_back(std::ssize(others));
  }
  sum_bytes_ += (std::ssize(others) - std::ssize(bucket.others)) * bytes_of_a_sum;
  bucket.others = std::move(others);
  bucket.counts = std::move(counts);
  bucket.starts = std::move(starts);
  bucket.filled = 0;
}

std::vector<CountEntry> CountAccumulator::take(Index number) {
  Bucket& bucket = buckets_[static_cast<std::size_t>(number)];
  add_up(bucket);
  std::vector<CountEntry> entries;
  entries.reserve(bucket.others.size());
  for (std::size_t row = 0; row < static_cast<std::size_t>(bucket.rows); ++row) {
    for (auto k = static_cast<std::size_t>(bucket.starts[row]); k < static_cast<std::size_t>(bucket.starts[row + 1]);
         ++k) {
      entries.push_back({bucket.first + static_cast<std::int32_t>(row), bucket.others[k], bucket.counts[k]});
    }
  }
  sum_bytes_ -= std::ssize(bucket.others) * bytes_of_a_sum;
  bucket.others = {};
  bucket.counts = {};
  bucket.starts.assign(static_cast<std::size_t>(bucket.rows) + 1, 0);
  return entries;
}

std::vector<Index> CountAccumulator::take_dense() {
  std::vector<Index> sums(triangle_.begin(), triangle_.end());
  for (const auto& [place, carry] : carries_) sums[place] += carry << 32U;
  std::ranges::fill(triangle_, 0U);
  carries_.clear();
  return sums;
}

}  // namespace cairn
