// Bytes of the data of a run, by their sizes.
#pragma once

#include "cairn/plan/plan_model.hpp"

namespace cairn {

inline constexpr Index label_bytes = 32;          ///< of a short std::string
inline constexpr Index pair_bytes_of_counts = 8;  ///< of an entry of CooccurrenceCounts

/// Of one object: a point, or a document of average length. Local.
[[nodiscard]] Index object_bytes(const PlanInput& input);
/// Of the objects of the largest rank, and their texts. Local.
[[nodiscard]] Index object_part_bytes(const PlanInput& input);
/// Of a graph: the part of the largest rank, and the whole, which a node has once. Local.
[[nodiscard]] Index graph_part_bytes(const PlanInput& input);
[[nodiscard]] Index whole_graph_bytes(const PlanInput& input);
/// Entries of the lower triangle of C that the largest rank holds. Local.
[[nodiscard]] Index own_pairs(const PlanInput& input);
/// Bytes of the words of a corpus on a rank: all words, their frequencies and half the logarithms of their row sums,
/// and the rank's own words once more. Local.
[[nodiscard]] Index vocabulary_bytes(const PlanInput& input);

}  // namespace cairn
