// Similarity measures of two lists of words. Private to this folder.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cairn {

/// Numbers of the words of a text, in order.
using Words = std::span<const std::int32_t>;

/// Overlap of the sets of n-grams of words of two texts.
struct NgramOverlap {
  double jaccard = 0;        ///< common n-grams / all n-grams
  double left_in_right = 0;  ///< common n-grams / n-grams of the left text
  double right_in_left = 0;
  double cosine = 0;  ///< cosine of the n-gram counts
};
/// 0 if a text has fewer than n words. Local.
[[nodiscard]] NgramOverlap ngram_overlap(Words left, Words right, std::size_t n);

/// Length of the longest common subsequence / length of the longer text. O(|left| |right|). Local.
[[nodiscard]] double common_subsequence(Words left, Words right);
/// Length of the longest common run of words / length of the longer text. Local.
[[nodiscard]] double common_run(Words left, Words right);

/// Greedy string tiling [Wise 1993]: repeatedly marks in both texts the longest common run of unmarked words, as long
/// as there is one of at least `shortest` words. Returns twice the number of words marked in each text / number of
/// words of both. Local.
[[nodiscard]] double tiling(Words left, Words right, std::size_t shortest);

/// Cosine of two texts as weighted bags of words; 0 if one is empty. @param weights  weight of each number. Local.
[[nodiscard]] double weighted_cosine(Words left, Words right, std::span<const double> weights);

}  // namespace cairn
