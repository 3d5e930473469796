// Vectors of words against similarities of words that people gave.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/evaluation/word_files.hpp"
#include "cairn/linalg/tall/row_block.hpp"

namespace cairn {

/// How well cosines of vectors order pairs of words.
struct WordScores {
  Index pairs = 0;                 ///< of the file
  Index known = 0;                 ///< of words that both name a row; the others are left out
  Index zero_vectors = 0;          ///< of the known ones, those with a vector of 0, which has no cosine: left out, too
  std::optional<double> spearman;  ///< nothing if all cosines or all scores are equal
};

/// Spearman's correlation (mean ranks for ties) between the scores and the cosines v_i·v_j / (|v_i| |v_j|) of the rows
/// v of `vectors` that the words of a pair name by label, as they are, or otherwise in lower case (in_lower_case).
/// The cosines are computed in double precision, each by one rank, which is sent the rows of its pairs: the result is
/// the same on any number of ranks.
/// @param vectors  n x k, row-wise distributed @param labels  of this rank's rows; they are the words
/// @throws Error(input) if fewer than 3 pairs have a cosine, or a word is the label of several rows; Error(numeric) if
/// one of its vectors holds a value that is not finite. Collective. Memory: a rank's share of the pairs, 2 k values
/// each.
template <class T>
[[nodiscard]] WordScores score_words(const Communicator& communicator, const RowBlock<T>& vectors,
                                     std::span<const std::string> labels, const WordPairs& words);

}  // namespace cairn
