// Estimates the number of word pairs that occur together before they are counted.
#pragma once

#include <span>
#include <vector>

#include "cairn/base/index.hpp"
#include "cairn/data/corpus/cooccurrence_counts.hpp"
#include "cairn/data/data_kind.hpp"

namespace cairn {

/// Number of parts of the rows in EstimatedPairs::of_rows.
inline constexpr Index pair_parts = 100;

struct EstimatedPairs {
  Index all = 0;  ///< i <= j with C_ij > 0
  std::vector<Index>
      of_rows{};  ///< of `all`: pairs whose rarer word, j, is in each of the pair_parts equal parts of the rows
};

/// Estimate for independently drawn tokens with the frequencies of the words. Pair {i, j} then occurs with probability
/// 1 - exp(-a_ij), where a_ij is the expected number of places that the definition compares. Real texts have fewer
/// different pairs, since words cluster, so that this is an upper estimate for them.
/// @param frequencies  frequencies of the words, descending
/// @param texts        number of texts that contain the tokens
/// Local.
[[nodiscard]] EstimatedPairs estimated_pairs(std::span<const Index> frequencies, Index texts, const Counting& counting);

/// Sets tokens, texts, text_tokens, compared_places, count_pairs and row_pairs.
/// @param longest  tokens of the longest text
/// Local.
void set_corpus_size(DataSize& size, std::span<const Index> frequencies, Index texts, Index longest,
                     const Counting& counting);

}  // namespace cairn
