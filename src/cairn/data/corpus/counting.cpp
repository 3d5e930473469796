#include "cairn/data/corpus/counting.hpp"

#include <algorithm>
#include <utility>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/base/progress.hpp"
#include "cairn/data/corpus/count_accumulator.hpp"
#include "cairn/data/corpus/window_counts.hpp"

namespace cairn {

namespace {

constexpr Index buckets_of_an_exchange = 4;  // messages then stay small, and their memory is used again

// What a code of the accumulator counts: so many windows, or a pair at such a distance.
std::vector<Index> weights_of(const Counting& counting) {
  std::vector<Index> weights{0};
  for (Index code = 1; code <= counting.window; ++code) {
    weights.push_back(counting.what == "windows" ? code : counting.weight(code));
  }
  return weights;
}

// A sum on its way to the rank that owns its row.
struct CountEntry {
  std::int32_t row = 0;
  std::int32_t other = 0;
  Index count = 0;
};

// Rows of this rank, to which sums are added.
class OwnRows {
 public:
  OwnRows(const Communicator& communicator, Index words, const Counting& counting)
      : communicator_(communicator),
        counts_(RowPartition(words, communicator.size()), communicator.rank(), counting),
        sums_(words),
        outgoing_(static_cast<std::size_t>(communicator.size())) {}

  // Sums of some buckets, whose rows ascend. Collective.
  void add(const std::vector<SumRows>& buckets) {
    for (auto& entries : outgoing_) entries.clear();
    for (const SumRows& bucket : buckets) {
      for (std::int32_t row = bucket.first; row < bucket.end(); ++row) {
        if (counts_.range().contains(row)) continue;
        auto& target = outgoing_[static_cast<std::size_t>(counts_.partition().owner(row))];
        const Range entries = bucket.entries(row);
        for (auto k = static_cast<std::size_t>(entries.begin); k < static_cast<std::size_t>(entries.end); ++k) {
          target.push_back({row, bucket.others[k], bucket.counts[k]});
        }
      }
    }
    const auto received = communicator_.exchange(outgoing_);
    std::vector<std::size_t> at(received.size(), 0);
    for (Index piece = 0; piece < counts_.pieces(); ++piece) merge(piece, buckets, received, at);
  }

  // The rows of the triangle that all ranks have filled; they have no other sums. Collective.
  void add_dense(std::vector<Index> triangle, Index rows) {
    communicator_.sum(std::span<Index>(triangle));
    for (Index number = 0; number < counts_.pieces(); ++number) {
      const Range own = counts_.rows_of_piece(number);
      if (own.begin >= rows) break;
      CooccurrenceCounts::Piece piece;
      for (Index i = own.begin; i < own.end; ++i) {
        if (i < rows) {
          for (Index j = 0; j <= i; ++j) {
            const Index sum = triangle[static_cast<std::size_t>(i * (i + 1) / 2 + j)];
            if (sum > 0) piece.append(static_cast<std::int32_t>(j), sum);
          }
        } else {
          copy(counts_.row(i), piece);
        }
        piece.end_row();
      }
      counts_.set_piece(number, std::move(piece));
    }
  }

  CooccurrenceCounts take() { return std::move(counts_); }

 private:
  static void copy(const CountRow& row, CooccurrenceCounts::Piece& piece) {
    for (std::size_t k = 0; k < row.others.size(); ++k) piece.append(row.others[k], row.count(k));
  }

