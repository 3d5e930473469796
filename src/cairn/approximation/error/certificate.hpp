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

/// An upper limit of the mean of independent numbers in [0, 1] of one distribution, which come in batches. Whether the
/// mean is m is bet on: W(m) = product of 1 + b (m - x), with a stake b in [0, 3 / (4 (1 - m))] for each batch that the
/// batches before it decide: sqrt(2 ln(1 / delta) / (size variance)), size that of all batches up to this one. W(mean)
/// is a martingale, which exceeds 1 / delta with probability delta at most, whenever one looks (Ville): the limit is
/// the smallest m with W(m) >= 1 / delta.     [Waudby-Smith and Ramdas 2024, section 4] Local. Memory: 8 bytes a
/// number.
class UpperLimitOfMean {
 public:
  explicit UpperLimitOfMean(double delta);
  void add(std::span<const double> batch);
  /// 1 if nothing below .999 is excluded. @pre some numbers were added
  [[nodiscard]] double limit() const;
  [[nodiscard]] double mean() const { return sum_ / static_cast<double>(values_.size()); }
  /// The standard error of the mean.
  [[nodiscard]] double deviation() const;

 private:
  struct Batch {
    std::size_t end = 0;
    double stake = 0.0;
  };
  [[nodiscard]] double log_wealth(double mean) const;

  double doubt_;  // ln(1 / delta)
  std::vector<double> values_;
  std::vector<Batch> batches_;
  double sum_ = 0.0, squares_ = 0.0;
};

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
/// UpperLimitOfMean. ||K||_F is at least ||K~||_F - ||E||_F, and at least ||K~||_F if K is positive semidefinite.
///
/// Takes 1,024 pairs, and doubles them until the goal is reached, one standard error below the estimate does not reach
/// it, or goal.most are compared. If an entry is larger than its bound, E is not
/// semidefinite, and the limit is infinite.
/// @return limit 0 if K~ and K are 0
/// Collective. Memory: 50 bytes per pair on every rank, 16 per own row.
template <class T>
[[nodiscard]] Certificate certify(const Execution& execution, const CertifiedMatrix<T>& matrix,
                                  const Similarity<T>& similarity, const ObjectSet& objects,
                                  const CertificateGoal& goal);

}  // namespace cairn
