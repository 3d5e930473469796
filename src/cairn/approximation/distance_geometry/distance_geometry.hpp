// Methods of distance geometry: points whose inner products are K.
// [Khalife, Gonçalves and Liberti, Journal of Computational Mathematics and Data Science 6, 100073, 2022]
#pragma once

#include "cairn/approximation/method.hpp"

namespace cairn {

/// gbu: geometric build-up from the first m objects of an order (their Algorithm 1).
[[nodiscard]] const MethodDescriptor& build_up_method();
/// dc: consecutive blocks of an order, aligned to each other (their Algorithm 2).
[[nodiscard]] const MethodDescriptor& divide_and_conquer_method();
/// pmi-eigs: the algebraically largest eigenpairs of all of K (their equation 8).
[[nodiscard]] const MethodDescriptor& algebraic_method();
/// adam: gradient descent on the entries that gbu takes (their equation 13).
[[nodiscard]] const MethodDescriptor& adam_method();

}  // namespace cairn
