// Distances that are taken for similarities, found in a few values.
#pragma once

#include <string>
#include <vector>

#include "cairn/base/execution.hpp"
#include "cairn/data/matrix/dense_matrix.hpp"
#include "cairn/data/object_set.hpp"
#include "cairn/similarity/similarity_descriptor.hpp"

namespace cairn {

/// Of a similarity whose values are not computed here: what they mean, and whether both directions are averaged.
[[nodiscard]] Parameter meaning_parameter();
[[nodiscard]] Parameter symmetrize_parameter();
/// What they change about the traits. Local.
void refine_stored(const Values& values, SimilarityTraits& traits);
/// As the parameter says: similarity by default.
[[nodiscard]] Meaning meaning_of(const Values& values);

/// What is known of a row of the matrix: the object compared with itself, and the others that it was compared with.
struct SampledRow {
  double diagonal = 0;
  std::vector<double> others;
};

/// Whether the parameter `meaning` must be asked for: in each row the diagonal is zero and the smallest value, and not
/// all values are zero. Zero is at most 1e-3 of the largest value: distances from inner products are no better. False
/// without rows. Local.
[[nodiscard]] bool look_like_distances(const std::vector<SampledRow>& rows);

/// The pairs that a scorer is asked for to find its meaning: k objects with themselves, and each with the next of them.
inline constexpr Index meaning_objects = 10;
/// How many pairs these are for n objects.
[[nodiscard]] Index meaning_pairs(Index objects);

/// Refuses a precomputed matrix of which nobody said what it holds and whose values look like distances. Rank 0 reads
/// the entries of some 20 rows.
/// @param parameters  of the similarity
/// @throws Error(input) that asks for `meaning`, the same on every rank. Collective.
void require_meaning_of_matrix(const Communicator& communicator, const DenseMatrix& matrix, const Values& parameters);

/// The same for a scorer, which rank 0 asks for meaning_pairs() pairs; they are counted as evaluations.
template <class T>
void require_meaning_of_scorer(const Communicator& communicator, const Similarity<T>& scorer, const ObjectSet& objects,
                               const Values& parameters);

}  // namespace cairn
