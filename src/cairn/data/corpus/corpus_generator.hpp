// Texts without data.
#pragma once

#include "cairn/data/corpus/corpus_text.hpp"

namespace cairn {

/// Texts of words that are drawn independently: the word of rank r with probability proportional to 1 / r.
struct ZipfCorpus {
  Index words = 0;   ///< that are drawn from, w1 the most frequent
  Index tokens = 0;  ///< of all texts
  Index length = 0;  ///< of a text; the last one may be shorter
  std::uint64_t seed = 0;
};

/// Token t is the draw (seed, Stream::generator, t): the same for any number of ranks. Memory: 4 bytes a token of this
/// rank, and on every rank 40 bytes a word. Collective.
[[nodiscard]] CorpusWords generate_corpus(const Communicator& communicator, const ZipfCorpus& corpus,
                                          const VocabularyLimits& limits, CorpusText& text, CorpusCounts& counts);

}  // namespace cairn
