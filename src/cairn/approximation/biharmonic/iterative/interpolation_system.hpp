// The equations of P, solved by conjugate gradients on all ranks together.
#pragma once

#include <exception>
#include <span>
#include <string>
#include <vector>

#include "cairn/approximation/biharmonic/laplacian_rows.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// Statistics of conjugate gradients.
struct IterationReport {
  Index iterations = 0;   ///< of all solves
  Index most = 0;         ///< of one solve
  double smallest = 1.0;  ///< Ritz values of the preconditioned operator
  double largest = 1.0;
};

/// M_uu x = -M_ub e, or (M + p S Sᵀ) x = p S e where landmarks are soft with the penalty p.
///
/// Vectors have one value per vertex; at hard landmarks, whose values are given, x is 0. M is never formed: each
/// product multiplies by V - A twice. Preconditioned by L⁻¹ D L⁻¹, where L is V - A on the vertices that are not
/// landmarks (V - A + sqrt(p D) S Sᵀ for soft ones) and L⁻¹ are multigrid cycles. With exact inverses all eigenvalues
/// of the product are 1, except as many as there are landmarks: M_uu = L D⁻¹ L + Bᵀ D_b⁻¹ B with the rows B of hard
/// landmarks of V - A, so that these are 1 + those of D_b⁻¹ Hᵀ D H with harmonic interpolation H = -L⁻¹ Bᵀ, and at most
/// 1 + max_k (Σ_i d_i |H_ik| / d_k) max_i Σ_k |H_ik|. If weights are >= 0, the second factor is 1, and with D = I the
/// first is the largest column sum of H, a few times n / l. Negative cotangents may make both larger.
class InterpolationSystem {
 public:
  /// @param preconditioner  gamg or hypre
  /// @param penalty         of soft landmarks; 0: hard
  /// @param keys            name of the tolerance in messages
  /// Arguments must outlive this. @throws Error(resource). Collective.
  InterpolationSystem(const Communicator& communicator, const OperatorView& op, const std::vector<Index>& landmarks,
                      const std::string& preconditioner, double penalty, const KeyNames& keys = {});
  InterpolationSystem(const InterpolationSystem&) = delete;
  InterpolationSystem& operator=(const InterpolationSystem&) = delete;

  [[nodiscard]] Range range() const { return rows_.range(); }
  [[nodiscard]] bool is_fixed(Index own_vertex) const { return fixed_[own_vertex - range().begin] != 0; }

  /// The sum of the columns of P of some landmarks (positions): values at own vertices; those at hard landmarks are to
  /// be ignored. Iterates until the residual, formed through V - A, is below `tolerance` in the norm of the
  /// preconditioner, relative to that of the right-hand side.
  /// @throws Error(numeric) if that is not reached. Collective.
  [[nodiscard]] std::vector<double> solve(std::span<const Index> ends, double tolerance);
  /// 1-norm of the matrix times the largest magnitude of its inverse applied to ones. The latter is the norm of the
  /// inverse if that is positive, else a lower bound. Collective.
  [[nodiscard]] double condition_estimate(double tolerance);
  [[nodiscard]] const IterationReport& report() const { return report_; }

 private:
  static PetscErrorCode apply_matrix(Mat shell, Vec x, Vec y);
  static PetscErrorCode apply_preconditioner(PC shell, Vec x, Vec y);
  template <class Work>
  PetscErrorCode call(Work work) noexcept;
  void multiply(Vec x, Vec y);
  void precondition(Vec r, Vec z);
  void make_cycle(const std::string& preconditioner);
  void make_solver();
  void right_hand_side(std::span<const Index> ends);
  void run(double tolerance);
  void note_iterations();
  template <class Change>
  void change(Vec x, Change what) const;
  void check(PetscErrorCode code, const char* call) const;

  const Communicator& communicator_;
  const std::vector<Index>& landmarks_;
  KeyNames keys_;
  LaplacianRows rows_;
  std::vector<char> fixed_;        // by own vertex: a hard landmark
  std::vector<double> penalties_;  // by own vertex; empty if landmarks are hard
  PetscMatrix shell_, cycle_matrix_;
  PetscPreconditioner cycle_;
  PetscVector x_, b_, residual_, correction_, between_;
  PetscSolver solver_;
  std::exception_ptr error_;  // from a callback, rethrown after PETSc has returned
  double norm_ = 0.0;         // upper bound of the 1-norm of the matrix
  IterationReport report_;
};

}  // namespace cairn
