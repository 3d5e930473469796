// Solves with L_uu by PETSc's conjugate gradients on all ranks.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "cairn/approximation/biharmonic/harmonic/laplacian_solver.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/linalg/sparse/slepc_session.hpp"

namespace cairn {

namespace {

constexpr PetscInt most_iterations = 500;  // of one solve
constexpr int most_passes = 4;             // solves with a newly formed residual
constexpr const char* prefix = "cairn_interpolation_";

// Options of the multigrid cycle, which PETSc accepts only as text. A symmetric V-cycle, as conjugate gradients
// require.
const std::vector<std::pair<const char*, const char*>>& cycle_options() {
  static const std::vector<std::pair<const char*, const char*>> options = {
      {"-cairn_interpolation_pc_hypre_type", "boomeramg"},
      {"-cairn_interpolation_pc_hypre_boomeramg_relax_type_all", "symmetric-SOR/Jacobi"},
      {"-cairn_interpolation_pc_hypre_boomeramg_max_iter", "1"},
      {"-cairn_interpolation_pc_hypre_boomeramg_tol", "0"},
      {"-cairn_interpolation_pc_gamg_threshold", "0.01"},
  };
  return options;
}

class PetscLaplacian final : public LaplacianSolver {
 public:
  PetscLaplacian(const LaplacianRows& rows, const std::vector<Index>& landmarks, const std::string& preconditioner,
                 double tolerance, const KeyNames& keys)
      : rows_(rows), tolerance_(tolerance), keys_(keys), matrix_(rows.petsc_matrix(landmarks)) {
    for (Index v = rows.range().begin; v < rows.range().end; ++v) {
      fixed_.push_back(std::ranges::binary_search(landmarks, v) ? 1 : 0);
    }
    check(petsc::MatCreateVecs(matrix_.get(), residual_.place(), correction_.place()), "MatCreateVecs");
    make_solver(preconditioner);
  }

  void solve(MatrixView<double> columns) override;
  [[nodiscard]] Index width() const override { return 16; }  // of vectors that are exchanged at once
  void describe(InterpolationReport& report) const override {
    report.iterations = most_;
    report.preconditioned_condition = largest_ / smallest_;
  }

 private:
  void make_solver(const std::string& preconditioner);
  void set_preconditioner(PC cycle, const std::string& preconditioner) const;
  void solve_one(std::vector<double>& right_hand_side, std::vector<double>& x);
  [[nodiscard]] double norm_of_residual();
  void note_iterations();
  void set(Vec vector, const std::vector<double>& values) const;
  void check(PetscErrorCode code, const char* call) const { check_petsc(code, call, rows_.communicator()); }

