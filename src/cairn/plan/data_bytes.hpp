// Bytes of the data of a run, computed from its sizes.
#pragma once

#include "cairn/plan/plan_model.hpp"

namespace cairn {

inline constexpr Index label_bytes = 32;          ///< of a short std::string
inline constexpr Index pair_bytes_of_counts = 8;  ///< of an entry of CooccurrenceCounts

/// Bytes of one object: a point, or a document of average length. Local.
[[nodiscard]] Index object_bytes(const PlanInput& input);
/// Bytes of the objects of the largest rank, with their texts. Local.
[[nodiscard]] Index object_part_bytes(const PlanInput& input);
/// Bytes of a graph: the part of the largest rank, and the whole, which each node holds once. Local.
[[nodiscard]] Index graph_part_bytes(const PlanInput& input);
[[nodiscard]] Index whole_graph_bytes(const PlanInput& input);
/// Entries of the lower triangle of C that the largest rank holds. Local.
[[nodiscard]] Index own_pairs(const PlanInput& input);
/// Bytes of the words of a corpus on a rank: all words, their frequencies and half the logarithms of their row sums,
/// and the rank's own words again. Local.
[[nodiscard]] Index vocabulary_bytes(const PlanInput& input);

}  // namespace cairn
