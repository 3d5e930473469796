// Solves with L_uu by PETSc's conjugate gradients on all ranks.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "cairn/approximation/biharmonic/harmonic/laplacian_solver.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/linalg/library_limits.hpp"
#include "cairn/linalg/sparse/petsc_object.hpp"
#include "cairn/linalg/sparse/slepc_session.hpp"

namespace cairn {

namespace {

constexpr PetscInt most_iterations = 500;  // of one solve, unless an option says otherwise
constexpr Index block_columns = 16;        // whose values are exchanged at once
constexpr int most_passes = 4;             // solves with a newly formed residual

using Options = std::vector<std::pair<std::string, std::string>>;

// Options of the multigrid cycle, which PETSc accepts only as text. A symmetric V-cycle, as conjugate gradients
// require.
const Options& cycle_options() {
  static const Options options = {
      {"-cairn_interpolation_pc_hypre_type", "boomeramg"},
      {"-cairn_interpolation_pc_hypre_boomeramg_coarsen_type", "HMIS"},
      {"-cairn_interpolation_pc_hypre_boomeramg_interp_type", "ext+i"},
      {"-cairn_interpolation_pc_hypre_boomeramg_relax_type_all", "Chebyshev"},
      {"-cairn_interpolation_pc_hypre_boomeramg_max_iter", "1"},
      {"-cairn_interpolation_pc_hypre_boomeramg_tol", "0"},
      {"-cairn_interpolation_pc_gamg_threshold", "0.01"},
  };
  return options;
}

// L_uu on all ranks, in PETSc's numbering of all vertices: rows and columns of landmarks are those of the identity
// times V. @throws Error(resource) for more vertices than PETSc can count. Collective.
PetscMatrix petsc_matrix(const LaplacianRows& rows, const std::vector<Index>& landmarks) {
  const Communicator& communicator = rows.communicator();
  const OperatorView& op = rows.view();
  const Range range = rows.range();
  start_slepc(communicator);
  std::vector<PetscInt> starts{0}, columns;
  std::vector<double> values;
  PetscInt own = 0, all = 0;
  collectively(communicator, [&] {
    own = to_library_int(range.size(), "vertices of a rank");
    all = to_library_int(rows.size(), "vertices");
    for (Index v = range.begin; v < range.end; ++v) {
      columns.push_back(static_cast<PetscInt>(v));
      values.push_back(op.degrees[v] == 0.0 ? 1.0 : op.degrees[v]);  // an isolated landmark
      const bool fixed = std::ranges::binary_search(landmarks, v);
      for (Index arc = op.starts[v]; !fixed && arc < op.starts[v + 1]; ++arc) {
        const Index other = op.neighbors[arc];
        if (std::ranges::binary_search(landmarks, other)) continue;
        columns.push_back(static_cast<PetscInt>(other));
        values.push_back(-op.weight(arc));
      }
      starts.push_back(to_library_int(static_cast<Index>(columns.size()), "entries of the operator on a rank"));
    }
  });
  PetscMatrix result;
  check_petsc(petsc::MatCreateMPIAIJWithArrays(communicator.handle(), own, own, all, all, starts.data(), columns.data(),
                                               values.data(), result.place()),
              "MatCreateMPIAIJWithArrays", communicator);
  check_petsc(petsc::MatSetOption(result.get(), MAT_SPD, PETSC_TRUE), "MatSetOption", communicator);
  return result;
}

// Called in each iteration.
PetscErrorCode beat(KSP /*solver*/, PetscInt /*iteration*/, PetscReal /*norm*/, void* /*context*/) {
  Watchdog::beat();
  return 0;
}

// PETSc knows these options while this lives.
class PresentOptions {
 public:
  PresentOptions(const Options& options, const Communicator& communicator) : options_(options) {
    for (const auto& [name, value] : options) {
      check_petsc(petsc::PetscOptionsSetValue(nullptr, name.c_str(), value.c_str()), "PetscOptionsSetValue",
                  communicator);
    }
  }
  ~PresentOptions() {
    for (const auto& [name, value] : options_) petsc::PetscOptionsClearValue(nullptr, name.c_str());
  }
  PresentOptions(const PresentOptions&) = delete;
  PresentOptions& operator=(const PresentOptions&) = delete;

