#include "cairn/data/corpus/bucket_sums.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"

namespace cairn {

BucketSums::BucketSums(const Communicator& communicator, const Additions& additions, Index words)
    : communicator_(communicator),
      buckets_(additions.buckets()),
      weights_(additions.weights()),
      row_(words),
      outgoing_(static_cast<std::size_t>(communicator.size())) {
  for (Index b = communicator.rank(); b < buckets_.size(); b += communicator.size()) {
    sums_.emplace_back().clear(buckets_.first[b], buckets_.rows(b));
  }
}

Range BucketSums::round_from(Index first) const { return {first, std::min(first + round(), buckets_.size())}; }

// Message format: for each of the receiver's buckets of a round, the number of additions, then the additions.
void BucketSums::add(Additions& additions) {
  const auto own_pieces = [&](Index bucket) { return additions.of_bucket(bucket); };
  for (Index first = 0; first < buckets_.size(); first += round()) {
    const Range these = round_from(first);
    for (auto& message : outgoing_) message.clear();
    collectively(communicator_, [&] {
      for (Index b = these.begin; b < these.end; ++b) {
        if (is_own(b)) continue;
        auto& message = outgoing_[b % communicator_.size()];
        const std::size_t head = message.size();
        message.emplace_back();
        for (const auto& piece : own_pieces(b)) message.insert(message.end(), piece.begin(), piece.end());
        message[head].bits = message.size() - head - 1;
        additions.clear(b);
      }
    });
    if (communicator_.size() > 1) communicator_.exchange(outgoing_, received_);
    collectively(communicator_, [&] {
      std::vector<std::size_t> at(received_.size(), 0);
      for (Index b = these.begin; b < these.end; ++b) {
        if (!is_own(b)) continue;
        Pieces pieces = own_pieces(b);
        for (std::size_t r = 0; r < received_.size(); ++r) {
          const std::span<const Addition> message = received_[r];
          if (message.empty()) continue;  // this rank's own message
          const auto count = static_cast<std::size_t>(message[at[r]].bits);
          pieces.push_back(message.subspan(at[r] + 1, count));
          at[r] += count + 1;
        }
        add_up(b, pieces);
        additions.clear(b);
      }
    });
    Watchdog::beat();
  }
}

void BucketSums::sort_by_row(const Pieces& pieces, std::size_t rows) {
  begins_.assign(rows + 1, 0);
  Index total = 0;
  for (const auto& piece : pieces) {
    total += std::ssize(piece);
    for (const Addition addition : piece) ++begins_[addition.row() + 1];
  }
  std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
  if (sorted_.size() < total) sorted_ = Buffer<Addition>(total + total / 2);
  for (const auto& piece : pieces) {
    for (const Addition addition : piece) sorted_[begins_[addition.row()]++] = addition;
  }
  // begins_[r] is now the beginning of row r + 1.
}

void BucketSums::add_up(Index bucket, const Pieces& pieces) {
  if (std::ranges::all_of(pieces, [](const auto& piece) { return piece.empty(); })) return;
  SumRows& old = sums_[bucket / communicator_.size()];
  const auto rows = static_cast<std::size_t>(old.end() - old.first);
  sort_by_row(pieces, rows);
  SumRows& sums = scratch_;
  sums.first = old.first;
  sums.starts.assign(1, 0);
  sums.others.clear();
  sums.counts.clear();
  Index at = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    const Index begin = old.starts[row], end = old.starts[row + 1];
    if (at == begins_[row]) {  // no new additions
      sums.others.insert(sums.others.end(), old.others.begin() + begin, old.others.begin() + end);
      sums.counts.insert(sums.counts.end(), old.counts.begin() + begin, old.counts.begin() + end);
    } else {
      for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
        row_.add(old.others[k], old.counts[k]);
      }
      for (; at < begins_[row]; ++at) row_.add(sorted_[at].other(), weights_[sorted_[at].code()]);
      row_.take([&](std::int32_t other, Index count) {
        sums.others.push_back(other);
        sums.counts.push_back(count);
      });
    }
    sums.starts.push_back(std::ssize(sums.others));
  }
  bytes_ += (std::ssize(sums.others) - std::ssize(old.others)) * bytes_of_a_sum;
  old = sums;  // reuses the memory of `old` if it suffices
}

std::vector<SumRows> BucketSums::take(Index first) {
  std::vector<SumRows> taken;
  const Range these = round_from(first);
  for (Index b = these.begin; b < these.end; ++b) {
    if (!is_own(b)) continue;
    SumRows& sums = sums_[b / communicator_.size()];
    bytes_ -= std::ssize(sums.others) * bytes_of_a_sum;
    taken.push_back(std::move(sums));
    sums = SumRows();
    sums.clear(taken.back().first, taken.back().starts.size() - 1);
  }
  return taken;
}

}  // namespace cairn
