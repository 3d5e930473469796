// Which words of a text occur together, and how often.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "cairn/base/index.hpp"

namespace cairn {

/// The next place of every token's word in its text, kept between texts.
class NextPlaces {
 public:
  /// @param words  of the vocabulary
  explicit NextPlaces(Index words) : last_(static_cast<std::size_t>(words), none) {}

  /// next[p]: the first place after p where the word at p comes again, or the length of the text.
  std::span<const Index> find(std::span<const std::int32_t> text) {
    const Index length = std::ssize(text);
    next_.resize(text.size());
    for (Index p = length - 1; p >= 0; --p) {
      Index& last = last_[static_cast<std::size_t>(text[static_cast<std::size_t>(p)])];
      next_[static_cast<std::size_t>(p)] = last == none ? length : last;
      last = p;
    }
    for (const std::int32_t word : text) last_[static_cast<std::size_t>(word)] = none;
    return next_;
  }

 private:
  static constexpr Index none = -1;
  std::vector<Index> last_;  // place of each word behind the one in hand
  std::vector<Index> next_;
};

/// Calls add(i, j, count) so that the sum of the counts of a pair {i, j}, i ≠ j, is the number of windows of `window`
/// consecutive tokens of `text` that hold both words, however often; and that of {i, i} the number of windows that hold
/// i twice or more. A text shorter than the window is one window.
///
/// A window is counted at the last place q of one word and the last place p > q of the other in it (the last two places
/// of i, for {i, i}): it ends at e with p <= e < min(next(p), q + window, length), and e < next(q) if i ≠ j. So at most
/// `window` - 1 additions a token.
///
/// @param next  of the text (NextPlaces::find) @param places  p that are counted here: a text can be counted in parts
/// Local.
template <class Add>
void count_windows(std::span<const std::int32_t> text, Index window, std::span<const Index> next, Range places,
                   Add add) {
  const Index length = std::ssize(text);
  const Index first_end = std::min(window, length) - 1;  // of the first window
  for (Index p = places.begin; p < places.end; ++p) {
    const std::int32_t word = text[static_cast<std::size_t>(p)];
    const Index until_p = std::min(next[static_cast<std::size_t>(p)], length);
    const Index from = std::max(p, first_end);
    for (Index q = std::max<Index>(0, p - window + 1); q < p; ++q) {
      const Index until_q = next[static_cast<std::size_t>(q)];
      if (until_q < p) continue;  // its word comes again before p
      Index until = std::min(until_p, q + window);
      if (until_q > p) until = std::min(until, until_q);  // else it is the word at p itself
      if (until > from) add(word, text[static_cast<std::size_t>(q)], until - from);
    }
  }
}

/// Calls add(i, j, distance) for every pair of places of `text` that are at most `window` apart, once, also if i = j;
/// the later one is among `places`. Local.
template <class Add>
void count_pairs(std::span<const std::int32_t> text, Index window, Range places, Add add) {
  for (Index p = places.begin; p < places.end; ++p) {
    for (Index q = std::max<Index>(0, p - window); q < p; ++q) {
      add(text[static_cast<std::size_t>(p)], text[static_cast<std::size_t>(q)], p - q);
    }
  }
}

}  // namespace cairn
