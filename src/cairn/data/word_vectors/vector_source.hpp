// Files of word vectors, and the parameters that name them.
#pragma once

#include <string>
#include <vector>

#include "cairn/base/index.hpp"
#include "cairn/parameters/key_names.hpp"
#include "cairn/parameters/parameter.hpp"
#include "cairn/parameters/values.hpp"

namespace cairn {

/// Source of word vectors. Files may be .gz, .xz or .zip.
struct WordVectorSource {
  std::string path{};    ///< empty: no vectors
  std::string words{};   ///< raw32, npy: file of the words, one per line; empty: `path` with .words.txt instead of its
                         ///< ending
  std::string format{};  ///< raw32, npy, text (GloVe, word2vec, fastText), word2vec (binary); empty: from the name
  Index dimension = 0;   ///< required dimension of the vectors; 0: any
  KeyNames keys{};       ///< of vectors, words, vectors-format, dimension, repeated-words
  bool first_of_repeated = false;  ///< true: the first of several vectors of a word is used; false: they are refused
};

/// The source that values of the parameters below name. Local.
[[nodiscard]] WordVectorSource vector_source(const Values& values);
/// source.format if it is given, else the format implied by the name. @throws Error(usage) if the name implies none.
/// Local.
[[nodiscard]] std::string word_vector_format(const WordVectorSource& source);
/// File of the words of raw32 and npy vectors. Local.
[[nodiscard]] std::string words_path(const WordVectorSource& source);

/// vectors, words, vectors-format and repeated-words. @param vectors  help of the first. Local.
[[nodiscard]] std::vector<Parameter> vector_parameters(const std::string& vectors);
/// Warning that `count` vectors were left out. Local.
[[nodiscard]] std::string repeated_words_warning(Index count, const KeyNames& keys);

}  // namespace cairn
