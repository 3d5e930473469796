#include "cairn/data/corpus/counting.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/base/progress.hpp"
#include "cairn/data/corpus/additions.hpp"
#include "cairn/data/corpus/bucket_sums.hpp"
#include "cairn/data/corpus/counting_state.hpp"
#include "cairn/data/corpus/window_counts.hpp"

namespace cairn {

namespace {

constexpr Index most_additions_at_once = 65536;  // between two checks of the memory budget

// Weight of each code of an addition: a number of windows, or a pair at a distance.
std::vector<Index> weights_of(const Counting& counting) {
  std::vector<Index> weights{0};
  for (Index code = 1; code <= counting.window; ++code) {
    weights.push_back(counting.what == "windows" ? code : counting.weight(code));
  }
  return weights;
}

// Sums of rows [first, first + rows) as 32-bit numbers: first, rows, entries, 32-bit words per count; lengths of the
// rows; others; counts. The number of entries stays far below 2^32, since the sums of a bucket take at most
// CountingMemory::sums.
using Message = std::vector<std::uint32_t>;

// Appends the sums of the rows `rows`.
void append(Message& message, const SumRows& sums, Range rows) {
  const Index begin = sums.entries(rows.begin).begin, end = sums.entries(rows.end - 1).end;
  if (begin == end) return;
  const auto counts = std::span(sums.counts).subspan(begin, end - begin);
  const auto others = std::span(sums.others).subspan(begin, counts.size());
  const bool wide =
      std::ranges::any_of(counts, [](Index count) { return count > std::numeric_limits<std::uint32_t>::max(); });
  const std::size_t width = wide ? 2 : 1, lengths = static_cast<std::size_t>(rows.size());
  std::size_t at = message.size();
  message.resize(at + 4 + lengths + counts.size() * (1 + width));
  for (const auto number : {rows.begin, rows.size(), std::ssize(counts), static_cast<Index>(width)}) {
    message[at++] = static_cast<std::uint32_t>(number);
  }
  for (Index row = rows.begin; row < rows.end; ++row) {
    message[at++] = static_cast<std::uint32_t>(sums.entries(row).size());
  }
  std::ranges::copy(others, message.begin() + static_cast<std::ptrdiff_t>(at));
  std::uint32_t* target = message.data() + at + others.size();
  for (std::size_t k = 0; k < counts.size(); ++k) target[k * width] = static_cast<std::uint32_t>(counts[k]);
  for (std::size_t k = 0; wide && k < counts.size(); ++k) {
    target[2 * k + 1] = static_cast<std::uint32_t>(static_cast<std::uint64_t>(counts[k]) >> 32U);
  }
}

// Reads the sums at position `at` and advances `at` to their end.
void take(std::span<const std::uint32_t> message, std::size_t& at, SumRows& sums) {
  const auto first = static_cast<std::int32_t>(message[at]);
  const std::size_t rows = message[at + 1], entries = message[at + 2], width = message[at + 3];
  at += 4;
  sums.clear(first, 0);
  for (std::size_t row = 0; row < rows; ++row) {
    sums.starts.push_back(sums.starts.back() + static_cast<Index>(message[at++]));
  }
  const std::span<const std::uint32_t> words = message.subspan(at);
  sums.others.assign(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(entries));
  const std::uint32_t* counts = words.data() + entries;
  sums.counts.resize(entries);
  for (std::size_t k = 0; k < entries; ++k) sums.counts[k] = static_cast<Index>(counts[k * width]);
  for (std::size_t k = 0; width == 2 && k < entries; ++k)
    sums.counts[k] += static_cast<Index>(counts[2 * k + 1]) << 32U;
  at += entries * (1 + width);
}

// The rows of this rank, to which sums are added.
class OwnRows {
 public:
  OwnRows(const Communicator& communicator, Index words, const Counting& counting)
      : communicator_(communicator),
        counts_(RowPartition(words, communicator.size()), communicator.rank(), counting),
        outgoing_(static_cast<std::size_t>(communicator.size())) {}

  // Sends the sums of this rank's buckets to the owners of their rows. Collective.
  void add(BucketSums& sums) {
    for (Index first = 0; first < sums.buckets(); first += sums.round()) {
      const std::vector<SumRows> own = collectively(communicator_, [&] {
        std::vector<SumRows> taken = sums.take(first);
        for (auto& message : outgoing_) message.clear();
        for (const SumRows& bucket : taken) address(bucket);
        return taken;
      });
      if (communicator_.size() > 1) communicator_.exchange(outgoing_, received_);
      collectively(communicator_, [&] { merge(fresh_rows(own)); });
      Watchdog::beat();
    }
  }

