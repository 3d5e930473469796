// L J Rᵀ times a vector: what iterative methods know of an approximation.
#pragma once

#include "cairn/approximation/approximation.hpp"
#include "cairn/approximation/near/near_entries.hpp"

namespace cairn {

/// y = L J Rᵀ x, or (L J Rᵀ + S) x, for one x after another, x and y split over ranks as the factors' rows are; no g.
/// Rᵀ x is added up over ranks, multiplied by J as multiply_vector does, and taken by every rank times its own rows of
/// L. Factors and sums are taken in double precision whatever T is. Memory: a vector as long as R has columns for each
/// thread, and with S one as long as K has rows.
template <class T>
class VectorProduct {
 public:
  /// All outlive this. @param near  S, of an approximation without g; null: none
  VectorProduct(const Execution& execution, const Approximation<T>& approximation, const NearEntries<T>* near = nullptr)
      : execution_(execution), approximation_(approximation), near_(near) {}

  /// From the own entries of x to those of y = L J Rᵀ x, or its transpose where `transpose` says so. Collective.
  void multiply(const double* x, double* y, bool transpose = false) const;

 private:
  Execution execution_;
  const Approximation<T>& approximation_;
  const NearEntries<T>* near_;
};

}  // namespace cairn
