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

/// Factors of patches of the graph, each for some hundreds of landmarks, and solves within the neighbourhoods of eight
/// landmarks at a time, each corrected once. A patch is a graph of its own; it is grown where a column exceeds the
/// tolerance at its edge (dense P: 1e-11 if that is less), a neighbourhood until no value on its rim would be kept.
/// Time for a column: by n / l, whatever n is. `op` and `landmarks` outlive the solver.
/// @throws Error(numeric) for a component without landmark, Error(resource). Collective.
[[nodiscard]] std::unique_ptr<ColumnSolver> make_local_solver(const Execution& execution, const BiharmonicOperator& op,
                                                              const std::vector<Index>& landmarks,
                                                              const InterpolationParameters& parameters);

}  // namespace cairn
