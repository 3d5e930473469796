// Compares word vectors with linguistic features of words: QVEC and QVEC-CCA.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/evaluation/word_files.hpp"
#include "cairn/linalg/tall/row_block.hpp"

namespace cairn {

/// Scores of the columns of word vectors against features.
struct QvecScores {
  Index words = 0;              ///< number of words with both vector and features
  Index listed = 0;             ///< words in the file
  Index features = 0;           ///< features in the file
  double score = 0.0;           ///< QVEC
  std::optional<double> cca{};  ///< QVEC-CCA; none if all columns or all features are constant
  Index vector_rank = 0;        ///< rank of the centered columns
  Index feature_rank = 0;       ///< rank of the centered features

  /// True if there are so few words that both spaces intersect. QVEC-CCA is then 1 for any vectors.
  [[nodiscard]] bool too_few_words() const { return vector_rank + feature_rank >= words; }
};

/// Default tolerance of qvec. Smaller singular values of unit-length columns, relative to the largest, are rounding
/// errors.
template <class T>
inline constexpr double qvec_tolerance = sizeof(T) < sizeof(double) ? 1e-5 : 1e-10;

/// QVEC and QVEC-CCA of X, the rows of `vectors` whose labels are words of the file (exact match), words x k, and S,
/// their features, words x p:
///
///   QVEC     = sum over columns i of X of max(0, max_j r(x_i, s_j)), where r is Pearson's correlation, 0 for a
///              constant column or feature: the optimum of sum a_ij r(x_i, s_j) over a_ij in {0, 1}, sum_j a_ij <= 1
///                                                                                       [Tsvetkov et al. 2015, eq. 1]
///   QVEC-CCA = max over v, w of r(X v, S w), the first canonical correlation: the largest singular value of Qxᵀ Qs
///              with orthonormal bases Qx, Qs of the centered columns                          [Tsvetkov et al. 2016]
///
/// QVEC depends on the signs of columns and on rotations of the columns; QVEC-CCA does not. Bases are the left singular
/// vectors of the centered columns at unit length with singular values above `tolerance` times the largest: linearly
/// dependent columns have no effect.
/// @param vectors  n x k, row-wise distributed
/// @param labels   of this rank's rows; they are the words
/// @return equal on every rank; computed by LAPACK on rank 0 from the same numbers on any number of ranks
/// @throws Error(input) if fewer than 3 words have a row, or a word is the label of several rows; Error(numeric) for
///   values that are not finite; Error(resource) if rank 0 lacks memory for about 3 words (k + p) doubles. Collective.
template <class T>
[[nodiscard]] QvecScores qvec(const Communicator& communicator, const RowBlock<T>& vectors,
                              std::span<const std::string> labels, const WordFeatures& features,
                              double tolerance = qvec_tolerance<T>);

}  // namespace cairn
