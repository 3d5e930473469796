#include "cairn/data/corpus/additions.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace cairn {

namespace {

constexpr Index most_rows = 65536;                    // per bucket: 16 bits
constexpr Index least_chunk = 64, most_chunk = 8192;  // additions per chunk
constexpr auto bytes_of_an_addition = static_cast<Index>(sizeof(Addition));

}  // namespace

Buckets::Buckets(std::span<const Index> frequencies, std::int32_t first_row) : of_row(frequencies.size(), 0) {
  const auto begin = static_cast<std::size_t>(first_row);
  const Index sum =
      std::accumulate(frequencies.begin() + static_cast<std::ptrdiff_t>(begin), frequencies.end(), Index{0});
  const Index share = std::max<Index>(1, sum / Additions::wanted_buckets);
  Index filled = 0;
  for (std::size_t row = begin; row < frequencies.size(); ++row) {
    if (first.empty() || filled >= share || static_cast<Index>(row) - first.back() >= most_rows) {
      filled = 0;
      first.push_back(static_cast<std::int32_t>(row));
    }
    filled += frequencies[row];
    of_row[row] = static_cast<std::uint16_t>(first.size() - 1);
  }
  first.push_back(static_cast<std::int32_t>(frequencies.size()));
}

Additions::Additions(std::span<const Index> frequencies, std::vector<Index> weights, Index most_bytes)
    : weights_(std::move(weights)),
      dense_(static_cast<std::int32_t>(std::min(most_dense, std::ssize(frequencies)))),
      buckets_(frequencies, dense_),
      triangle_(static_cast<std::size_t>(dense_) * static_cast<std::size_t>(dense_ + 1) / 2, 0),
      chunk_entries_(std::clamp<Index>(most_bytes / bytes_of_an_addition / std::max<Index>(1, 4 * buckets_.size()),
                                       least_chunk, most_chunk)),
      most_chunks_(std::max<Index>({1, 2 * buckets_.size(), most_bytes / (chunk_entries_ * bytes_of_an_addition)})) {
  for (Index b = 0; b < buckets_.size(); ++b) {
    fillings_.push_back({.first = buckets_.first[b]});
  }
}

// Pages are not touched before they are used.
void Additions::extend_memory() {
  const Index more = most_chunks_;
  memory_.emplace_back(more * chunk_entries_);
  for (Index k = more - 1; k >= 0; --k) {
    free_.push_back(chunks_.size());
    chunks_.push_back(memory_.back().data() + k * chunk_entries_);
  }
}

void Additions::begin_chunk(Filling& filling) {
  if (free_.empty()) extend_memory();
  filling.chunks.push_back(free_.back());
  free_.pop_back();
  ++used_;
  filling.next = chunks_[filling.chunks.back()];
  filling.end = filling.next + chunk_entries_;
}

std::vector<std::span<const Addition>> Additions::of_bucket(Index bucket) const {
  const Filling& filling = fillings_[bucket];
  std::vector<std::span<const Addition>> pieces;
  for (const std::size_t chunk : filling.chunks) {
    pieces.emplace_back(chunks_[chunk], static_cast<std::size_t>(chunk_entries_));
  }
  if (!pieces.empty()) {
    pieces.back() = pieces.back().first(chunk_entries_ - (filling.end - filling.next));
  }
  return pieces;
}

void Additions::clear(Index bucket) {
  Filling& filling = fillings_[bucket];
  used_ -= std::ssize(filling.chunks);
  free_.insert(free_.end(), filling.chunks.begin(), filling.chunks.end());
  filling.chunks.clear();
  filling.next = filling.end = nullptr;
}

std::vector<Index> Additions::take_dense() {
  std::vector<Index> sums(triangle_.begin(), triangle_.end());
  for (const auto& [place, carry] : carries_) sums[place] += carry << 32U;
  std::ranges::fill(triangle_, 0U);
  carries_.clear();
  return sums;
}

}  // namespace cairn
