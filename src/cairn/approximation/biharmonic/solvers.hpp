// The solvers for columns of P, by name.
#pragma once

#include <memory>
#include <vector>

#include "cairn/approximation/biharmonic/interpolation.hpp"

namespace cairn {

/// A factor of all of M_uu (CHOLMOD, 64-bit), held once per node; dense solves in blocks of right-hand sides, each
/// corrected once. Landmarks may be soft. Time for a column: O(factor). `op` and `landmarks` outlive the solver.
/// @throws Error(resource) if the factor does not fit the node or parameters.memory, Error(numeric) if M_uu is
/// not positive definite. Collective.
[[nodiscard]] std::unique_ptr<ColumnSolver> make_direct_solver(const Execution& execution, const BiharmonicOperator& op,
                                                               const std::vector<Index>& landmarks,
                                                               const InterpolationParameters& parameters);

/// Right-hand sides that it solves for at once, on each thread: what a plan counts. Local.
[[nodiscard]] Index direct_solver_columns(Index unknowns);

/// Factors of patches of the graph, each for some hundreds of landmarks (or a factor of all of it: see patches_of), and
/// solves within the neighbourhoods of eight
/// landmarks at a time, each corrected once. A patch is a graph of its own; it is grown where a column exceeds the
/// tolerance at its edge (dense P: 1e-11 if that is less), a neighbourhood until no value on its rim would be kept.
/// Time for a column: by n / l, whatever n is. `op` and `landmarks` outlive the solver.
/// @throws Error(numeric) for a component without landmark, Error(resource). Collective.
[[nodiscard]] std::unique_ptr<ColumnSolver> make_local_solver(const Execution& execution, const BiharmonicOperator& op,
                                                              const std::vector<Index>& landmarks,
                                                              const InterpolationParameters& parameters);

/// Conjugate gradients (PETSc), preconditioned by multigrid, for a column at a time on all ranks together, each of
/// which holds the rows of its own vertices: no factor. Time for a column: O(n sqrt(n / l)) at most, or O(n l) where
/// landmarks are few. `op` and `landmarks` outlive the solver.
/// @throws Error(usage) for an unknown preconditioner, Error(numeric) if the residual does not fall to
///   parameters.tolerance, Error(resource). Collective. Memory: about 100 bytes an own vertex and 60 an own arc.
[[nodiscard]] std::unique_ptr<JointColumnSolver> make_iterative_solver(const Execution& execution,
                                                                       const BiharmonicOperator& op,
                                                                       const std::vector<Index>& landmarks,
                                                                       const InterpolationParameters& parameters);

}  // namespace cairn
