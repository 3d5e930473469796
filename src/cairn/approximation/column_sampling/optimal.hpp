// The best approximation of a given rank, from all of K.
#pragma once

#include "cairn/approximation/method.hpp"

namespace cairn {

/// Maximum number of objects that `optimal` accepts: beyond it the n² evaluations and the n³ of the eigen-decomposition
/// take too long for a reference, and K alone takes more than 7 GB.
inline constexpr Index most_optimal_objects = 30'000;

/// @param what  "the method optimal decomposes all of K" @param advice  appended to the numbers
/// @throws Error(resource) for more than most_optimal_objects. Local.
void require_few_objects(Index objects, const std::string& what, const std::string& advice);

/// K~ = V_k diag(λ_k) V_kᵀ, the k = parameters.rank (landmarks.count) eigenvalues of largest magnitude: the smallest
/// Frobenius error of that rank (Eckart and Young 1936). For reference: reads all n² entries.
///
/// V_k is dense with J = diag(λ_k), or as an embedding V_k |λ_k|^(1/2) with J = diag(signs). The factors do not come
/// from similarities with landmarks: they cannot be extended. Collective. Memory: 4 n² / ranks doubles, and all objects
/// on every rank.
template <class T>
[[nodiscard]] Approximation<T> optimal(Problem<T> input);

[[nodiscard]] const MethodDescriptor& optimal_method();

}  // namespace cairn
