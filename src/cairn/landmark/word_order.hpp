// Orders of the words of a corpus.
#pragma once

#include <vector>

#include "cairn/data/corpus/word_set.hpp"
#include "cairn/landmark/landmark_selection.hpp"

namespace cairn {

/// @throws Error(usage) that names the selection if the objects are not words. Local.
[[nodiscard]] const WordSet& require_words(const ObjectSet& objects, const Values& values);

/// The coreness of every word in the graph of co-occurring words (C_ij > 0, i ≠ j): the largest k such that the word
/// belongs to a subgraph in which all words have at least k neighbors. On every rank.
///
/// Degrees are replaced by the H-index of the neighbors' values until nothing changes [Lü, Zhou, Zhang and Stanley,
/// Nature Communications 7, 10168, 2016]: the limit depends neither on the order of the steps nor on the ranks.
/// Memory of a rank: its rows with both triangles, 12 bytes per entry, and 8 bytes per word. Collective.
[[nodiscard]] std::vector<Index> coreness(const Execution& execution, const CooccurrenceCounts& counts);

}  // namespace cairn
