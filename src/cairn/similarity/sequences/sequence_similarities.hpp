// Similarities of sequences of symbols.
#pragma once

#include "cairn/similarity/similarity_descriptor.hpp"

namespace cairn {

[[nodiscard]] const SimilarityDescriptor& subsequence_similarity();
[[nodiscard]] const SimilarityDescriptor& edit_distance_similarity();
[[nodiscard]] const SimilarityDescriptor& edit_similarity();

}  // namespace cairn
