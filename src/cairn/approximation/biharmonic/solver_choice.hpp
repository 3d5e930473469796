// Choice of the solver for the columns of P.
#pragma once

#include <memory>
#include <vector>

#include "cairn/approximation/biharmonic/interpolation.hpp"

namespace cairn {

/// Largest share of the vertices in a neighborhood (a patch) for which `auto` chooses `local`.
inline constexpr double largest_local_share = 0.5;

/// Exactly one of the two is set.
struct ChosenSolver {
  std::unique_ptr<ColumnSolver> own;         ///< each rank by itself
  std::unique_ptr<JointColumnSolver> joint;  ///< all ranks together

  [[nodiscard]] ColumnTiling& tiling() const {
    return own ? static_cast<ColumnTiling&>(*own) : static_cast<ColumnTiling&>(*joint);
  }
};

/// The solver that parameters.solver names. auto: `local` if a landmark's neighborhood is small, else `direct` if its
/// factor fits into memory, else `local` if that of a patch does, else `petsc`. With soft landmarks only direct and
/// petsc are possible. report.solver and report.reason state the choice.
/// @throws Error(usage) for unknown names and for soft landmarks with local; Error(resource) if a named solver does not
///   fit; Error(numeric). Collective.
[[nodiscard]] ChosenSolver make_solver(const Execution& execution, const BiharmonicOperator& op,
                                       const std::vector<Index>& landmarks, const InterpolationParameters& parameters,
                                       InterpolationReport& report);

}  // namespace cairn
