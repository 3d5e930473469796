// Readers for files of word vectors, one per format. Private to this folder.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/data/word_vectors/vector_source.hpp"

namespace cairn {

/// The wanted words in this rank's share of the file.
struct FoundVectors {
  Index dimension = 0;          ///< equal on every rank
  Index words_in_file = 0;      ///< equal on every rank
  std::vector<Index> places{};  ///< positions of the words in the file, from 0
  std::vector<std::string> words{};
  std::vector<float> values{};  ///< places.size() x dimension, finite
};

using WantedWord = std::function<bool(std::string_view)>;

/// Reads lines of a word and its numbers. A first line of two integers gives the number of words and the dimension.
/// Words with blanks, which occur in some files, are skipped. Numbers are counted in every line, but parsed only for
/// wanted words. This function and the next two are collective. @throws Error(input) with file:line
[[nodiscard]] FoundVectors read_text_vectors(const Communicator& communicator, const WordVectorSource& source,
                                             const WantedWord& wanted);
/// Reads rows of float32, or a .npy file. Row i is the vector of the word in line i of another file. Each rank reads
/// the rows of the words that it found.
[[nodiscard]] FoundVectors read_row_vectors(const Communicator& communicator, const WordVectorSource& source,
                                            const std::string& format, const WantedWord& wanted);
/// Reads word2vec's binary format: a line "words dimension", then each word, a blank and its float32 numbers. Every
/// rank reads the whole file.
[[nodiscard]] FoundVectors read_word2vec(const Communicator& communicator, const WordVectorSource& source,
                                         const WantedWord& wanted);

/// Refuses a fastText model, which is recognized by `begin`. @throws Error(input) naming the file with its vectors.
/// Local.
void refuse_fasttext_model(std::string_view begin, const std::string& path);

/// Position of a word in the file, for messages. Local.
[[nodiscard]] std::string vector_place(const WordVectorSource& source, const std::string& format, Index place);

}  // namespace cairn
