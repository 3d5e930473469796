// Vectors of words against linguistic features of words: QVEC and QVEC-CCA.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/evaluation/word_files.hpp"
#include "cairn/linalg/tall/row_block.hpp"

namespace cairn {

/// How well the columns of vectors of words go with features.
struct QvecScores {
  Index words = 0;              ///< that both have
  Index listed = 0;             ///< of the file
  Index features = 0;           ///< of the file
  double score = 0.0;           ///< QVEC
  std::optional<double> cca{};  ///< QVEC-CCA; nothing if no column, or no feature, varies
  Index vector_rank = 0;        ///< of the centered columns
  Index feature_rank = 0;       ///< of the centered features

  /// Whether the words are so few that the spaces of both must meet: QVEC-CCA is then 1 for any vectors.
  [[nodiscard]] bool too_few_words() const { return vector_rank + feature_rank >= words; }
};

/// Singular values of columns of unit length below this, relative to the largest, are rounding: the default of qvec.
template <class T>
inline constexpr double qvec_tolerance = sizeof(T) < sizeof(double) ? 1e-5 : 1e-10;

/// QVEC and QVEC-CCA of X, the rows of `vectors` whose labels are words of the file (exactly as they stand), words x k,
/// and S, their features, words x p:
///
///   QVEC     = sum over columns i of X of max(0, max_j r(x_i, s_j)), r Pearson's correlation, 0 of a column or feature
///              that does not vary: the optimum of sum a_ij r(x_i, s_j) over a_ij in {0, 1} with sum_j a_ij <= 1
///                                                                                       [Tsvetkov et al. 2015, eq. 1]
///   QVEC-CCA = max over v, w of r(X v, S w), the first canonical correlation: the largest singular value of Qxᵀ Qs
///   with
///              orthonormal bases Qx, Qs of the centered columns                               [Tsvetkov et al. 2016]
///
/// QVEC changes if a column changes its sign, or if the columns are rotated; QVEC-CCA changes with neither. Bases are
/// the left singular vectors of the centered columns at unit length, those with singular values above `tolerance` times
/// the largest: columns that depend on others, linearly, count for nothing.
/// @param vectors  n x k, row-wise distributed @param labels  of this rank's rows; they are the words
/// @return the same on every rank; computed by LAPACK on rank 0, on any number of ranks from the same numbers
/// @throws Error(input) if fewer than 3 words have a row, or one is the label of several; Error(numeric) for values
/// that are not finite; Error(resource) if rank 0 has no room for about 3 words (k + p) doubles. Collective.
template <class T>
[[nodiscard]] QvecScores qvec(const Communicator& communicator, const RowBlock<T>& vectors,
                              std::span<const std::string> labels, const WordFeatures& features,
                              double tolerance = qvec_tolerance<T>);

}  // namespace cairn
