// The eigenvalues of K~ on the training rows, and its eigenvectors through features. Private to kernel ridge
// regression.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cairn/linalg/dense/block_cyclic_matrix.hpp"
#include "cairn/parameters/key_names.hpp"
#include "cairn/task/regression/training_features.hpp"

namespace cairn {

/// @param keys  names of keys of the methods that give approximations (transform), for messages
/// @throws Error(usage) if L J Rᵀ is not symmetric or if its root is taken. Local.
template <class T>
void require_kernel(const Approximation<T>& approximation, const KeyNames& keys);

/// C and C⁻ᵀ of FᵀF = C Cᵀ.
struct GramRoot {
  std::vector<double> squares;  ///< eigenvalues of FᵀF that are kept
  BlockCyclicMatrix root;       ///< V D^(1/2), l x r
  BlockCyclicMatrix inverse;    ///< V D^(-1/2)

  /// Decomposes N⁻¹ FᵀF N⁻¹ (eigenvalues: `squares`), N the norms of F's columns. Heights of trees are lengths, and may
  /// be far larger or smaller than P; small columns would otherwise be mistaken for rounding. Collective.
  static GramRoot of_any_units(BlockCyclicMatrix gram);
  /// @throws Error(numeric) if F is 0. Collective.
  static GramRoot of(BlockCyclicMatrix gram);
};

/// K~ on the training rows: U diag(values) Uᵀ, U = F whitening.
struct KernelDecomposition {
  std::vector<double> values;
  BlockCyclicMatrix whitening;  ///< l x r
  BlockCyclicMatrix back;       ///< l x r: coefficients of F are back (lambda + values)⁻¹ Uᵀ Y
};

/// Collective.
[[nodiscard]] KernelDecomposition decompose(const TrainingFeatures& features, const GramRoot& gram);

/// Multiplies row i of X by scales[i]. Local.
void scale_rows(BlockCyclicMatrix& x, const std::vector<double>& scales);

/// (K~₊ + lambda I)⁻¹ for any lambda, K~₊ the positive semidefinite part of K~ on the training rows, by Woodbury's
/// formula: (v - U Θ₊ (lambda + Θ₊)⁻¹ Uᵀ v) / lambda.
class KernelInverse {
 public:
  /// @param rows  of this rank, global numbers, ascending @param approximation  symmetric; must outlive this
  /// @throws as RidgeTrainer::train. Collective.
  template <class T>
  KernelInverse(const Execution& execution, const Approximation<T>& approximation, std::span<const Index> rows);

  /// z_c = (K~₊ + lambdas[c] I)⁻¹ v_c, own rows x columns each. Collective.
  void apply(MatrixView<const double> v, std::span<const double> lambdas, MatrixView<double> z) const;

  [[nodiscard]] Index rank() const { return static_cast<Index>(decomposition_.values.size()); }
  /// The least and the largest eigenvalue of K~, without those that are 0 by its rank.
  [[nodiscard]] double smallest() const;
  [[nodiscard]] double largest() const;
  /// Number of eigenvalues that are negative beyond rounding: they are taken for 0.
  [[nodiscard]] Index negative() const;

 private:
  std::shared_ptr<const ProcessGrid> grid_;
  std::unique_ptr<TrainingFeatures> features_;
  KernelDecomposition decomposition_;
};

}  // namespace cairn
