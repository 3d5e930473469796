// A core matrix of the Nystrom family from a block of K.
#pragma once

#include <span>
#include <vector>

#include "cairn/approximation/method.hpp"
#include "cairn/approximation/symmetric_core.hpp"

namespace cairn {

/// `count` objects that are neither landmarks nor in `others`, drawn without replacement with probability proportional
/// to their leverage scores in C = K S, diag(C (CᵀC)⁺ Cᵀ) (Stream::second_sample). The scores are estimated from 64
/// random projections, and those of directions that are rounding in CᵀC are low. Takes no evaluations, n s² + 128 n s
/// flops.
/// @pre there are as many eligible objects; C is not 0. Collective. Memory: 2 s² / ranks doubles and 64 numbers per row
/// of up to 65,536.
template <class T>
[[nodiscard]] std::vector<Index> leverage_rows(const Problem<T>& input, const RowBlock<T>& columns,
                                               std::span<const Index> others, Index count);

/// J = X K_PP Xᵀ = M diag(signs) Mᵀ, X = (K_PS)⁺: the symmetric J that minimizes ||K_PS J K_SP - K_PP||_F, semidefinite
/// if K is.     [Wang, Zhang, Zhang 2016, JMLR 17, the fast SPSD model]
///
/// Singular values of K_PS are dropped as rule.tolerance says, by default those of rounding. Sets rank,
/// dropped_eigenvalues, negative_eigenvalues and spectrum (singular values) of `report`.
/// @param block  K_PP, the landmarks first; consumed
/// @throws Error(numeric) if no value remains. Collective. Memory: 4 p² / ranks doubles.
[[nodiscard]] SymmetricRoot block_core(BlockCyclicMatrix block, Index landmarks, const SpectrumRule& rule,
                                       MethodReport& report);

}  // namespace cairn
