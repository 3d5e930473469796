// Texts as sequences of words, and the vocabulary that numbers them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/data/documents/vocabulary.hpp"

namespace cairn {

/// Texts that one rank holds whole: a block of a file.
struct TextBatch {
  Index number = 0;  ///< among those of all ranks: the same texts on any number of ranks
  Index first = 0;   ///< its first text; those up to the next batch's first follow
};

/// The tokens of this rank's texts, one text after the other: text a has tokens[starts[a]] up to tokens[starts[a + 1]].
/// Which rank holds which batch of texts has no meaning.
struct CorpusText {
  std::vector<Index> starts{0};
  std::vector<std::int32_t> tokens;
  std::vector<TextBatch> batches{{}};  ///< ascending; texts without batches are one of number 0
  Index all_batches = 1;               ///< of all ranks

  [[nodiscard]] Index texts() const { return std::ssize(starts) - 1; }
  [[nodiscard]] std::span<const std::int32_t> text(Index a) const {
    const auto begin = static_cast<std::size_t>(starts[static_cast<std::size_t>(a)]);
    return std::span(tokens).subspan(begin, static_cast<std::size_t>(starts[static_cast<std::size_t>(a) + 1]) - begin);
  }
};

/// Words by falling count; equal counts by their bytes. The same on every rank.
struct CorpusWords {
  std::vector<std::string> words;
  std::vector<Index> counts;

  [[nodiscard]] Index size() const { return std::ssize(words); }
};

/// What becomes of the words that were met.
struct VocabularyLimits {
  Index minimum_count = 1;  ///< words that come less often in all texts together are left out
  Index size = 0;           ///< only so many of the most frequent are kept; 0: all
};

/// What was counted over all ranks.
struct CorpusCounts {
  Index texts = 0;      ///< texts that were read
  Index empty = 0;      ///< of them, without a word of the vocabulary
  Index tokens = 0;     ///< words that were met, but for stop words
  Index kept = 0;       ///< of them, words of the vocabulary
  Index different = 0;  ///< different words that were met
  Index dropped = 0;    ///< words of the vocabulary that subsampling left out
};

/// Agrees on the vocabulary of all ranks, and puts its numbers in place of this rank's in `text`. Tokens that are not
/// in the vocabulary leave the texts, so that their neighbours become neighbours of each other.
/// @param met  this rank's words, as `text` numbers them
/// Memory: the vocabulary on every rank, and beside it the different words that this rank owns (owner_of_word).
/// Collective.
[[nodiscard]] CorpusWords agree_on_vocabulary(const Communicator& communicator, const Vocabulary& met,
                                              const VocabularyLimits& limits, CorpusText& text, CorpusCounts& counts);

/// The probability that subsampling keeps a token of a word: min(1, √(rate / f)), f the share of the word in all tokens
/// of the vocabulary (Mikolov et al. 2013).
[[nodiscard]] double kept_share(double rate, Index count, Index tokens);

/// Each token leaves its text with probability 1 - kept_share, before windows are cut, so that its neighbours become
/// neighbours of each other. The draws of a text depend on its tokens alone: the same on any number of ranks, and for
/// equal texts. The counts of the words stay as they are. @param rate  > 0. Collective.
void subsample(const Communicator& communicator, const CorpusWords& words, double rate, CorpusText& text,
               CorpusCounts& counts);

/// 64 bits of the vocabulary and of all texts, whatever their order and the ranks that hold them. Collective.
[[nodiscard]] std::uint64_t corpus_digest(const Communicator& communicator, const CorpusWords& words,
                                          const CorpusText& text);

}  // namespace cairn
