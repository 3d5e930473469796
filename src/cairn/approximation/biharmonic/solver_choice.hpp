// Which solver computes the columns of P.
#pragma once

#include <memory>
#include <vector>

#include "cairn/approximation/biharmonic/interpolation.hpp"

namespace cairn {

/// The share of the vertices that a neighbourhood (a patch) has at most for `auto` to take `local`.
inline constexpr double largest_local_share = 0.5;

/// One of the two.
struct ChosenSolver {
  std::unique_ptr<ColumnSolver> own;         ///< each rank by itself
  std::unique_ptr<JointColumnSolver> joint;  ///< all ranks together

  [[nodiscard]] const ColumnTiling& tiling() const {
    return own ? static_cast<const ColumnTiling&>(*own) : static_cast<const ColumnTiling&>(*joint);
  }
};

/// The solver that parameters.solver names. auto: `local` where a landmark's neighbourhood is small, else `direct`
/// where its factor fits into memory, else `local` where that of a patch does, else `iterative`. Soft landmarks leave
/// direct and iterative. report.solver and report.reason say which and why.
/// @throws Error(usage) for unknown names and for soft landmarks with local; Error(resource) if a named solver does
///   not fit; Error(numeric). Collective.
[[nodiscard]] ChosenSolver make_solver(const Execution& execution, const BiharmonicOperator& op,
                                       const std::vector<Index>& landmarks, const InterpolationParameters& parameters,
                                       InterpolationReport& report);

}  // namespace cairn
