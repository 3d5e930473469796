// Texts as sequences of words, and the vocabulary that numbers the words.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/data/documents/vocabulary.hpp"

namespace cairn {

/// Texts of one block of a file. One rank holds all of them.
struct TextBatch {
  Index number = 0;  ///< number among the batches of all ranks; it denotes the same texts on any number of ranks
  Index first = 0;   ///< first text; the batch ends at the first text of the next batch
};

/// The tokens of this rank's texts, concatenated. Text a has tokens[starts[a]] up to tokens[starts[a + 1]]. The
/// assignment of batches to ranks is arbitrary.
struct CorpusText {
  std::vector<Index> starts{0};
  std::vector<std::int32_t> tokens;
  std::vector<TextBatch> batches{{}};  ///< ascending; texts without batches form one batch of number 0
  Index all_batches = 1;               ///< number of batches of all ranks

  [[nodiscard]] Index texts() const { return std::ssize(starts) - 1; }
  [[nodiscard]] std::span<const std::int32_t> text(Index a) const {
    const auto begin = static_cast<std::size_t>(starts[a]);
    return std::span(tokens).subspan(begin, static_cast<std::size_t>(starts[static_cast<std::size_t>(a) + 1]) - begin);
  }
};

/// Words by descending count; equal counts are ordered by their bytes. Equal on every rank.
struct CorpusWords {
  std::vector<std::string> words;
  std::vector<Index> counts;

  [[nodiscard]] Index size() const { return std::ssize(words); }
};

/// Rules for the words to keep.
struct VocabularyLimits {
  Index minimum_count = 1;  ///< words that occur less often in all texts together are left out
  Index size = 0;           ///< only this number of most frequent words is kept; 0: all
};

/// Counts over all ranks.
struct CorpusCounts {
  Index texts = 0;      ///< texts read
  Index empty = 0;      ///< of `texts`: without a word of the vocabulary
  Index tokens = 0;     ///< words read, without stop words
  Index kept = 0;       ///< of `tokens`: words of the vocabulary
  Index different = 0;  ///< different words read
  Index dropped = 0;    ///< words of the vocabulary that subsampling left out
};

/// Determines the vocabulary of all ranks, and replaces this rank's word numbers in `text` by those of the vocabulary.
/// Tokens outside of the vocabulary are removed, so that the tokens around them become neighbors.
/// @param met  this rank's words, as numbered in `text`
/// Memory: the vocabulary on every rank, and the different words that this rank owns (owner_of_word). Collective.
[[nodiscard]] CorpusWords agree_on_vocabulary(const Communicator& communicator, const Vocabulary& met,
                                              const VocabularyLimits& limits, CorpusText& text, CorpusCounts& counts);

/// Probability that subsampling keeps a token of a word: min(1, √(rate / f)), where f is the share of the word in all
/// tokens of the vocabulary (Mikolov et al. 2013).
[[nodiscard]] double kept_share(double rate, Index count, Index tokens);

/// Removes each token with probability 1 - kept_share before windows are cut, so that the tokens around it become
/// neighbors. The draws of a text depend only on its tokens: they are the same on any number of ranks, and for equal
/// texts. The counts of the words do not change.
/// @param rate  > 0
/// Collective.
void subsample(const Communicator& communicator, const CorpusWords& words, double rate, CorpusText& text,
               CorpusCounts& counts);

/// A 64-bit digest of the vocabulary and all texts, independent of their order and distribution over ranks. Collective.
[[nodiscard]] std::uint64_t corpus_digest(const Communicator& communicator, const CorpusWords& words,
                                          const CorpusText& text);

}  // namespace cairn
