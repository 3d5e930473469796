// Pointwise mutual information of words.
#pragma once

#include "cairn/similarity/similarity_descriptor.hpp"

namespace cairn {

/// K_ij = log(C_ij S / (r_i r_j)), or 0 if C_ij = 0. r are the row sums of C, S is their sum.
/// [Khalife, Gonçalves and Liberti 2022, equations 15 and 16]
[[nodiscard]] const SimilarityDescriptor& pmi_similarity();

}  // namespace cairn
