// StaCUR.
#pragma once

#include "cairn/approximation/column_sampling/cur.hpp"

namespace cairn {

/// K~ = C U (K S2)ᵀ, C = K S1, U = (n / s2) (CᵀC)⁺ (S1ᵀKS2).     [Drineas, Kannan, Mahoney 2006; Ray et al. 2022,
/// section 3]
///
/// The paper's formula with corrected sizes: it prints (K S1 S1ᵀ K)⁻¹, n x n, where (CᵀC)⁻¹, s x s, is meant. Same
/// samples: S2 = S1, the landmarks, and n s evaluations; different: S2 drawn independently (Stream::second_sample). K~
/// is not symmetric. Exact at s = n only. Collective.
/// @throws Error as approximate()
template <class T>
[[nodiscard]] Approximation<T> stacur(Problem<T> input);

[[nodiscard]] const MethodDescriptor& stacur_method();

/// U from C and S1ᵀKS2; sets rank, dropped_eigenvalues and spectrum (of CᵀC) of `report`. Collective.
template <class T>
[[nodiscard]] BlockCyclicMatrix stacur_core(const Execution& execution, const TallMatrix<T>& columns,
                                            const BlockCyclicMatrix& block, double tolerance, MethodReport& report);

/// The default relative tolerance of (CᵀC)⁺: of rounding alone, as the paper has none.
[[nodiscard]] double default_stacur_tolerance(bool single_precision);

/// U = A Σ Bᵀ as (A Σ^(1/2)) (B Σ^(1/2))ᵀ, without singular values that are rounding errors. `core_matrix` is consumed.
/// Collective.
[[nodiscard]] CoreFactors square_root_factors(BlockCyclicMatrix core_matrix);

}  // namespace cairn
