// The training rows as features with a signed Gram matrix. Private to kernel ridge regression.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cairn/approximation/approximation.hpp"

namespace cairn {

/// F and B of K~ = F B Fᵀ on the training rows. Rows of F are distributed like those of L.
///
/// If J is dense or diagonal, F = L M and B = diag(±1), with M = V |Λ|^(1/2) of J = V Λ Vᵀ. The Gram matrix of these
/// features has the eigenvalues of K~, whereas that of L has their squares and loses the small ones. If L is sparse,
/// F = L and B = W.
class TrainingFeatures {
 public:
  virtual ~TrainingFeatures() = default;

  /// l: number of columns of F.
  [[nodiscard]] virtual Index columns() const = 0;
  /// FᵀF, l x l. Collective.
  [[nodiscard]] virtual BlockCyclicMatrix gram() const = 0;
  /// FᵀY, l x q. @param targets  this rank's, training rows x q. Collective.
  [[nodiscard]] virtual BlockCyclicMatrix times(MatrixView<const double> targets) const = 0;
  /// The diagonal of F A diag(w) Aᵀ Fᵀ at this rank's training rows, one list per w; A is l x r. Collective.
  [[nodiscard]] virtual std::vector<std::vector<double>> diagonals(
      const BlockCyclicMatrix& a, const std::vector<std::vector<double>>& weights) const = 0;

  /// out = F X for this rank's training rows, X l x k. Collective.
  virtual void multiply(const BlockCyclicMatrix& x, MatrixView<double> out) const = 0;
  /// B X, l x k. Collective.
  [[nodiscard]] virtual BlockCyclicMatrix times_middle(const BlockCyclicMatrix& x) const = 0;
  /// True if B = I.
  [[nodiscard]] virtual bool middle_is_identity() const = 0;
  /// Coefficients of the columns of L from those of F: M X. Collective.
  [[nodiscard]] virtual BlockCyclicMatrix to_left(BlockCyclicMatrix x) const = 0;
};

/// Features of `rows` (this rank's, global numbers, ascending). `approximation` must outlive them.
/// Memory: for a dense L its training rows in double precision, twice this if J is dense. Collective.
template <class T>
[[nodiscard]] std::unique_ptr<TrainingFeatures> make_training_features(const Execution& execution,
                                                                       std::shared_ptr<const ProcessGrid> grid,
                                                                       const Approximation<T>& approximation,
                                                                       std::span<const Index> rows);

}  // namespace cairn
