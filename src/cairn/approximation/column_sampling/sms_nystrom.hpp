// Submatrix-shifted Nystrom.
#pragma once

#include "cairn/approximation/column_sampling/principal_block.hpp"

namespace cairn {

/// K~ = C (beta (S1ᵀKS1 + e I))⁺ Cᵀ, e = -alpha lambda_min(S2ᵀKS2) if that eigenvalue is negative, else 0; S1 the
/// landmarks, S2 these and s2 - s1 more.     [Ray et al. 2022, Algorithm 1; beta: section 4.3]
///
/// C = K S1; with shift = both, e is added where a row is the column's own landmark. Takes (s2 - s1)² evaluations
/// besides K S1. Collective. Memory besides nystrom's: 4 s2² / ranks doubles.
/// @throws Error as approximate()
template <class T>
[[nodiscard]] Approximation<T> sms_nystrom(Problem<T> input);

[[nodiscard]] const MethodDescriptor& sms_nystrom_method();

/// e for a core block A = S1ᵀKS1; sets s2, shift and warnings of `report`. Collective.
/// @param columns  K S1, or K S with S1 its first landmarks
/// @param beside   S2 without S1
template <class T>
[[nodiscard]] double submatrix_shift(const Problem<T>& input, const TallMatrix<T>& columns,
                                     const std::vector<Index>& landmarks, const BlockCyclicMatrix& block,
                                     const SampleBlock<T>& beside, MethodReport& report);

/// A + e I, times beta = |A|_2 / |A + e I|_2 if `rescale`; sets rescale of `report`. Collective.
[[nodiscard]] BlockCyclicMatrix shifted(BlockCyclicMatrix block, double shift, bool rescale, MethodReport& report);

}  // namespace cairn
