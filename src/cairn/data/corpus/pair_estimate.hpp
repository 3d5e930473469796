// How many pairs of words will occur together, before they are counted.
#pragma once

#include <span>
#include <vector>

#include "cairn/base/index.hpp"
#include "cairn/data/corpus/cooccurrence_counts.hpp"
#include "cairn/data/data_kind.hpp"

namespace cairn {

/// Parts of the rows in EstimatedPairs::of_rows.
inline constexpr Index pair_parts = 100;

struct EstimatedPairs {
  Index all = 0;  ///< i <= j with C_ij > 0
  std::vector<Index>
      of_rows{};  ///< of these, those with j, the rarer word, in each of pair_parts equal parts of the rows
};

/// As if tokens were drawn independently of each other, with the frequencies of the words: pair {i, j} then occurs with
/// probability 1 - exp(-a_ij), with a_ij the expected number of places that the definition compares. Words in texts
/// come in company, and meet fewer others: it is an upper estimate for them.
/// @param frequencies  of the words, falling @param texts  of how many texts the tokens are. Local.
[[nodiscard]] EstimatedPairs estimated_pairs(std::span<const Index> frequencies, Index texts, const Counting& counting);

/// Sets tokens, texts, text_tokens, compared_places, count_pairs and row_pairs. @param longest  text, in tokens. Local.
void set_corpus_size(DataSize& size, std::span<const Index> frequencies, Index texts, Index longest,
                     const Counting& counting);

}  // namespace cairn
