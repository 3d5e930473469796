// Reads files of words: similarities assigned by humans, and linguistic features.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cairn/base/index.hpp"
#include "cairn/base/mpi/communicator.hpp"

namespace cairn {

/// Two words and their similarity as assigned by humans.
struct ScoredWords {
  std::string first, second;
  double score = 0.0;
  Index line = 0;  ///< line in the file, from 1
};

/// A file of scored pairs of words.
struct WordPairs {
  std::string path;
  std::vector<ScoredWords> pairs;
  std::string separator;            ///< field separator: tab, semicolon, comma, blanks
  std::vector<std::string> header;  ///< names of the columns of the two words and the score; empty: no header
  Index comment_lines = 0;
};

/// Reads a plain, .gz or .xz file with one pair per line: word, word, score. The separator is the first of tab,
/// semicolon, comma that occurs twice in the first line, otherwise blanks. Lines that begin with # and empty lines are
/// skipped. The first other line is a header if its third field begins with a letter and is not a number, or if it has
/// columns named word1, word2 and SimLex999 (or score, or human mean; case, blanks and punctuation are ignored). Other
/// columns are allowed only with such names. Each rank reads the file; the pairs are replicated.
/// @throws Error(input), with file and line, if a line has a different number of fields, an empty word, or a score that
///   is not a number; if there are no pairs; as LineReader. Collective.
[[nodiscard]] WordPairs read_word_pairs(const Communicator& communicator, const std::string& path);

/// Features of words in a file. Missing features are 0.
struct WordFeatures {
  struct Entry {
    std::string word;
    Index line = 0;                                        ///< line in the file, from 1
    std::vector<std::pair<std::size_t, double>> features;  ///< indices into `names`, and values
  };
  std::string path;
  std::vector<std::string> names;  ///< names of all features in order of appearance
  std::vector<Entry> words;
};

/// Reads a plain, .gz or .xz file with one word per line: the word, a tab, and a JSON object of its features and their
/// values. Empty lines are skipped. Each rank reads the file; its contents are replicated.
/// @throws Error(input), with file and line, for a line of another form and a repeated word; if there are no words or
///   no features; as LineReader. Collective.
[[nodiscard]] WordFeatures read_word_features(const Communicator& communicator, const std::string& path);

}  // namespace cairn
