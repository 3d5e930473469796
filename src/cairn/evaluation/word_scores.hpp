// Compares word vectors with word similarities assigned by humans.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/evaluation/word_files.hpp"
#include "cairn/linalg/tall/row_block.hpp"

namespace cairn {

/// Agreement of the cosines of vectors with the scores of pairs of words.
struct WordScores {
  Index pairs = 0;                 ///< pairs in the file
  Index known = 0;                 ///< pairs of words that both have a row; the others are left out
  Index zero_vectors = 0;          ///< of `known`: pairs with a zero vector, which has no cosine; also left out
  std::optional<double> spearman;  ///< none if all cosines or all scores are equal
};

/// Spearman's correlation (mean ranks for ties) between the scores and the cosines v_i·v_j / (|v_i| |v_j|) of the rows
/// v of `vectors` whose labels are the words of a pair, either as given or in lower case (in_lower_case). The cosines
/// are computed in double precision, each by one rank, which receives the rows of its pairs. The result does not depend
/// on the number of ranks.
/// @param vectors  n x k, row-wise distributed
/// @param labels   of this rank's rows; they are the words
/// @throws Error(input) if fewer than 3 pairs have a cosine, or a word is the label of several rows; Error(numeric) if
///   one of its vectors has a value that is not finite. Collective. Memory: a rank's share of the pairs, 2 k values
///   each.
template <class T>
[[nodiscard]] WordScores score_words(const Communicator& communicator, const RowBlock<T>& vectors,
                                     std::span<const std::string> labels, const WordPairs& words);

}  // namespace cairn
