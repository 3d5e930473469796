// Co-occurrences of words within a text.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "cairn/base/index.hpp"

namespace cairn {

/// The next place of every token's word in its text. The storage is reused between texts.
class NextPlaces {
 public:
  /// @param words  size of the vocabulary
  explicit NextPlaces(Index words) : last_(static_cast<std::size_t>(words), none) {}

  /// next[p]: the first place after p with the same word as p, or the length of the text.
  std::span<const Index> find(std::span<const std::int32_t> text) {
    const Index length = std::ssize(text);
    next_.resize(text.size());
    for (Index p = length - 1; p >= 0; --p) {
      Index& last = last_[text[p]];
      next_[p] = last == none ? length : last;
      last = p;
    }
    for (const std::int32_t word : text) last_[word] = none;
    return next_;
  }

 private:
  static constexpr Index none = -1;
  std::vector<Index> last_;  // place of each word after the current one
  std::vector<Index> next_;
};

/// Calls add(i, j, count) so that the sum of the counts of a pair {i, j}, i ≠ j, is the number of windows of `window`
/// consecutive tokens of `text` that contain both words, however often; for {i, i} it is the number of windows that
/// contain i at least twice. A text shorter than the window is one window.
///
/// A window is counted at the last place q of one word and the last place p > q of the other in it (for {i, i}, the
/// last two places of i). It ends at e with p <= e < min(next(p), q + window, length), and e < next(q) if i ≠ j. Hence
/// there are at most `window` - 1 additions per token.
///
/// @param next    next places of the text (NextPlaces::find)
/// @param places  range of p to count; a text can be counted in parts
/// Local.
template <class Add>
void count_windows(std::span<const std::int32_t> text, Index window, std::span<const Index> next, Range places,
                   Add add) {
  const Index length = std::ssize(text);
  const Index first_end = std::min(window, length) - 1;  // end of the first window
  for (Index p = places.begin; p < places.end; ++p) {
    const std::int32_t word = text[p];
    const Index until_p = std::min(next[p], length);
    const Index from = std::max(p, first_end);
    for (Index q = std::max<Index>(0, p - window + 1); q < p; ++q) {
      const Index until_q = next[q];
      if (until_q < p) continue;  // the word at q occurs again before p
      Index until = std::min(until_p, q + window);
      if (until_q > p) until = std::min(until, until_q);  // otherwise it is the word at p
      if (until > from) add(word, text[q], until - from);
    }
  }
}

/// Calls add(i, j, distance) once for every pair of places of `text` at most `window` apart, also if i = j. Only pairs
/// whose later place is in `places` are counted. Local.
template <class Add>
void count_pairs(std::span<const std::int32_t> text, Index window, Range places, Add add) {
  for (Index p = places.begin; p < places.end; ++p) {
    for (Index q = std::max<Index>(0, p - window); q < p; ++q) {
      add(text[p], text[q], p - q);
    }
  }
}

}  // namespace cairn
