// Biharmonic matrix approximation: K ~ P W Pᵀ.
#pragma once

#include "approximation/approximation.hpp"
#include "approximation/interpolation.hpp"
#include "linalg/symmetric_tiles.hpp"
#include "similarity/source_similarity.hpp"

namespace cairn {

/// Keys of [approximation] that the method has.
struct BiharmonicParameters {
  InterpolationParameters interpolation;
  Transform transform = Transform::none;  ///< sqrt: W holds squared values, and K~ is the root of what P makes of them
};

/// W: the values of landmarks with each other.     [Turek and Huth 2022, equation 6]
///
/// Both entries of a pair are equal: the value from the later landmark, or, for a similarity that is not symmetric by
/// construction, the mean of both directions. Whole numbers are kept as uint16 where none can be larger (by twice the
/// eccentricity of a central landmark; a metric is assumed), else as uint32; others as float64, in single precision as
/// float32. Runs over bands of rows (similarity.batch() landmarks) through execution.ledger, in slabs of rows that go
/// to their tiles when they are finished: loops "landmark matrix 0", "landmark matrix 1", ... Takes l^2 evaluations or
/// fewer, and 4 l to choose the number type. Memory: half of l^2 numbers and 3 slabs (512 MB each) over all ranks, and
/// batch() l doubles a thread.
/// @param landmarks  the same on every rank, without repeats
/// @throws Error(numeric) as the similarity, Error(resource). Collective.
[[nodiscard]] SymmetricTiles landmark_matrix(const Execution& execution, const SourceSimilarity& similarity,
                                             const std::vector<Index>& landmarks, bool single_precision = false);

}  // namespace cairn
