// L J Rᵀ times a vector: what iterative methods know of an approximation.
#pragma once

#include "cairn/approximation/approximation.hpp"

namespace cairn {

/// y = L J Rᵀ x for one x after another, x and y split over ranks as the factors' rows are; no g. Rᵀ x is added up over
/// ranks, multiplied by J as multiply_vector does, and taken by every rank times its own rows of L. Factors and sums
/// are taken in double precision whatever T is. Memory: a vector as long as R has columns for each thread.
template <class T>
class VectorProduct {
 public:
  /// Both outlive this.
  VectorProduct(const Execution& execution, const Approximation<T>& approximation)
      : execution_(execution), approximation_(approximation) {}

  /// From the own entries of x to those of y = L J Rᵀ x, or R Jᵀ Lᵀ x where `transpose` says so. Collective.
  void multiply(const double* x, double* y, bool transpose = false) const;

 private:
  Execution execution_;
  const Approximation<T>& approximation_;
};

}  // namespace cairn
