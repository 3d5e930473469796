// Constructors of the solvers for columns of P.
#pragma once

#include <memory>
#include <vector>

#include "cairn/approximation/biharmonic/interpolation.hpp"

namespace cairn {

/// Factors of patches of the graph, each for some hundreds of landmarks (or one factor of the whole graph: see
/// patches_of), and solves within the neighborhoods of eight landmarks at a time, each corrected once. A patch is
/// treated as a separate graph. It is grown where a column exceeds the tolerance at its edge (dense P: 1e-11 if that is
/// less), a neighborhood until no value on its rim would be kept. Time per column: depends on n / l, not on n. `op` and
/// `landmarks` must outlive the solver.
/// @throws Error(numeric) for a component without landmark, Error(resource). Collective.
[[nodiscard]] std::unique_ptr<ColumnSolver> make_local_solver(const Execution& execution, const BiharmonicOperator& op,
                                                              const std::vector<Index>& landmarks,
                                                              const InterpolationParameters& parameters);

/// P in harmonic form (HarmonicForm), all ranks together: two to four solves a column with the Laplacian of the
/// vertices that are no landmarks. Landmarks may be soft. `op` and `landmarks` must outlive the solver.
/// @param factored  true: by a factor on every node; false: by PETSc, to a tenth of parameters.tolerance
/// @throws as make_factored_laplacian and make_petsc_laplacian. Collective. Memory: as HarmonicForm.
[[nodiscard]] std::unique_ptr<JointColumnSolver> make_harmonic_solver(const Execution& execution,
                                                                      const BiharmonicOperator& op,
                                                                      const std::vector<Index>& landmarks,
                                                                      const InterpolationParameters& parameters,
                                                                      bool factored);

}  // namespace cairn
