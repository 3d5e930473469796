// The solvers for columns of P, by name.
#pragma once

#include <memory>
#include <vector>

#include "approximation/interpolation.hpp"

namespace cairn {

/// A factor of all of M_uu (CHOLMOD, 64-bit), held once per node; dense solves in blocks of right-hand sides, each
/// corrected once.  Time for a column: O(factor). `op` and `landmarks` outlive the solver.
/// @throws Error(resource) where the factor does not fit the node, Error(numeric) where M_uu is not positive definite.
/// Collective.
[[nodiscard]] std::unique_ptr<ColumnSolver> make_direct_solver(const Execution& execution, const BiharmonicOperator& op,
                                                               const std::vector<Index>& landmarks,
                                                               const InterpolationParameters& parameters);

}  // namespace cairn