  // Adds the sums of the triangle of all ranks. Collective.
  void add_dense(std::vector<Index> triangle, Index rows) {
    communicator_.sum(std::span<Index>(triangle));
    collectively(communicator_, [&] {
      for (Index number = 0; number < counts_.pieces(); ++number) {
        const Range own = counts_.rows_of_piece(number);
        if (own.begin >= rows) break;
        CooccurrenceCounts::Piece& piece = emptied_piece();
        for (Index i = own.begin; i < own.end; ++i) {
          if (i < rows) {
            const CountRow old = counts_.row(i);  // from an earlier triangle
            for (std::size_t k = 0; k < old.others.size(); ++k) {
              triangle[i * (i + 1) / 2 + old.others[k]] += old.count(k);
            }
            for (Index j = 0; j <= i; ++j) {
              const Index sum = triangle[i * (i + 1) / 2 + j];
              if (sum > 0) piece.append(static_cast<std::int32_t>(j), sum);
            }
          } else {
            piece.append(counts_.row(i));
          }
          piece.end_row();
        }
        counts_.set_piece(number, piece);  // a copy, without unused capacity
      }
    });
  }

  [[nodiscard]] CooccurrenceCounts& counts() { return counts_; }
  CooccurrenceCounts take() { return std::move(counts_); }

 private:
  CooccurrenceCounts::Piece& emptied_piece() {
    piece_.starts.assign(1, 0);
    piece_.others.clear();
    piece_.narrow.clear();
    piece_.wide.clear();
    return piece_;
  }

  // Splits a bucket into messages to other ranks.
  void address(const SumRows& bucket) {
    for (Index row = bucket.first; row < bucket.end();) {
      const int owner = counts_.partition().owner(row);
      const Index end = std::min<Index>(bucket.end(), counts_.partition().range(owner).end);
      if (owner != communicator_.rank()) append(outgoing_[owner], bucket, {row, end});
      row = end;
    }
  }

  // Sums of rows of this rank, ascending. Each row is in at most one of them, since one rank owns its bucket.
  std::vector<const SumRows*> fresh_rows(const std::vector<SumRows>& own) {
    std::size_t used = 0;
    for (std::size_t r = 0; r < received_.size(); ++r) {
      const std::span<const std::uint32_t> message = received_[r];
      for (std::size_t at = 0; at < message.size(); ++used) {
        if (used == unpacked_.size()) unpacked_.emplace_back();
        cairn::take(message, at, unpacked_[used]);
      }
    }
    std::vector<const SumRows*> fresh;
    for (const SumRows& bucket : own) {
      if (!bucket.others.empty()) fresh.push_back(&bucket);
    }
    for (std::size_t k = 0; k < used; ++k) fresh.push_back(&unpacked_[k]);
    std::ranges::sort(fresh, {}, [](const SumRows* sums) { return sums->first; });
    return fresh;
  }

  void merge(const std::vector<const SumRows*>& fresh) {
    if (fresh.empty()) return;
    auto at = fresh.begin();
    for (Index number = 0; number < counts_.pieces(); ++number) {
      const Range own = counts_.rows_of_piece(number);
      if (own.end <= fresh.front()->first || fresh.back()->end() <= own.begin) continue;
      CooccurrenceCounts::Piece& piece = emptied_piece();
      for (Index i = own.begin; i < own.end; ++i) {
        while (at != fresh.end() && (*at)->end() <= i) ++at;
        if (at != fresh.end() && (*at)->contains(i)) {
          merge_row(counts_.row(i), **at, i, piece);
        } else {
          piece.append(counts_.row(i));
        }
        piece.end_row();
      }
      counts_.set_piece(number, piece);  // a copy, without unused capacity
    }
  }

  static void merge_row(const CountRow& old, const SumRows& sums, Index row, CooccurrenceCounts::Piece& piece) {
    const Range entries = sums.entries(row);
    if (old.others.empty()) {
      const auto first = static_cast<std::size_t>(entries.begin), count = static_cast<std::size_t>(entries.size());
      piece.append(std::span(sums.others).subspan(first, count), std::span(sums.counts).subspan(first, count));
      return;
    }
    std::size_t k = 0;
    for (auto e = static_cast<std::size_t>(entries.begin); e < static_cast<std::size_t>(entries.end); ++e) {
      const std::int32_t other = sums.others[e];
      for (; k < old.others.size() && old.others[k] < other; ++k) piece.append(old.others[k], old.count(k));
      const bool both = k < old.others.size() && old.others[k] == other;
      piece.append(other, sums.counts[e] + (both ? old.count(k++) : 0));
    }
    for (; k < old.others.size(); ++k) piece.append(old.others[k], old.count(k));
  }

