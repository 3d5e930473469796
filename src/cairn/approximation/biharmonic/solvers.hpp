// Constructors of the solvers for columns of P.
#pragma once

#include <memory>
#include <vector>

#include "cairn/approximation/biharmonic/interpolation.hpp"

namespace cairn {

/// A factor of all of M_uu (CHOLMOD, 64-bit), stored once per node; dense solves in blocks of right-hand sides, each
/// corrected once. Landmarks may be soft. Time per column: O(factor). `op` and `landmarks` must outlive the solver.
/// @throws Error(resource) if the factor does not fit the node or parameters.memory, Error(numeric) if M_uu is not
/// positive definite. Collective.
[[nodiscard]] std::unique_ptr<ColumnSolver> make_direct_solver(const Execution& execution, const BiharmonicOperator& op,
                                                               const std::vector<Index>& landmarks,
                                                               const InterpolationParameters& parameters);

/// Number of right-hand sides that it solves at once on each thread; a plan counts it. Local.
[[nodiscard]] Index direct_solver_columns(Index unknowns);

/// Factors of patches of the graph, each for some hundreds of landmarks (or one factor of the whole graph: see
/// patches_of), and solves within the neighborhoods of eight landmarks at a time, each corrected once. A patch is
/// treated as a separate graph. It is grown where a column exceeds the tolerance at its edge (dense P: 1e-11 if that is
/// less), a neighborhood until no value on its rim would be kept. Time per column: depends on n / l, not on n. `op` and
/// `landmarks` must outlive the solver.
/// @throws Error(numeric) for a component without landmark, Error(resource). Collective.
[[nodiscard]] std::unique_ptr<ColumnSolver> make_local_solver(const Execution& execution, const BiharmonicOperator& op,
                                                              const std::vector<Index>& landmarks,
                                                              const InterpolationParameters& parameters);

/// Conjugate gradients (PETSc), preconditioned by multigrid, one column at a time on all ranks together; each rank
/// holds the rows of its own vertices. No factor. Time per column: O(n sqrt(n / l)) at most, or O(n l) if landmarks are
/// few. `op` and `landmarks` must outlive the solver.
/// @throws Error(usage) for an unknown preconditioner, Error(numeric) if the residual does not fall to
///   parameters.tolerance, Error(resource). Collective. Memory: about 100 bytes per own vertex and 60 per own arc.
[[nodiscard]] std::unique_ptr<JointColumnSolver> make_iterative_solver(const Execution& execution,
                                                                       const BiharmonicOperator& op,
                                                                       const std::vector<Index>& landmarks,
                                                                       const InterpolationParameters& parameters);

}  // namespace cairn
