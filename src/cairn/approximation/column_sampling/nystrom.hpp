// The Nystrom method.
#pragma once

#include "cairn/approximation/method.hpp"

namespace cairn {

/// K~ = K S (SᵀKS)⁺ SᵀK.     [Williams and Seeger 2001; Ray et al. 2022, eq. 1]
///
/// Takes n s evaluations, or none if the selection of landmarks has computed them. With core-rows = p, K~ = K S J SᵀK
/// with J from K among the landmarks and p - s other objects (block_core), which takes .5625 (p - s)² more. Collective.
/// @throws Error as approximate()
template <class T>
[[nodiscard]] Approximation<T> nystrom(Problem<T> input);

[[nodiscard]] const MethodDescriptor& nystrom_method();

}  // namespace cairn
