// Counts the co-occurrences of a corpus.
#pragma once

#include <vector>

#include "cairn/base/cost.hpp"
#include "cairn/base/schedule/execution.hpp"
#include "cairn/data/corpus/cooccurrence_counts.hpp"
#include "cairn/data/corpus/corpus_text.hpp"

namespace cairn {

/// Largest window: the code of an addition takes 16 bits.
inline constexpr Index most_window = 65535;

/// Memory budget of a rank for counting, in bytes, without the result.
struct CountingMemory {
  Index additions = Index{96} << 20U;  ///< additions waiting to be summed
  Index sums = Index{1} << 28U;        ///< sums waiting to be sent to the owners of their rows
};

/// Sizes that determine the cost of counting.
struct CountingSizes {
  Index words = 0;
  Index tokens = 0, texts = 0;  ///< per rank
  Index longest_text = 0;       ///< in tokens
  Index compared_places = 0;    ///< number of places before each token that it is paired with
  Index pairs = 0;              ///< pairs i <= j that occur together, of all ranks
  Index own_pairs = 0;          ///< of `pairs`: those in the rows of the rank with most pairs
  int ranks = 1;
};

/// Maximum bytes of a rank during counting, without its rows of C. Local.
[[nodiscard]] std::vector<CostItem> counting_cost(const CountingSizes& sizes, const CountingMemory& memory = {});

/// C of all texts of all ranks. Each rank processes its own texts. It sums the additions to the frequent words itself.
/// The other additions go to the rank that owns the bucket of the rarer word, in rounds (memory.additions), and are
/// summed there. Sums go to the owners of the rows whenever they take memory.sums, and at the end. They are integers
/// and do not depend on the ranks or the rounds. Memory of a rank, without the result: 16 MB for the frequent words, 8
/// bytes per token of the longest text, and the budget `memory`.
/// @throws Error(usage) unless 2 <= window <= most_window. Collective.
[[nodiscard]] CooccurrenceCounts count_cooccurrences(const Execution& execution, const CorpusText& text,
                                                     const CorpusWords& words, const Counting& counting,
                                                     const CountingMemory& memory = {});

}  // namespace cairn
