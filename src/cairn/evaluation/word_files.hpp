// Files about words: similarities that people gave, and linguistic features.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cairn/base/index.hpp"
#include "cairn/base/mpi/communicator.hpp"

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

/// What a file says of words: of each its features, those that it has not being 0.
struct WordFeatures {
  struct Entry {
    std::string word;
    Index line = 0;                                        ///< of the file, from 1
    std::vector<std::pair<std::size_t, double>> features;  ///< places in `names`, and values
  };
  std::string path;
  std::vector<std::string> names;  ///< of all features, in the order in which they come
  std::vector<Entry> words;
};

/// Reads a plain, .gz or .xz file with a word a line: the word, a tab, and a JSON object of its features and their
/// values. Empty lines count for nothing. Each rank reads the file; what it holds is replicated.
/// @throws Error(input), with file and line, for a line of another form and a word that is a duplicate; if there are no
/// words or no features; as LineReader. Collective.
[[nodiscard]] WordFeatures read_word_features(const Communicator& communicator, const std::string& path);

}  // namespace cairn
