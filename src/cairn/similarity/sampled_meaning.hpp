// Detection of distances that are taken for similarities, from a few values.
#pragma once

#include <string>
#include <vector>

#include "cairn/base/schedule/execution.hpp"
#include "cairn/data/matrix/dense_matrix.hpp"
#include "cairn/data/object_set.hpp"
#include "cairn/similarity/similarity_descriptor.hpp"

namespace cairn {

/// Parameters of a similarity whose values are not computed here: their meaning, and whether both directions are
/// averaged.
[[nodiscard]] Parameter meaning_parameter();
[[nodiscard]] Parameter symmetrize_parameter();
/// Applies these parameters to the traits. Local.
void refine_stored(const Values& values, SimilarityTraits& traits);
/// Value of the parameter `meaning`; similarity by default.
[[nodiscard]] Meaning meaning_of(const Values& values);

/// Sampled entries of a row of the matrix: the diagonal entry and others.
struct SampledRow {
  double diagonal = 0;
  std::vector<double> others;
};

/// True if the parameter `meaning` must be requested: in each row the diagonal is zero and the smallest value, and not
/// all values are zero. Zero means at most 1e-3 of the largest value, because distances from inner products are no more
/// accurate. False without rows. Local.
[[nodiscard]] bool look_like_distances(const std::vector<SampledRow>& rows);

/// Number k of objects from which the meaning of a scorer is found: each is paired with itself and with the next of
/// them.
inline constexpr Index meaning_objects = 10;
/// Number of these pairs for n objects.
[[nodiscard]] Index meaning_pairs(Index objects);

/// Rejects a precomputed matrix that has no given `meaning` and whose values look like distances. Rank 0 reads the
/// entries of about 20 rows.
/// @param parameters  parameters of the similarity
/// @throws Error(input) that requests `meaning`, the same on every rank. Collective.
void require_meaning_of_matrix(const Communicator& communicator, const DenseMatrix& matrix, const Values& parameters);

/// The same for a scorer. Rank 0 requests meaning_pairs() pairs; they count as evaluations.
template <class T>
void require_meaning_of_scorer(const Communicator& communicator, const Similarity<T>& scorer, const ObjectSet& objects,
                               const Values& parameters);

}  // namespace cairn
