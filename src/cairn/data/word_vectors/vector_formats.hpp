// Files of word vectors, one format each. Private to this folder.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/data/documents/document_reader.hpp"

namespace cairn {

/// Words that were wanted and found, of this rank's share of the file.
struct FoundVectors {
  Index dimension = 0;          ///< the same on every rank
  Index words_in_file = 0;      ///< likewise
  std::vector<Index> places{};  ///< of the words in the file, from 0
  std::vector<std::string> words{};
  std::vector<float> values{};  ///< places.size() x dimension, finite
};

using WantedWord = std::function<bool(std::string_view)>;

/// Lines of a word and its numbers; a first line of two integers says how many words and numbers there are. Words
/// with blanks in them (some files have such) are skipped. Numbers are counted in every line, and read in those of
/// wanted words. Collective, as are the others. @throws Error(input) with file:line
[[nodiscard]] FoundVectors read_text_vectors(const Communicator& communicator, const WordVectorSource& source,
                                             const WantedWord& wanted);
/// Rows of float32, or a .npy file; row i is the vector of line i of another file. Every rank reads the rows that it
/// found.
[[nodiscard]] FoundVectors read_row_vectors(const Communicator& communicator, const WordVectorSource& source,
                                            const std::string& format, const WantedWord& wanted);
/// word2vec's binary format: a line "words dimension", then each word, a blank and its float32 numbers. Every rank
/// passes over the whole file.
[[nodiscard]] FoundVectors read_word2vec(const Communicator& communicator, const WordVectorSource& source,
                                         const WantedWord& wanted);

/// Refuses a model of fastText, which begins so. @throws Error(input) that names the file that has its vectors. Local.
void refuse_fasttext_model(std::string_view begin, const std::string& path);

/// Where a word of the file stands, for messages. Local.
[[nodiscard]] std::string vector_place(const WordVectorSource& source, const std::string& format, Index place);

}  // namespace cairn