  const Communicator& communicator_;
  CooccurrenceCounts counts_;
  std::vector<Message> outgoing_;  // by rank; keeps its memory, as do the next two
  ReusedArrays<std::uint32_t> received_;
  std::vector<SumRows> unpacked_;
  CooccurrenceCounts::Piece piece_;  // under construction
};

// Processes the texts of this rank in steps, batch by batch.
class TextReader {
 public:
  TextReader(const CorpusText& text, Index words, const Counting& counting)
      : text_(text),
        counting_(counting),
        windows_(counting.what == "windows"),
        places_(words),
        done_(text.batches.size()) {
    skip_empty();
  }

  [[nodiscard]] bool at_end() const { return batch_ == done_.size(); }
  [[nodiscard]] Index texts_read() const {
    Index texts = 0;
    for (const BatchPlace& place : done_) texts += place.texts;
    return texts;
  }
  [[nodiscard]] const std::vector<BatchPlace>& places() const { return done_; }
  void go_to(std::vector<BatchPlace> places) {
    done_ = std::move(places);
    batch_ = 0;
    skip_empty();
  }

  // Adds the co-occurrences of some of the next places.
  void step(Additions& additions) {
    BatchPlace& done = done_[batch_];
    const Index number = text_.batches[batch_].first + done.texts;
    const auto text = text_.text(number);
    if (found_ != number) next_ = windows_ ? places_.find(text) : std::span<const Index>();
    found_ = number;
    const auto add = [&](std::int32_t i, std::int32_t j, Index code) { additions.add(i, j, code); };
    const Index most = std::max<Index>(1, most_additions_at_once / counting_.window);
    const Range places{std::max<Index>(done.place, 1), std::min<Index>(done.place + most, std::ssize(text))};
    if (windows_) {
      count_windows(text, counting_.window, next_, places, add);
    } else {
      count_pairs(text, counting_.window, places, add);
    }
    done.place = places.end;
    if (done.place < std::ssize(text)) return;
    done = {done.texts + 1, 0};
    skip_empty();
  }

 private:
  // Advances to the first batch with an unprocessed text.
  void skip_empty() {
    const auto end_of = [&](std::size_t b) {
      return b + 1 < done_.size() ? text_.batches[b + 1].first : text_.texts();
    };
    while (batch_ < done_.size() && text_.batches[batch_].first + done_[batch_].texts >= end_of(batch_)) ++batch_;
  }

  const CorpusText& text_;
  const Counting& counting_;
  bool windows_;
  NextPlaces places_;
  std::span<const Index> next_;  // of the current text
  Index found_ = -1;             // number of the current text
  std::vector<BatchPlace> done_;
  std::size_t batch_ = 0;  // current batch
};

}  // namespace

CooccurrenceCounts count_cooccurrences(const Execution& execution, const CorpusText& text, const CorpusWords& words,
                                       const Counting& counting, const CountingMemory& memory) {
  const Communicator& communicator = execution.communicator;
  const auto phase = execution.phases.enter("count");
  auto additions =
      collectively(communicator, [&] { return Additions(words.counts, weights_of(counting), memory.additions); });
  auto sums = collectively(communicator, [&] { return BucketSums(communicator, additions, words.size()); });
  auto rows = collectively(communicator, [&] { return OwnRows(communicator, words.size(), counting); });
  auto reader = collectively(communicator, [&] { return TextReader(text, words.size(), counting); });
  CountingState state(execution, text);
  if (auto places = state.restore(rows.counts())) reader.go_to(std::move(*places));
  Progress progress("count", text.texts(), communicator.is_root(), "texts/s a rank");
  for (bool last = false; !last;) {
    collectively(communicator, [&] {
      const Index before = reader.texts_read();
      while (!reader.at_end() && !additions.full()) reader.step(additions);
      progress.advance(reader.texts_read() - before);
    });
    last = communicator.minimum(reader.at_end() ? Index{1} : Index{0}) == 1;
    sums.add(additions);
    if (last || communicator.maximum(sums.bytes()) >= memory.sums) rows.add(sums);
    if (last || !state.due()) continue;
    rows.add(sums);
    rows.add_dense(additions.take_dense(), additions.dense_rows());
    state.keep(rows.counts(), reader.places());
  }
  rows.add_dense(additions.take_dense(), additions.dense_rows());
  return rows.take();
}

}  // namespace cairn