  const LaplacianRows& rows_;
  double tolerance_;
  KeyNames keys_;
  std::vector<char> fixed_;  // by own vertex: a landmark
  PetscMatrix matrix_;
  PetscVector residual_, correction_;
  PetscSolver solver_;
  PC cycle_ = nullptr;                     // of the solver
  Index most_ = 0;                         // iterations of a solve
  double largest_ = 1.0, smallest_ = 1.0;  // Ritz values of the preconditioned matrix
};

void PetscLaplacian::make_solver(const std::string& preconditioner) {
  check(petsc::KSPCreate(rows_.communicator().handle(), solver_.place()), "KSPCreate");
  check(petsc::KSPSetOperators(solver_.get(), matrix_.get(), matrix_.get()), "KSPSetOperators");
  check(petsc::KSPSetType(solver_.get(), KSPCG), "KSPSetType");
  check(petsc::KSPSetNormType(solver_.get(), KSP_NORM_NATURAL), "KSPSetNormType");
  check(petsc::KSPSetComputeSingularValues(solver_.get(), PETSC_TRUE), "KSPSetComputeSingularValues");
  check(petsc::KSPGetPC(solver_.get(), &cycle_), "KSPGetPC");
  for (const auto& [name, value] : cycle_options()) {
    check(petsc::PetscOptionsSetValue(nullptr, name, value), "PetscOptionsSetValue");
  }
  set_preconditioner(cycle_, preconditioner);
  for (const auto& [name, value] : cycle_options()) {
    check(petsc::PetscOptionsClearValue(nullptr, name), "PetscOptionsClearValue");
  }
}

void PetscLaplacian::set_preconditioner(PC cycle, const std::string& preconditioner) const {
  check(petsc::PCSetOptionsPrefix(cycle, prefix), "PCSetOptionsPrefix");
  const PetscErrorCode code = petsc::PCSetType(cycle, preconditioner == "hypre" ? PCHYPRE : PCGAMG);
  if (code == PETSC_ERR_ARG_UNKNOWN_TYPE && preconditioner == "hypre") {
    throw Error(ErrorKind::resource,
                fmt::format("PETSc was built without hypre; {} = gamg takes its own cycles", keys_("preconditioner")));
  }
  check(code, "PCSetType");
  check(petsc::PCSetFromOptions(cycle), "PCSetFromOptions");
  check(petsc::PCSetUp(cycle), "PCSetUp");
}

void PetscLaplacian::set(Vec vector, const std::vector<double>& values) const {
  double* own = nullptr;
  check(petsc::VecGetArrayWrite(vector, &own), "VecGetArrayWrite");
  std::ranges::copy(values, own);
  check(petsc::VecRestoreArrayWrite(vector, &own), "VecRestoreArrayWrite");
}

void PetscLaplacian::solve(MatrixView<double> columns) {
  std::vector<double> right_hand_side(fixed_.size()), x(fixed_.size());
  for (Index k = 0; k < columns.columns; ++k) {
    for (std::size_t v = 0; v < fixed_.size(); ++v) {
      right_hand_side[v] = fixed_[v] != 0 ? 0.0 : columns(static_cast<Index>(v), k);
    }
    solve_one(right_hand_side, x);
    for (std::size_t v = 0; v < fixed_.size(); ++v) columns(static_cast<Index>(v), k) = x[v];
    Watchdog::beat();
  }
}

// sqrt(rᵀ B r), which approximates the error in the norm of L.
double PetscLaplacian::norm_of_residual() {
  double square = 0.0;
  check(petsc::PCApply(cycle_, residual_.get(), correction_.get()), "PCApply");
  check(petsc::VecDot(residual_.get(), correction_.get(), &square), "VecDot");
  return std::sqrt(std::max(square, 0.0));
}

// Each pass solves for a correction of x with a newly formed residual.
void PetscLaplacian::solve_one(std::vector<double>& right_hand_side, std::vector<double>& x) {
  const auto size = static_cast<Index>(x.size());
  std::ranges::fill(x, 0.0);
  std::vector<double> product(x.size());
  set(residual_.get(), right_hand_side);
  const double all = norm_of_residual();
  double left = all;
  for (int pass = 0; !(left <= tolerance_ * all); ++pass) {
    if (pass == most_passes || !std::isfinite(left)) {
      throw Error(ErrorKind::numeric,
                  fmt::format("conjugate gradients left a residual of {:.1e}, relative to the right-hand side; {:.1e} "
                              "was asked for; take a larger {} or more landmarks",
                              left / all, tolerance_, keys_("tolerance")));
    }
    const double wanted = std::clamp(0.5 * tolerance_ * all / left, 1e-14, 0.5);
    check(petsc::KSPSetTolerances(solver_.get(), wanted, 1e-300, 1e10, most_iterations), "KSPSetTolerances");
    check(petsc::KSPSolve(solver_.get(), residual_.get(), correction_.get()), "KSPSolve");
    note_iterations();
    const double* correction = nullptr;
    check(petsc::VecGetArrayRead(correction_.get(), &correction), "VecGetArrayRead");
    for (std::size_t v = 0; v < x.size(); ++v) x[v] += fixed_[v] != 0 ? 0.0 : correction[v];
    check(petsc::VecRestoreArrayRead(correction_.get(), &correction), "VecRestoreArrayRead");
    rows_.multiply({x.data(), size, 1}, {product.data(), size, 1});
    for (std::size_t v = 0; v < x.size(); ++v) product[v] = fixed_[v] != 0 ? 0.0 : right_hand_side[v] - product[v];
    set(residual_.get(), product);
    left = norm_of_residual();
  }
}

void PetscLaplacian::note_iterations() {
  PetscInt iterations = 0;
  check(petsc::KSPGetIterationNumber(solver_.get(), &iterations), "KSPGetIterationNumber");
  most_ = std::max<Index>(most_, iterations);
  if (iterations == 0) return;
  double largest = 1.0, smallest = 1.0;
  check(petsc::KSPComputeExtremeSingularValues(solver_.get(), &largest, &smallest), "KSPComputeExtremeSingularValues");
  largest_ = std::max(largest_, largest);
  smallest_ = std::min(smallest_, smallest);
}

}  // namespace

std::unique_ptr<LaplacianSolver> make_petsc_laplacian(const LaplacianRows& rows, const std::vector<Index>& landmarks,
                                                      const std::string& preconditioner, double tolerance,
                                                      const KeyNames& keys) {
  return std::make_unique<PetscLaplacian>(rows, landmarks, preconditioner, tolerance, keys);
}

}  // namespace cairn
