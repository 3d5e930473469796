// CUR approximations: K~ = (K S1) U (K S2)ᵀ.
#pragma once

#include <optional>
#include <vector>

#include "cairn/approximation/method.hpp"

namespace cairn {

/// Skeleton: U = (S2ᵀKS1)⁺, S1 the landmarks, S2 drawn independently of them (Stream::second_sample). [Goreinov,
/// Tyrtyshnikov, Zamarashkin 1997; Ray et al. 2022, section 3]
///
/// K~ is not symmetric, by about its error. Takes n s1 + n s2 evaluations minus those of columns in both samples.
/// Collective. Memory: n (s1 + s2) / ranks values, and as much again while embeddings are computed.
/// @throws Error as approximate()
template <class T>
[[nodiscard]] Approximation<T> skeleton(Problem<T> input);

/// SiCUR: U = (S2ᵀKS1)⁺, S1 the landmarks, S2 these and s2 - s1 more.     [Ray et al. 2022, section 3]
///
/// As skeleton(); takes n s2 evaluations.
template <class T>
[[nodiscard]] Approximation<T> sicur(Problem<T> input);

[[nodiscard]] const MethodDescriptor& skeleton_method();
[[nodiscard]] const MethodDescriptor& sicur_method();

/// K S2 and its origin.
template <class T>
struct SecondSample {
  FactorOrigin origin;
  TallMatrix<T> columns;
};

/// K S2 for the objects `sample`; each column is copied from K S1 if S2 shares it with the landmarks, else evaluated.
/// The order of S2 is changed: shared columns come first. Collective.
template <class T>
[[nodiscard]] SecondSample<T> evaluate_second_sample(const Problem<T>& input, const TallMatrix<T>& columns,
                                                     const std::vector<Index>& landmarks,
                                                     const std::vector<Index>& sample);

/// A core matrix in two factors: U = left rightᵀ, s1 x k times k x s2.
struct CoreFactors {
  BlockCyclicMatrix left;
  BlockCyclicMatrix right;
};

/// W⁺ = (Q Σ^(-1/2)) (P Σ^(-1/2))ᵀ from the singular values W = P Σ Qᵀ, without those below `tolerance` times the
/// largest; sets rank, dropped_eigenvalues and spectrum of `report`. `matrix` is consumed. Collective.
/// @throws Error(numeric) if no singular value remains
[[nodiscard]] CoreFactors pseudo_inverse_factors(BlockCyclicMatrix matrix, double tolerance, MethodReport& report);

/// The default relative tolerance of W⁺: of rounding for SiCUR, whose rectangular W has few small singular values;
/// larger for the square W of skeleton. The measurements are in docs/method-nystrom.md.
[[nodiscard]] double default_sicur_tolerance(bool single_precision);
[[nodiscard]] double default_skeleton_tolerance();

/// The columns of K that define a CUR approximation; R = L if `right` is empty.
template <class T>
struct CurColumns {
  TallMatrix<T> left;
  FactorOrigin left_origin;
  std::optional<SecondSample<T>> right;
};

/// L U Rᵀ with U as the core matrix. Local.
template <class T>
[[nodiscard]] Approximation<T> join_columns(CurColumns<T> columns, BlockCyclicMatrix core_matrix, MethodReport report);

/// The same as an embedding: (L factors.left) (R factors.right)ᵀ. Collective.
template <class T>
[[nodiscard]] Approximation<T> embed_columns(const Execution& execution, CurColumns<T> columns, CoreFactors factors,
                                             MethodReport report);

}  // namespace cairn
