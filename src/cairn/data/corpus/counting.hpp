// Counting the co-occurrences of a corpus.
#pragma once

#include "cairn/base/execution.hpp"
#include "cairn/data/corpus/cooccurrence_counts.hpp"
#include "cairn/data/corpus/corpus_text.hpp"

namespace cairn {

/// Largest window: a count of one addition takes 16 bits.
inline constexpr Index most_window = 65535;

/// C of all texts of all ranks. Each rank counts in its own texts and sends its sums to the owners of the rows, in
/// rounds, whenever they take `most_sum_bytes`: sums are of integers, and do not depend on the ranks or the rounds.
/// Memory of a rank, beside the result: 16 MB for the frequent words, 100 MB for additions that are not added up, and
/// at most twice most_sum_bytes. @throws Error(usage) unless 2 <= window <= most_window. Collective.
[[nodiscard]] CooccurrenceCounts count_cooccurrences(const Execution& execution, const CorpusText& text,
                                                     const CorpusWords& words, const Counting& counting,
                                                     Index most_sum_bytes = Index{1} << 28U);

}  // namespace cairn
