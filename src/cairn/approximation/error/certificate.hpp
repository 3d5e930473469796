// An upper limit of the error that holds with a stated probability, whatever the entries are.
#pragma once

#include <span>
#include <vector>

#include "cairn/approximation/approximation.hpp"
#include "cairn/approximation/error/error_estimate.hpp"
#include "cairn/linalg/tall/row_block.hpp"

namespace cairn {

/// ||K~||_F² of L J Lᵀ. Takes n s² flops and s³. @pre factors are dense, R = L Collective.
template <class T>
[[nodiscard]] double squared_norm(const Execution& execution, const Approximation<T>& approximation);

/// The upper limit of the mean of numbers in [0, 1] that a sample gives with probability 1 - delta, by the empirical
/// Bernstein inequality (Maurer and Pontil 2009, theorem 4). Local.
/// @param sum, squares  of the sample @param size  of the sample, at least 2
[[nodiscard]] double upper_limit_of_mean(double sum, double squares, Index size, double delta);

/// The goal of a certificate.
struct CertificateGoal {
  double error = 0.0;  ///< ||K~ - K||_F / ||K||_F
  double delta = 0.0;  ///< probability that the limit may fail
  Index most = 0;      ///< largest number of pairs
  Index look = 0;      ///< number of this certificate among those of a run: each has pairs of its own
};

struct Certificate {
  double limit = 0.0;     ///< of the relative error, with probability 1 - delta
  double estimate = 0.0;  ///< of the relative error
  bool bounded = true;    ///< false: an entry is larger than its bound, so that E is not semidefinite
  Index pairs = 0;
  Index evaluations = 0;  ///< over all ranks

  [[nodiscard]] bool reaches(double error) const { return limit <= error; }
};

/// Limits of |K_ii - K~_ii| at the own rows: the difference, and what rounding in the factors may add, 1e-6 (in single
/// precision 1e-4) of the larger of K_ii and the root mean square of the entries of K~.
/// @param diagonal  of K, n x 1 @param norm  ||K~||_F Collective.
template <class T>
[[nodiscard]] std::vector<double> residual_bounds(const Execution& execution, const Approximation<T>& approximation,
                                                  const RowBlock<T>& diagonal, double norm);
/// The same for K~ = F Fᵀ. @param residual  the diagonal of K - F Fᵀ. Local.
template <class T>
[[nodiscard]] std::vector<double> residual_bounds(const RowBlock<T>& factor, std::span<const double> residual,
                                                  double norm);

/// An approximation of which an error is certified.
template <class T>
struct CertifiedMatrix {
  const Approximation<T>& approximation;
  const std::vector<double>& bounds;  ///< residual_bounds()
  double norm = 0.0;                  ///< ||K~||_F, or less
  bool semidefinite = true;           ///< K is positive semidefinite, not a distance
};

/// An upper limit of ||E||_F / ||K||_F, E = K - K~, where E or -E is positive semidefinite: then E_ij² <= r_i r_j with
/// r_i = |E_ii|, which is known for all i. Pairs i, j are drawn with probability r_i r_j / (sum of r)², so that x =
/// E_ij² / (r_i r_j) is in [0, 1], and ||E||_F² = sum of r_i² + (sum of r)² mean(x; i != j). The mean has the limit of
/// empirical Bernstein. ||K||_F is at least ||K~||_F - ||E||_F, and at least ||K~||_F if K is positive semidefinite.
///
/// Takes 1,024 pairs, and doubles them until the goal is reached, three standard errors below the estimate do not reach
/// it, or goal.most are compared; delta is split over these looks. If an entry is larger than its bound, E is not
/// semidefinite, and the limit is infinite.
/// @return limit 0 if K~ and K are 0
/// Collective. Memory: 40 bytes per pair on every rank, 16 per own row.
template <class T>
[[nodiscard]] Certificate certify(const Execution& execution, const CertifiedMatrix<T>& matrix,
                                  const Similarity<T>& similarity, const ObjectSet& objects,
                                  const CertificateGoal& goal);

}  // namespace cairn
