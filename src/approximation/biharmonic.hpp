// Biharmonic matrix approximation: K ~ P W Pᵀ.
#pragma once

#include "approximation/approximation.hpp"
#include "approximation/interpolation.hpp"
#include "linalg/symmetric_tiles.hpp"
#include "similarity/source_similarity.hpp"

namespace cairn {

/// W: the values of landmarks with each other, made tile by tile through execution.ledger.     [equation 6]
/// @param landmarks  the same on every rank. Collective.
[[nodiscard]] SymmetricTiles landmark_matrix(const Execution& execution, const SourceSimilarity& similarity,
                                             const std::vector<Index>& landmarks);

}  // namespace cairn
