// Generates texts, for runs without data files.
#pragma once

#include "cairn/data/corpus/corpus_text.hpp"

namespace cairn {

/// Texts of independently drawn words. The word of rank r has probability proportional to 1 / r.
struct ZipfCorpus {
  Index words = 0;   ///< size of the vocabulary; w1 is the most frequent word
  Index tokens = 0;  ///< total number of tokens
  Index length = 0;  ///< tokens per text; the last text may be shorter
  std::uint64_t seed = 0;
};

/// Token t is the draw (seed, Stream::generator, t) and does not depend on the number of ranks. Memory: 4 bytes per
/// token of this rank, and on every rank 40 bytes per word. Collective.
[[nodiscard]] CorpusWords generate_corpus(const Communicator& communicator, const ZipfCorpus& corpus,
                                          const VocabularyLimits& limits, CorpusText& text, CorpusCounts& counts);

}  // namespace cairn
