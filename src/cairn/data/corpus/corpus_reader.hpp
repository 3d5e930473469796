// The texts of a corpus, read and cut into words. Private to this folder.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/data/corpus/corpus_text.hpp"
#include "cairn/data/documents/tokenizer.hpp"
#include "cairn/parameters/values.hpp"

namespace cairn {

/// The texts of this rank as numbers of words, and what reading them found.
struct ReadCorpus {
  CorpusText text;
  CorpusWords words;
  CorpusCounts counts;
  Index stop_words = 0;                 ///< that were met
  Index not_utf8 = 0;                   ///< texts that hold such bytes
  std::string first_not_utf8;           ///< the place of the first of them
  std::string source;                   ///< where the texts stand
  std::vector<std::string> file_notes;  ///< what was not read, in sentences
  std::optional<Tokenization> tokenization;
};

/// How many words are kept, as parameters of the data say. Local.
[[nodiscard]] VocabularyLimits limits_of(const Values& values);

/// Reads the files `path` and `more`, each rank its part of them. @throws Error(usage), Error(input) as
/// open_document_file, DocumentFile::for_each and read_stop_words. Collective.
[[nodiscard]] ReadCorpus read_texts(const Communicator& communicator, const Values& values);

}  // namespace cairn
