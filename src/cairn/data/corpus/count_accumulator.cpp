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
    if (buckets_.empty() || filled >= share || std::ssize(buckets_.back().starts) > most_rows) {
      filled = 0;
      buckets_.emplace_back().first = static_cast<std::int32_t>(row);
    }
    filled += frequencies[row];
    buckets_.back().starts.push_back(0);
    bucket_of_[row] = static_cast<std::uint16_t>(buckets_.size() - 1);
  }
  additions_ = Buffer<std::uint64_t>(std::ssize(buckets_) * bucket_entries);
  for (std::size_t b = 0; b < buckets_.size(); ++b) {
    std::uint64_t* begin = additions_.data() + static_cast<Index>(b) * bucket_entries;
    fillings_.push_back({begin, begin + bucket_entries, buckets_[b].first});
  }
}

std::span<const std::uint64_t> CountAccumulator::additions(std::size_t bucket) const {
  return {fillings_[bucket].end - bucket_entries, fillings_[bucket].next};
}

void CountAccumulator::sort_by_row(std::span<const std::uint64_t> additions, std::size_t rows) {
  begins_.assign(rows + 1, 0);
  for (const std::uint64_t addition : additions) ++begins_[row_of(addition) + 1];
  std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
  for (const std::uint64_t addition : additions) sorted_[begins_[row_of(addition)]++] = addition;
  // begins_[r] is now where row r + 1 begins.
}

void CountAccumulator::add_up(std::size_t number) {
  const auto fresh = additions(number);
  if (fresh.empty()) return;
  SumRows& old = buckets_[number];
  const auto rows = static_cast<std::size_t>(old.end() - old.first);
  sort_by_row(fresh, rows);
  SumRows& sums = scratch_;
  sums.first = old.first;
  sums.starts.assign(1, 0);
  sums.others.clear();
  sums.counts.clear();
  Index at = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    const Index begin = old.starts[row], end = old.starts[row + 1];
    if (at == begins_[row]) {  // nothing new
      sums.others.insert(sums.others.end(), old.others.begin() + begin, old.others.begin() + end);
      sums.counts.insert(sums.counts.end(), old.counts.begin() + begin, old.counts.begin() + end);
    } else {
      for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
        sums_.add(old.others[k], old.counts[k]);
      }
      for (; at < begins_[row]; ++at) sums_.add(other_of(sorted_[at]), weights_[code_of(sorted_[at])]);
      sums_.take([&](std::int32_t other, Index count) {
        sums.others.push_back(other);
        sums.counts.push_back(count);
      });
    }
    sums.starts.push_back(std::ssize(sums.others));
  }
  sum_bytes_ += (std::ssize(sums.others) - std::ssize(old.others)) * bytes_of_a_sum;
  old = sums;  // into the memory that it has, if that is enough
  fillings_[number].next = fillings_[number].end - bucket_entries;
}

SumRows CountAccumulator::take(Index bucket) {
  const auto number = static_cast<std::size_t>(bucket);
  add_up(number);
  SumRows taken = std::move(buckets_[number]);
  sum_bytes_ -= std::ssize(taken.others) * bytes_of_a_sum;
  buckets_[number] = SumRows();
  buckets_[number].first = taken.first;
  buckets_[number].starts.assign(taken.starts.size(), 0);
  return taken;
}

std::vector<Index> CountAccumulator::take_dense() {
  std::vector<Index> sums(triangle_.begin(), triangle_.end());
  for (const auto& [place, carry] : carries_) sums[place] += carry << 32U;
  std::ranges::fill(triangle_, 0U);
  carries_.clear();
  return sums;
}

}  // namespace cairn
