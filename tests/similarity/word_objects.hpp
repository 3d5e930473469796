#pragma once
// Words that occur together as often as a function says.

#include <algorithm>
#include <string>

#include "cairn/base/random.hpp"
#include "cairn/data/corpus/word_set.hpp"
#include "test_communicator.hpp"

namespace cairn::test {

constexpr Index counted_words = 90;

/// C_ij, symmetric, 0 for most pairs of rare words.
inline Index count_of(Index i, Index j) {
  const Random random(4, Stream::test);
  const auto low = static_cast<std::uint64_t>(std::min(i, j)), high = static_cast<std::uint64_t>(std::max(i, j));
  const Index often = random.below(60, low, high) - 40 - (i + j) / 12;
  return std::max<Index>(often, 0);
}

inline CorpusWords counted_vocabulary() {
  CorpusWords words;
  for (Index i = 0; i < counted_words; ++i) {
    words.words.push_back("w" + std::to_string(i));
    words.counts.push_back(counted_words - i);
  }
  return words;
}

/// Those words with their counts. Collective.
inline WordSet make_counted_words() {
  WordSet words(world(), counted_vocabulary(), {}, {});
  CooccurrenceCounts counts(words.partition(), world().rank(), {});
  for (Index k = 0; k < counts.pieces(); ++k) {
    CooccurrenceCounts::Piece piece;
    for (Index i = counts.rows_of_piece(k).begin; i < counts.rows_of_piece(k).end; ++i) {
      for (Index j = 0; j <= i; ++j) {
        if (count_of(i, j) > 0) piece.append(static_cast<std::int32_t>(j), count_of(i, j));
      }
      piece.end_row();
    }
    counts.set_piece(k, std::move(piece));
  }
  words.adopt(std::move(counts));
  return words;
}

}  // namespace cairn::test
