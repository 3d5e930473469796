// How similar two lists of words are, in a few ways. Private to this folder.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cairn {

/// Words of a text by number, in their order.
using Words = std::span<const std::int32_t>;

/// Of the sets of n words that follow each other in two texts: how much they share.
struct NgramOverlap {
  double jaccard = 0;        ///< common ones by all
  double left_in_right = 0;  ///< common ones by those of the left text
  double right_in_left = 0;
  double cosine = 0;  ///< of how often each comes
};
/// 0 where a text has no n words. Local.
[[nodiscard]] NgramOverlap ngram_overlap(Words left, Words right, std::size_t n);

/// The longest common subsequence by the words of the longer text. O(|left| |right|). Local.
[[nodiscard]] double common_subsequence(Words left, Words right);
/// The longest run of words that both have, by the words of the longer text. Local.
[[nodiscard]] double common_run(Words left, Words right);

/// Greedy string tiling [Wise 1993]: the longest run of words, none of them marked yet, that both texts have is marked
/// in both, as long as there is one of at least `shortest`; twice the words marked by all words of both. Local.
[[nodiscard]] double tiling(Words left, Words right, std::size_t shortest);

/// The cosine of two texts as bags of words with weights; 0 where one is empty. @param weights  of each number. Local.
[[nodiscard]] double weighted_cosine(Words left, Words right, std::span<const double> weights);

}  // namespace cairn
