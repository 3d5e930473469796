// Pointwise mutual information of words.
#pragma once

#include "cairn/similarity/similarity_descriptor.hpp"

namespace cairn {

/// K_ij = log(C_ij S / (r_i r_j)), 0 where C_ij = 0; r: the row sums of C, S their sum.
/// [Khalife, Gonçalves and Liberti 2022, equations 15 and 16]
[[nodiscard]] const SimilarityDescriptor& pmi_similarity();

}  // namespace cairn