 private:
  const Options& options_;
};

class PetscLaplacian final : public LaplacianSolver {
 public:
  PetscLaplacian(const LaplacianRows& rows, const std::vector<Index>& landmarks, const PetscChoice& choice)
      : rows_(rows), tolerance_(choice.tolerance), keys_(choice.keys), matrix_(petsc_matrix(rows, landmarks)) {
    collectively(rows.communicator(), [&] {
      const auto own = static_cast<std::size_t>(rows.range().size());
      for (std::vector<double>* vector : {&right_hand_side_, &x_, &product_}) vector->resize(own);
      for (Index v = rows.range().begin; v < rows.range().end; ++v) {
        fixed_.push_back(std::ranges::binary_search(landmarks, v) ? 1 : 0);
      }
    });
    check(petsc::MatCreateVecs(matrix_.get(), residual_.place(), correction_.place()), "MatCreateVecs");
    make_solver(choice);
  }

  void solve(MatrixView<double> columns) override;
  [[nodiscard]] Index width() const override { return block_columns; }
  void describe(InterpolationReport& report) const override {
    report.iterations = most_;
    report.preconditioned_condition = largest_ / smallest_;
  }

 private:
  void make_solver(const PetscChoice& choice);
  void set_preconditioner(const PetscChoice& choice);
  void solve_one();
  [[nodiscard]] double norm_of_residual();
  void note_iterations();
  void set(Vec vector, const std::vector<double>& values) const;
  void check(PetscErrorCode code, const char* call) const { check_petsc(code, call, rows_.communicator()); }

