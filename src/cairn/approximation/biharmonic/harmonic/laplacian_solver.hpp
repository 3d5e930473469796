// Solves with the Laplacian of the vertices that are no landmarks.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cairn/approximation/biharmonic/harmonic/laplacian_rows.hpp"
#include "cairn/approximation/interpolation_report.hpp"
#include "cairn/base/schedule/execution.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// Solves with L_uu, the rows and columns of V - A at the vertices u that are no landmarks: a Dirichlet Laplacian,
/// positive definite, and an M-matrix if no weight is negative. All ranks solve together.
class LaplacianSolver {
 public:
  virtual ~LaplacianSolver() = default;
  LaplacianSolver() = default;
  LaplacianSolver(const LaplacianSolver&) = delete;
  LaplacianSolver& operator=(const LaplacianSolver&) = delete;

  /// Replaces each column B by X with L_uu X_u = B_u and X = 0 at the landmarks. Rows: own vertices. @throws
  /// Error(numeric) if no solution is found. Collective.
  virtual void solve(MatrixView<double> columns) = 0;
  /// Number of columns to solve for at once.
  [[nodiscard]] virtual Index width() const = 0;
  /// Entries of the factor on this node; 0: there is none.
  [[nodiscard]] virtual Index factor_entries() const { return 0; }
  /// Sets the fields of the report that only this solver has. Local.
  virtual void describe(InterpolationReport& /*report*/) const {}
};

/// A Cholesky factor of L_uu (CHOLMOD, 64-bit) once per node, with which each rank solves its share of the columns.
/// @param landmarks  ascending; like the rows they must outlive the solver @param memory  bytes per rank that the
/// factor may take; 0: the memory of the node
/// @throws Error(resource) if it does not fit, Error(numeric) if L_uu is not positive definite. Collective. Memory:
/// twice the factor while it is made.
[[nodiscard]] std::unique_ptr<LaplacianSolver> make_factored_laplacian(const Execution& execution,
                                                                       const LaplacianRows& rows,
                                                                       const std::vector<Index>& landmarks,
                                                                       Index memory);
/// Columns that a thread solves for at once, at most; a plan counts them. Local.
[[nodiscard]] Index factored_columns(Index unknowns);

/// Choices of the PETSc solver.
struct PetscChoice {
  std::string preconditioner;  ///< gamg or hypre
  std::string options;         ///< further options of PETSc with their values, as on its command line
  double tolerance;
  KeyNames keys;  ///< names of the others in messages
};
inline constexpr const char* petsc_prefix = "cairn_interpolation_";

/// The further options and their values. @throws Error(usage) for a word that is neither, for an option without the
/// prefix, and for tolerances, which choice.tolerance gives. Local.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> petsc_options(const PetscChoice& choice);

/// Conjugate gradients of PETSc on all ranks, preconditioned by algebraic multigrid, one column after the other. They
/// iterate until the residual, formed by differences, is below choice.tolerance in the norm of the preconditioner,
/// relative to that of the right-hand side.
/// @throws Error(resource) without hypre, or for more vertices than PETSc counts; Error(usage) for an option that PETSc
/// does not use. Collective.
[[nodiscard]] std::unique_ptr<LaplacianSolver> make_petsc_laplacian(const LaplacianRows& rows,
                                                                    const std::vector<Index>& landmarks,
                                                                    const PetscChoice& choice);

}  // namespace cairn
