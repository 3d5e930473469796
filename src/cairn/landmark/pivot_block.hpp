// Rejection of proposed pivots.
#pragma once

#include <span>
#include <vector>

#include "cairn/base/index.hpp"

namespace cairn {

/// Pivots accepted from a block of proposals, and the Cholesky factor of the residual among them.
struct PivotBlock {
  std::vector<Index> taken;    ///< positions in the list of proposals, ascending
  std::vector<double> factor;  ///< lower triangular, taken.size() squared, row-major, zeros above the diagonal
};

/// Rejection sampling of pivots [Epperly, Tropp, Webber 2024, accelerated RPCholesky]. Proposal a was drawn with
/// probability proportional to residual(a, a); it is accepted with probability (its residual after the pivots accepted
/// before it) / residual(a, a). The pivots then have the same distribution as one pivot at a time.
///
/// @param residual  b x b, row-major, symmetric: K minus its approximation among the proposals; its lower triangle is
///                  read and overwritten
/// @param uniform  b numbers in [0, 1) that decide
/// @param floor  b residuals at or below which a proposal is rejected
/// @param most  largest number of pivots to accept
/// Local.
[[nodiscard]] PivotBlock take_pivots(std::span<double> residual, std::span<const double> uniform,
                                     std::span<const double> floor, Index most);

}  // namespace cairn
