// The method poly-tensorsketch.
#pragma once

#include "cairn/approximation/method.hpp"

namespace cairn {

/// K ~ L J Lᵀ for K_ij = w_i w_j f(x_i·x_j): f is replaced by a polynomial whose powers are sketched.
///   [Han, Avron and Shin 2020; Pham and Pagh 2013]
[[nodiscard]] const MethodDescriptor& poly_tensorsketch_method();

}  // namespace cairn
