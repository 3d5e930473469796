#include "cairn/data/corpus/word_set.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/ask_owners.hpp"
#include "cairn/data/corpus/counting.hpp"
#include "cairn/data/corpus/pair_estimate.hpp"
#include "cairn/data/data_kind.hpp"

namespace cairn {

namespace {

// A row as numbers: its length, then others and counts, each count with its lower half first.
using Numbers = std::vector<std::uint32_t>;

void append(Numbers& numbers, const CountRow& row) {
  numbers.push_back(static_cast<std::uint32_t>(row.others.size()));
  for (std::size_t k = 0; k < row.others.size(); ++k) {
    const auto count = static_cast<std::uint64_t>(row.count(k));
    numbers.push_back(static_cast<std::uint32_t>(row.others[k]));
    numbers.push_back(static_cast<std::uint32_t>(count));
    numbers.push_back(static_cast<std::uint32_t>(count >> 32U));
  }
}

// Reads the row at position `at` and advances `at` to its end.
void take(std::span<const std::uint32_t> numbers, std::size_t& at, CooccurrenceCounts::Piece& piece) {
  const auto length = static_cast<std::size_t>(numbers[at++]);
  for (std::size_t k = 0; k < length; ++k, at += 3) {
    const std::uint64_t count = numbers[at + 1] | static_cast<std::uint64_t>(numbers[at + 2]) << 32U;
    piece.append(static_cast<std::int32_t>(numbers[at]), static_cast<Index>(count));
  }
  piece.end_row();
}

// Position of an entry of the lower triangle.
struct EntryPlace {
  Index row = 0;
  Index other = 0;
};

// The count of `other` in the row; 0 if it is absent.
Index count_in(const CountRow& row, Index other) {
  const auto found = std::ranges::lower_bound(row.others, other);
  if (found == row.others.end() || *found != other) return 0;
  return row.count(static_cast<std::size_t>(found - row.others.begin()));
}

std::unique_ptr<WordBlock> owning_block(SetIdentity set, std::vector<Index> ids, CooccurrenceCounts::Piece piece) {
  auto block = std::make_unique<WordBlock>(set, std::move(ids));
  auto owned = std::make_shared<const CooccurrenceCounts::Piece>(std::move(piece));
  for (Index k = 0; k < owned->rows(); ++k) block->rows.push_back(owned->row(k));
  block->owned = std::move(owned);
  return block;
}

}  // namespace

WordSet::WordSet(const Communicator& communicator, CorpusWords words, CorpusText text, Counting counting)
    : ObjectSet(RowPartition(words.size(), communicator.size()), communicator.rank()),
      words_(std::move(words)),
      counting_(std::move(counting)),
      text_(std::move(text)) {
  set_texts({.labels = {words_.words.begin() + range().begin, words_.words.begin() + range().end}});
}

const CooccurrenceCounts& WordSet::counts(const Execution& execution) const {
  if (!counts_) {
    counts_ = std::make_unique<const CooccurrenceCounts>(count_cooccurrences(execution, text_, words_, counting_));
    text_ = {};
  }
  return *counts_;
}

const CooccurrenceCounts& WordSet::counts() const {
  if (!counts_) throw Error(ErrorKind::internal, "co-occurrences are asked for before they are counted");
  return *counts_;
}

void WordSet::adopt(CooccurrenceCounts counts) const {
  if (counts.partition() != partition() || counts.counting() != counting_) {
    throw Error(ErrorKind::internal, "co-occurrences of another vocabulary, or counted otherwise, are adopted");
  }
  counts_ = std::make_unique<const CooccurrenceCounts>(std::move(counts));
  text_ = {};
}

std::unique_ptr<ObjectBlock> WordSet::block(Range rows) const {
  auto block = std::make_unique<WordBlock>(identity(), numbers_of(rows));
  for (Index i = rows.begin; i < rows.end; ++i) block->rows.push_back(counts().row(i));
  return block;
}

std::vector<std::byte> WordSet::pack(Range rows) const {
  Numbers numbers;
  for (Index i = rows.begin; i < rows.end; ++i) append(numbers, counts().row(i));
  const auto bytes = std::as_bytes(std::span(numbers));
  return {bytes.begin(), bytes.end()};
}

std::unique_ptr<ObjectBlock> WordSet::unpack(Range rows, std::span<const std::byte> bytes) const {
  Numbers numbers(bytes.size() / sizeof(std::uint32_t));
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  CooccurrenceCounts::Piece piece;
  std::size_t at = 0;
  for (Index i = rows.begin; i < rows.end; ++i) take(numbers, at, piece);
  return owning_block(identity(), numbers_of(rows), std::move(piece));
}

std::unique_ptr<ObjectBlock> WordSet::gather(const Communicator& communicator, std::span<const Index> ids) const {
  const auto received = ask_owners<std::uint32_t>(communicator, partition_, ids, [this](std::span<const Index> asked) {
    Numbers numbers;
    for (const Index id : asked) append(numbers, counts().row(id));
    return numbers;
  });
  return collectively(communicator, [&] {
    CooccurrenceCounts::Piece piece;
    std::vector<std::size_t> at(received.size(), 0);
    for (const Index id : ids) {
      const auto owner = static_cast<std::size_t>(partition_.owner(id));
      take(received[owner], at[owner], piece);
    }
    return owning_block(identity(), {ids.begin(), ids.end()}, std::move(piece));
  });
}

// Two exchanges: first the positions of the entries that each rank requests from each other, then their counts in
// order.
ObjectPairs WordSet::gather_pairs(const Communicator& communicator, std::span<const Index> first,
                                  std::span<const Index> second) const {
  const auto owner = [&](std::size_t a) {
    return static_cast<std::size_t>(partition_.owner(std::max(first[a], second[a])));
  };
  const auto wanted = collectively(communicator, [&] {
    std::vector<std::vector<EntryPlace>> by_owner(communicator.size());
    for (std::size_t a = 0; a < first.size(); ++a) {
      by_owner[owner(a)].push_back({std::max(first[a], second[a]), std::min(first[a], second[a])});
    }
    return by_owner;
  });
  const auto asked = communicator.exchange(wanted);
  const auto answers = collectively(communicator, [&] {
    std::vector<std::vector<Index>> found(asked.size());
    for (std::size_t r = 0; r < asked.size(); ++r) {
      for (const EntryPlace& place : asked[r]) found[r].push_back(count_in(counts().row(place.row), place.other));
    }
    return found;
  });
  const auto received = communicator.exchange(answers);
  return collectively(communicator, [&] {
    CooccurrenceCounts::Piece of_first, of_second;
    std::vector<std::size_t> at(received.size(), 0);
    for (std::size_t a = 0; a < first.size(); ++a) {
      const Index count = received[owner(a)][at[owner(a)]++];
      CooccurrenceCounts::Piece& piece = first[a] >= second[a] ? of_first : of_second;
      if (count > 0) piece.append(static_cast<std::int32_t>(std::min(first[a], second[a])), count);
      of_first.end_row();
      of_second.end_row();
    }
    return ObjectPairs{owning_block(identity(), {first.begin(), first.end()}, std::move(of_first)),
                       owning_block(identity(), {second.begin(), second.end()}, std::move(of_second))};
  });
}

namespace {

// Counted pairs in each of equal parts of the rows. Collective.
void set_counted_pairs(const Communicator& communicator, const CooccurrenceCounts& counts, DataSize& size) {
  std::vector<Index> of_rows(pair_parts, 0);
  for (Index row = counts.range().begin; row < counts.range().end; ++row) {
    of_rows[row * pair_parts / size.objects] += std::ssize(counts.row(row).others);
  }
  communicator.sum(std::span<Index>(of_rows));
  size.count_pairs = std::reduce(of_rows.begin(), of_rows.end());
  size.row_pairs = std::move(of_rows);
}

}  // namespace

void WordSet::add_sizes(const Communicator& communicator, Index value_bytes, DataSize& sizes) const {
  ObjectSet::add_sizes(communicator, value_bytes, sizes);
  if (counted()) {
    set_counted_pairs(communicator, counts(), sizes);
    return;
  }
  const CorpusText& own = text();
  Index longest = 0;
  for (Index a = 0; a < own.texts(); ++a) longest = std::max(longest, std::ssize(own.text(a)));
  std::vector<Index> frequencies(words().words.size(), 0);  // of the tokens left by subsampling
  for (const std::int32_t token : own.tokens) ++frequencies[token];
  communicator.sum(std::span<Index>(frequencies));
  std::ranges::sort(frequencies, std::greater());
  set_corpus_size(sizes, frequencies, communicator.sum(own.texts()), communicator.maximum(longest), counting());
}

}  // namespace cairn
