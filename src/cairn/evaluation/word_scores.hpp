// Vectors of words against similarities of words that people gave.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cairn/base/execution.hpp"
#include "cairn/linalg/tall/row_block.hpp"

namespace cairn {

/// Two words, and how similar people find them.
struct ScoredWords {
  std::string first, second;
  double score = 0.0;
  Index line = 0;  ///< of the file, from 1
};

/// A file of scored pairs of words.
struct WordPairs {
  std::string path;
  std::vector<ScoredWords> pairs;
  std::string separator;            ///< of fields: tab, semicolon, comma, blanks
  std::vector<std::string> header;  ///< how it names the two words and the score; empty if there is none
  Index comment_lines = 0;
};

/// Reads a plain, .gz or .xz file: a line for each pair, word, word, score, in fields between tabs, semicolons, commas
/// or blanks, whichever the first line has twice (in this order; otherwise blanks). Lines that begin with # and empty
/// lines count for nothing. The first other line is a header if its third field begins with a letter and is not a
/// number, or if it names the columns word1, word2 and SimLex999 (or score, or human mean: case, blanks and punctuation
/// do not count); only with such names there may be other columns. Each rank reads the file; the pairs are replicated.
/// @throws Error(input), with file and line, if a line has another number of fields, an empty word, or a score that is
/// not a number; if there are no pairs; as LineReader. Collective.
[[nodiscard]] WordPairs read_word_pairs(const Communicator& communicator, const std::string& path);

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