  // What every other rank has sent is sorted by rows: at[r] is where the rows from this piece on begin in what rank r
  // sent.
  void merge(Index number, const std::vector<SumRows>& buckets, const std::vector<std::vector<CountEntry>>& received,
             std::vector<std::size_t>& at) {
    const Range own = counts_.rows_of_piece(number);
    const auto has = [&](std::size_t r, Index end) {
      return at[r] < received[r].size() && received[r][at[r]].row < end;
    };
    bool any = buckets.front().first < own.end && own.begin < buckets.back().end();
    for (std::size_t r = 0; r < received.size(); ++r) any |= has(r, own.end);
    if (!any) return;
    CooccurrenceCounts::Piece piece;
    auto bucket = buckets.begin();
    for (Index i = own.begin; i < own.end; ++i) {
      const CountRow old = counts_.row(i);
      while (bucket != buckets.end() && bucket->end() <= i) ++bucket;
      const Range fresh =
          bucket != buckets.end() && bucket->first <= i ? bucket->entries(static_cast<std::int32_t>(i)) : Range{};
      bool others = !old.others.empty();
      for (std::size_t r = 0; r < received.size(); ++r) others |= has(r, i + 1);
      const auto each = [&](auto use) {
        for (auto k = static_cast<std::size_t>(fresh.begin); k < static_cast<std::size_t>(fresh.end); ++k) {
          use(bucket->others[k], bucket->counts[k]);
        }
      };
      if (!others) {
        each([&](std::int32_t other, Index count) { piece.append(other, count); });
      } else {
        each([&](std::int32_t other, Index count) { sums_.add(other, count); });
        for (std::size_t k = 0; k < old.others.size(); ++k) sums_.add(old.others[k], old.count(k));
        for (std::size_t r = 0; r < received.size(); ++r) {
          for (; has(r, i + 1); ++at[r]) sums_.add(received[r][at[r]].other, received[r][at[r]].count);
        }
        sums_.take([&](std::int32_t other, Index count) { piece.append(other, count); });
      }
      piece.end_row();
    }
    counts_.set_piece(number, std::move(piece));
  }

  const Communicator& communicator_;
  CooccurrenceCounts counts_;
  RowSums sums_;
  std::vector<std::vector<CountEntry>> outgoing_;  // by rank; keeps its memory
};

// All sums that the accumulator keeps, some buckets at a time. Collective.
void send(const Communicator& communicator, CountAccumulator& accumulator, OwnRows& rows) {
  for (Index first = 0; first < accumulator.buckets(); first += buckets_of_an_exchange) {
    const std::vector<SumRows> buckets = collectively(communicator, [&] {
      std::vector<SumRows> taken;
      const Index end = std::min(first + buckets_of_an_exchange, accumulator.buckets());
      for (Index b = first; b < end; ++b) taken.push_back(accumulator.take(b));
      return taken;
    });
    rows.add(buckets);
    Watchdog::beat();
  }
}

}  // namespace

CooccurrenceCounts count_cooccurrences(const Execution& execution, const CorpusText& text, const CorpusWords& words,
                                       const Counting& counting, Index most_sum_bytes) {
  const Communicator& communicator = execution.communicator;
  const auto phase = execution.phases.enter("count");
  auto accumulator = collectively(communicator, [&] { return CountAccumulator(words.counts, weights_of(counting)); });
  OwnRows rows(communicator, words.size(), counting);
  NextPlaces places(words.size());
  Progress progress("count", text.texts(), communicator.is_root());
  const auto add = [&](std::int32_t i, std::int32_t j, Index code) { accumulator.add(i, j, code); };
  Index next = 0;
  for (bool last = false; !last;) {
    collectively(communicator, [&] {
      const Index before = next;
      for (; next < text.texts() && accumulator.sum_bytes() < most_sum_bytes; ++next) {
        if (counting.what == "windows") {
          count_windows(text.text(next), counting.window, places, add);
        } else {
          count_pairs(text.text(next), counting.window, add);
        }
        Watchdog::beat();
      }
      progress.advance(next - before);
    });
    last = communicator.minimum(next < text.texts() ? Index{0} : Index{1}) == 1;
    send(communicator, accumulator, rows);
  }
  rows.add_dense(accumulator.take_dense(), accumulator.dense_rows());
  return rows.take();
}

}  // namespace cairn
