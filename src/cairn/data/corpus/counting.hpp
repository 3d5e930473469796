// Counting the co-occurrences of a corpus.
#pragma once

#include <vector>

#include "cairn/base/cost.hpp"
#include "cairn/base/execution.hpp"
#include "cairn/data/corpus/cooccurrence_counts.hpp"
#include "cairn/data/corpus/corpus_text.hpp"

namespace cairn {

/// Largest window: a count of one addition takes 16 bits.
inline constexpr Index most_window = 65535;

/// Bytes of a rank that counting may take beside its result.
struct CountingMemory {
  Index additions = Index{96} << 20U;  ///< that wait to be added up
  Index sums = Index{1} << 28U;        ///< that wait to be sent to the owners of their rows
};

/// Sizes of a count.
struct CountingSizes {
  Index words = 0;
  Index tokens = 0, texts = 0;  ///< of a rank
  Index longest_text = 0;       ///< in tokens
  Index compared_places = 0;    ///< before each token, that it is counted with
  Index pairs = 0;              ///< i <= j that occur together, of all ranks
  Index own_pairs = 0;          ///< of these, those in rows of the rank that has most
  int ranks = 1;
};

/// Bytes of the largest rank while it counts, beside its rows of C. Local.
[[nodiscard]] std::vector<CostItem> counting_cost(const CountingSizes& sizes, const CountingMemory& memory = {});

/// C of all texts of all ranks. Each rank goes through its own texts. What it adds to the frequent words it adds up
/// itself; the rest goes to the rank that has the bucket of the rarer word, in rounds (memory.additions), and is added
/// up there. Sums go to the owners of the rows, whenever they take memory.sums and at the end: they are integers, and
/// do not depend on the ranks or the rounds. Memory of a rank, beside the result: 16 MB for the frequent words, 8 bytes
/// a token of the longest text, and what `memory` says.
/// @throws Error(usage) unless 2 <= window <= most_window. Collective.
[[nodiscard]] CooccurrenceCounts count_cooccurrences(const Execution& execution, const CorpusText& text,
                                                     const CorpusWords& words, const Counting& counting,
                                                     const CountingMemory& memory = {});

}  // namespace cairn
