#include "cairn/approximation/biharmonic/iterative/interpolation_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/linalg/library_limits.hpp"
#include "cairn/linalg/sparse/slepc_session.hpp"

namespace cairn {

namespace {

constexpr PetscInt most_iterations = 2000;  // of one solve
constexpr int most_passes = 4;              // solves with a newly formed residual
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

}  // namespace

InterpolationSystem::InterpolationSystem(const Communicator& communicator, const OperatorView& op,
                                         const std::vector<Index>& landmarks, const std::string& preconditioner,
                                         double penalty, const KeyNames& keys)
    : communicator_(communicator),
      landmarks_(landmarks),
      keys_(keys),
      rows_(communicator, op),
      fixed_(static_cast<std::size_t>(rows_.range().size()), 0) {
  std::vector<double> diagonal;
  if (penalty > 0.0) penalties_.resize(fixed_.size(), 0.0), diagonal.resize(fixed_.size(), 0.0);
  for (const Index landmark : landmarks) {
    if (!range().contains(landmark)) continue;
    const auto k = static_cast<std::size_t>(landmark - range().begin);
    if (penalty > 0.0) {
      penalties_[k] = penalty;
      diagonal[k] = std::sqrt(penalty / op.inverse_mass(landmark));
    } else {
      fixed_[k] = 1;
    }
  }
  for (Index v = range().begin; v < range().end; ++v) {  // |M|_1 <= max over v of (|V-A| D⁻¹ |V-A|)_v summed
    double sum = 2.0 * op.degrees[v] * op.degrees[v] * op.inverse_mass(v);
    for (Index arc = op.starts[v]; arc < op.starts[v + 1]; ++arc) {
      const Index other = op.neighbors[arc];
      sum += std::abs(op.weight(arc)) * 2.0 * op.degrees[other] * op.inverse_mass(other);
    }
    norm_ = std::max(norm_, sum + penalty);
  }
  norm_ = communicator.maximum(norm_);
  for (PetscVector* vector : {&x_, &b_, &residual_, &correction_, &between_}) *vector = rows_.vector();
  cycle_matrix_ = rows_.matrix(fixed_, diagonal);
  make_cycle(preconditioner);
  make_solver();
}

void InterpolationSystem::check(PetscErrorCode code, const char* call) const { check_petsc(code, call, communicator_); }

void InterpolationSystem::make_cycle(const std::string& preconditioner) {
  for (const auto& [name, value] : cycle_options()) {
    check(petsc::PetscOptionsSetValue(nullptr, name, value), "PetscOptionsSetValue");
  }
  check(petsc::PCCreate(communicator_.handle(), cycle_.place()), "PCCreate");
  check(petsc::PCSetOptionsPrefix(cycle_.get(), prefix), "PCSetOptionsPrefix");
  check(petsc::PCSetOperators(cycle_.get(), cycle_matrix_.get(), cycle_matrix_.get()), "PCSetOperators");
  if (preconditioner == "hypre") {
    const PetscErrorCode code = petsc::PCSetType(cycle_.get(), PCHYPRE);
    if (code == PETSC_ERR_ARG_UNKNOWN_TYPE) {
      throw Error(ErrorKind::resource, fmt::format("PETSc was built without hypre; {} = gamg takes its own cycles",
                                                   keys_("preconditioner")));
    }
    check(code, "PCSetType");
  } else {
    check(petsc::PCSetType(cycle_.get(), PCGAMG), "PCSetType");
  }
  check(petsc::PCSetFromOptions(cycle_.get()), "PCSetFromOptions");
  check(petsc::PCSetUp(cycle_.get()), "PCSetUp");
  for (const auto& [name, value] : cycle_options()) {
    check(petsc::PetscOptionsClearValue(nullptr, name), "PetscOptionsClearValue");
  }
}

void InterpolationSystem::make_solver() {
  const auto own = static_cast<PetscInt>(range().size()), all = static_cast<PetscInt>(rows_.size());
  check(petsc::MatCreateShell(communicator_.handle(), own, own, all, all, this, shell_.place()), "MatCreateShell");
  check(petsc::MatShellSetOperation(shell_.get(), MATOP_MULT, reinterpret_cast<void (*)()>(apply_matrix)),
        "MatShellSetOperation");
  check(petsc::KSPCreate(communicator_.handle(), solver_.place()), "KSPCreate");
  check(petsc::KSPSetOperators(solver_.get(), shell_.get(), shell_.get()), "KSPSetOperators");
  check(petsc::KSPSetType(solver_.get(), KSPCG), "KSPSetType");
  check(petsc::KSPSetNormType(solver_.get(), KSP_NORM_NATURAL), "KSPSetNormType");
  check(petsc::KSPSetComputeSingularValues(solver_.get(), PETSC_TRUE), "KSPSetComputeSingularValues");
  PC pc = nullptr;
  check(petsc::KSPGetPC(solver_.get(), &pc), "KSPGetPC");
  check(petsc::PCSetType(pc, PCSHELL), "PCSetType");
  check(petsc::PCShellSetContext(pc, this), "PCShellSetContext");
  check(petsc::PCShellSetApply(pc, apply_preconditioner), "PCShellSetApply");
}

PetscErrorCode InterpolationSystem::apply_matrix(Mat shell, Vec x, Vec y) {
  InterpolationSystem* self = nullptr;
  const PetscErrorCode code = petsc::MatShellGetContext(shell, &self);
  return code != 0 ? code : self->call([&] { self->multiply(x, y); });
}

PetscErrorCode InterpolationSystem::apply_preconditioner(PC shell, Vec x, Vec y) {
  void* context = nullptr;
  const PetscErrorCode code = petsc::PCShellGetContext(shell, &context);
  auto* const self = static_cast<InterpolationSystem*>(context);
  return code != 0 ? code : self->call([&] { self->precondition(x, y); });
}

// Runs work in a callback: PETSc's frames are C, which no exception may cross. They receive an error code.
template <class Work>
PetscErrorCode InterpolationSystem::call(Work work) noexcept {
  try {
    work();
  } catch (...) {
    error_ = std::current_exception();
    return PETSC_ERR_LIB;
  }
  return 0;
}

// Calls what(k, value) for each own vertex k.
template <class Change>
void InterpolationSystem::change(Vec x, Change what) const {
  double* values = nullptr;
  check(petsc::VecGetArray(x, &values), "VecGetArray");
  for (std::size_t k = 0; k < fixed_.size(); ++k) what(k, values[k]);
  check(petsc::VecRestoreArray(x, &values), "VecRestoreArray");
}

// y = M x; 0 at hard landmarks, where values are given.
void InterpolationSystem::multiply(Vec x, Vec y) {
  rows_.multiply(x, between_.get());
  rows_.divide_by_mass(between_.get());
  rows_.multiply(between_.get(), y);
  if (penalties_.empty()) {
    change(y, [&](std::size_t k, double& value) { value = fixed_[k] != 0 ? 0.0 : value; });
  } else {
    const double* own = nullptr;
    check(petsc::VecGetArrayRead(x, &own), "VecGetArrayRead");
    change(y, [&](std::size_t k, double& value) { value += penalties_[k] * own[k]; });
    check(petsc::VecRestoreArrayRead(x, &own), "VecRestoreArrayRead");
  }
}

void InterpolationSystem::precondition(Vec r, Vec z) {
  check(petsc::PCApply(cycle_.get(), r, between_.get()), "PCApply");
  rows_.multiply_by_mass(between_.get());
  check(petsc::PCApply(cycle_.get(), between_.get(), z), "PCApply");
}

// Hard landmarks: -M_ub e; soft ones: p S e.
void InterpolationSystem::right_hand_side(std::span<const Index> ends) {
  std::vector<char> chosen(fixed_.size(), 0);
  for (const Index end : ends) {
    const Index vertex = landmarks_[end];
    if (range().contains(vertex)) chosen[vertex - range().begin] = 1;
  }
  if (!penalties_.empty()) {
    change(b_.get(), [&](std::size_t k, double& value) { value = chosen[k] != 0 ? penalties_[k] : 0.0; });
    return;
  }
  change(x_.get(), [&](std::size_t k, double& value) { value = chosen[k] != 0 ? 1.0 : 0.0; });
  multiply(x_.get(), b_.get());
  check(petsc::VecScale(b_.get(), -1.0), "VecScale");
}

void InterpolationSystem::note_iterations() {
  PetscInt iterations = 0;
  check(petsc::KSPGetIterationNumber(solver_.get(), &iterations), "KSPGetIterationNumber");
  report_.iterations += iterations;
  report_.most = std::max<Index>(report_.most, iterations);
  if (iterations == 0) return;
  double largest = 1.0, smallest = 1.0;
  check(petsc::KSPComputeExtremeSingularValues(solver_.get(), &largest, &smallest), "KSPComputeExtremeSingularValues");
  report_.largest = std::max(report_.largest, largest);
  report_.smallest = std::min(report_.smallest, smallest);
}

// Computes x_ for b_. Each pass solves for a correction with a newly formed residual.
void InterpolationSystem::run(double tolerance) {
  const auto norm_of = [&](Vec r) {  // sqrt(rᵀ B r): approximates the M-norm of the error
    double square = 0.0;
    precondition(r, correction_.get());
    check(petsc::VecDot(r, correction_.get(), &square), "VecDot");
    return std::sqrt(std::max(square, 0.0));
  };
  check(petsc::VecSet(x_.get(), 0.0), "VecSet");
  check(petsc::VecCopy(b_.get(), residual_.get()), "VecCopy");
  const double all = norm_of(b_.get());
  double left = all;
  for (int pass = 0; !(left <= tolerance * all); ++pass) {
    if (pass == most_passes || !std::isfinite(left)) {
      throw Error(
          ErrorKind::numeric,
          fmt::format(
              "conjugate gradients left a residual of {:.1e}, relative to the right-hand side; {:.1e} was asked for"
              "; take a larger {} or more landmarks",
              left / all, tolerance, keys_("tolerance")));
    }
    const double wanted = std::clamp(0.5 * tolerance * all / left, 1e-14, 0.5);
    check(petsc::KSPSetTolerances(solver_.get(), wanted, 1e-300, 1e10, most_iterations), "KSPSetTolerances");
    const PetscErrorCode solved = petsc::KSPSolve(solver_.get(), residual_.get(), correction_.get());
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    check(solved, "KSPSolve");
    note_iterations();
    check(petsc::VecAXPY(x_.get(), 1.0, correction_.get()), "VecAXPY");
    multiply(x_.get(), residual_.get());
    check(petsc::VecAYPX(residual_.get(), -1.0, b_.get()), "VecAYPX");
    left = norm_of(residual_.get());
  }
}

std::vector<double> InterpolationSystem::solve(std::span<const Index> ends, double tolerance) {
  right_hand_side(ends);
  run(tolerance);
  std::vector<double> values(fixed_.size());
  change(x_.get(), [&](std::size_t k, double& value) { values[k] = value; });
  return values;
}

double InterpolationSystem::condition_estimate(double tolerance) {
  change(b_.get(), [&](std::size_t k, double& value) { value = fixed_[k] != 0 ? 0.0 : 1.0; });
  run(tolerance);
  double largest = 0.0;
  change(x_.get(), [&](std::size_t, double& value) { largest = std::max(largest, std::abs(value)); });
  return norm_ * communicator_.maximum(largest);
}

}  // namespace cairn