  const LaplacianRows& rows_;
  double tolerance_;
  KeyNames keys_;
  std::vector<char> fixed_;  // by own vertex: a landmark
  PetscMatrix matrix_;
  std::vector<double> right_hand_side_, x_, product_;  // at own vertices
  PetscVector residual_, correction_;
  PetscSolver solver_;
  PC cycle_ = nullptr;                     // of the solver
  PetscInt limit_ = most_iterations;       // of iterations
  Index most_ = 0;                         // iterations of a solve
  double largest_ = 1.0, smallest_ = 1.0;  // Ritz values of the preconditioned matrix
};

void PetscLaplacian::make_solver(const PetscChoice& choice) {
  check(petsc::KSPCreate(rows_.communicator().handle(), solver_.place()), "KSPCreate");
  check(petsc::KSPSetOptionsPrefix(solver_.get(), petsc_prefix), "KSPSetOptionsPrefix");
  check(petsc::KSPSetOperators(solver_.get(), matrix_.get(), matrix_.get()), "KSPSetOperators");
  check(petsc::KSPSetType(solver_.get(), KSPCG), "KSPSetType");
  check(petsc::KSPSetNormType(solver_.get(), KSP_NORM_NATURAL), "KSPSetNormType");
  check(petsc::KSPSetComputeSingularValues(solver_.get(), PETSC_TRUE), "KSPSetComputeSingularValues");
  check(petsc::KSPGetPC(solver_.get(), &cycle_), "KSPGetPC");
  Options options = cycle_options();
  const Options given = collectively(rows_.communicator(), [&] { return petsc_options(choice); });
  options.insert(options.end(), given.begin(), given.end());
  const PresentOptions present(options, rows_.communicator());
  check(petsc::KSPSetTolerances(solver_.get(), PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, most_iterations),
        "KSPSetTolerances");
  set_preconditioner(choice);
  check(petsc::KSPGetTolerances(solver_.get(), nullptr, nullptr, nullptr, &limit_), "KSPGetTolerances");
  std::string unused;
  for (const auto& [name, value] : given) {
    PetscBool used = PETSC_FALSE;  // by the name without its dash
    check(petsc::PetscOptionsUsed(nullptr, name.c_str() + 1, &used), "PetscOptionsUsed");
    if (used == PETSC_FALSE) unused = name;
  }
  if (unused.empty()) return;
  throw Error(ErrorKind::usage, fmt::format("{}: PETSc has no use for {}", choice.keys("petsc-options"), unused));
}

void PetscLaplacian::set_preconditioner(const PetscChoice& choice) {
  const bool hypre = choice.preconditioner == "hypre";
  const PetscErrorCode code = petsc::PCSetType(cycle_, hypre ? PCHYPRE : PCGAMG);
  if (code == PETSC_ERR_ARG_UNKNOWN_TYPE && hypre) {
    throw Error(ErrorKind::resource,
                fmt::format("PETSc was built without hypre; {} = gamg takes its own cycles", keys_("preconditioner")));
  }
  check(code, "PCSetType");
  const PetscErrorCode taken = petsc::KSPSetFromOptions(solver_.get());
  if (taken != 0 && !choice.options.empty()) {
    throw Error(ErrorKind::usage, fmt::format("{} = {}: PETSc refuses a value (its error {})", keys_("petsc-options"),
                                              choice.options, taken));
  }
  check(taken, "KSPSetFromOptions");
  check(petsc::KSPMonitorSet(solver_.get(), beat, nullptr, nullptr), "KSPMonitorSet");
  const OperatorView& op = rows_.view();
  const Watchdog::Patience patience(seconds_of_analysis(static_cast<double>(op.starts[op.size])));
  check(petsc::KSPSetUp(solver_.get()), "KSPSetUp");
}

void PetscLaplacian::set(Vec vector, const std::vector<double>& values) const {
  double* own = nullptr;
  check(petsc::VecGetArrayWrite(vector, &own), "VecGetArrayWrite");
  std::ranges::copy(values, own);
  check(petsc::VecRestoreArrayWrite(vector, &own), "VecRestoreArrayWrite");
}

void PetscLaplacian::solve(MatrixView<double> columns) {
  for (Index k = 0; k < columns.columns; ++k) {
    for (std::size_t v = 0; v < fixed_.size(); ++v) {
      right_hand_side_[v] = fixed_[v] != 0 ? 0.0 : columns(static_cast<Index>(v), k);
    }
    solve_one();
    for (std::size_t v = 0; v < fixed_.size(); ++v) columns(static_cast<Index>(v), k) = x_[v];
    Watchdog::beat();
  }
}

// sqrt(rᵀ B r), which approximates the error in the norm of L.
double PetscLaplacian::norm_of_residual() {
  double square = 0.0;
  check(petsc::PCApply(cycle_, residual_.get(), correction_.get()), "PCApply");
  check(petsc::VecDot(residual_.get(), correction_.get(), &square), "VecDot");
  return std::sqrt(square);  // not a number if the preconditioner is not positive, which is no convergence
}

// Each pass solves for a correction of x with a newly formed residual.
void PetscLaplacian::solve_one() {
  const auto size = std::ssize(x_);
  std::ranges::fill(x_, 0.0);
  set(residual_.get(), right_hand_side_);
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
    check(petsc::KSPSetTolerances(solver_.get(), wanted, 1e-300, 1e10, limit_), "KSPSetTolerances");
    check(petsc::KSPSolve(solver_.get(), residual_.get(), correction_.get()), "KSPSolve");
    note_iterations();
    const double* correction = nullptr;
    check(petsc::VecGetArrayRead(correction_.get(), &correction), "VecGetArrayRead");
    for (std::size_t v = 0; v < x_.size(); ++v) x_[v] += fixed_[v] != 0 ? 0.0 : correction[v];
    check(petsc::VecRestoreArrayRead(correction_.get(), &correction), "VecRestoreArrayRead");
    rows_.multiply({x_.data(), size, 1}, {product_.data(), size, 1});
    for (std::size_t v = 0; v < x_.size(); ++v) {
      product_[v] = fixed_[v] != 0 ? 0.0 : right_hand_side_[v] - product_[v];
    }
    set(residual_.get(), product_);
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
                                                      const PetscChoice& choice) {
  return std::make_unique<PetscLaplacian>(rows, landmarks, choice);
}

}  // namespace cairn
