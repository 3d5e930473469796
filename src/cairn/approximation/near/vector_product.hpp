// L J Rᵀ times a vector: the operator interface of iterative methods.
#pragma once

#include "cairn/approximation/approximation.hpp"
#include "cairn/approximation/near/near_entries.hpp"

namespace cairn {

/// y = L J Rᵀ x, or (L J Rᵀ + S) x, for one x after another, x and y distributed over ranks as the factors' rows are;
/// without g. Rᵀ x is summed over ranks, multiplied by J as in multiply_vector, and then by every rank's own rows of L.
/// Factors and sums are used in double precision for any T. Memory: a vector with the number of columns of R for each
/// thread, and with S one with the number of rows of K.
template <class T>
class VectorProduct {
 public:
  /// All arguments must outlive this. @param near  S, for an approximation without g; null: none
  VectorProduct(const Execution& execution, const Approximation<T>& approximation, const NearEntries<T>* near = nullptr)
      : execution_(execution), approximation_(approximation), near_(near) {}

  /// From the own entries of x to those of y = L J Rᵀ x, or its transpose if `transpose`. Collective.
  void multiply(const double* x, double* y, bool transpose = false) const;

 private:
  Execution execution_;
  const Approximation<T>& approximation_;
  const NearEntries<T>* near_;
};

}  // namespace cairn
