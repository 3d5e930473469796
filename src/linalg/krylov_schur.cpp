#include "linalg/krylov_schur.hpp"

#include <slepceps.h>

#include <algorithm>
#include <cmath>
#include <exception>

#include "base/collective_guard.hpp"
#include "base/error.hpp"
#include "base/progress.hpp"
#include "base/random.hpp"
#include "base/watchdog.hpp"
#include "linalg/library_limits.hpp"
#include "linalg/slepc_session.hpp"

namespace cairn {

namespace {

constexpr int most_restarts = 2000;
constexpr Index progress_steps = 1000;  // of an eigenpair

// What SLEPc's callbacks work with.
struct State {
  const SymmetricOperator& product;
  const EigenRequest& request;
  Index own;  // rows on this rank
  Progress progress;
  Index products = 0;
  Index shown = 0;
  std::exception_ptr error = {};  // from the product, on every rank
};

PetscErrorCode apply_operator(Mat shell, Vec x, Vec y) {
  PetscFunctionBeginUser;
  State* state = nullptr;
  const double* from = nullptr;
  double* to = nullptr;
  PetscCall(MatShellGetContext(shell, &state));
  PetscCall(VecGetArrayRead(x, &from));
  PetscCall(VecGetArrayWrite(y, &to));
  if (!state->error) {
    try {
      state->product.multiply(from, to);
    } catch (...) {
      state->error = std::current_exception();
    }
  }
  if (state->error) std::fill_n(to, state->own, 0.0);
  ++state->products;
  Watchdog::beat();
  PetscCall(VecRestoreArrayWrite(y, &to));
  PetscCall(VecRestoreArrayRead(x, &from));
  PetscFunctionReturn(0);
}

// SLEPc 3.18 leaks what it holds where a product fails: after an error products are 0 and the iterations end here.
PetscErrorCode stop_on_error(EPS eps, PetscInt restart, PetscInt most, PetscInt converged, PetscInt wanted,
                             EPSConvergedReason* reason, void* context) {
  PetscFunctionBeginUser;
  PetscCall(EPSStoppingBasic(eps, restart, most, converged, wanted, reason, nullptr));
  if (static_cast<const State*>(context)->error) *reason = EPS_CONVERGED_USER;
  PetscFunctionReturn(0);
}

PetscErrorCode relative_residual(EPS /*eps*/, PetscScalar /*real*/, PetscScalar /*imaginary*/, PetscReal residual,
                                 PetscReal* estimate, void* context) {
  PetscFunctionBeginUser;
  *estimate = residual / static_cast<const State*>(context)->request.scale;
  PetscFunctionReturn(0);
}

// Residuals fall by about the same factor a restart: their logarithms tell how far it is.
PetscErrorCode show_progress(EPS /*eps*/, PetscInt /*restart*/, PetscInt converged, PetscScalar* /*real*/,
                             PetscScalar* /*imaginary*/, PetscReal* residuals, PetscInt known, void* context) {
  PetscFunctionBeginUser;
  State& state = *static_cast<State*>(context);
  double done = static_cast<double>(converged);
  if (converged < known && residuals[converged] > 0.0) {
    done += std::clamp(std::log(residuals[converged]) / std::log(state.request.tolerance), 0.0, 0.99);
  }
  const auto steps = std::min(static_cast<Index>(done * static_cast<double>(progress_steps)),
                              state.request.count * progress_steps);
  if (steps > state.shown) state.progress.advance(steps - state.shown);
  state.shown = std::max(state.shown, steps);
  PetscFunctionReturn(0);
}

// Owns the PETSc objects of one solution.
class Solver {
 public:
  Solver(const Communicator& communicator, State& state)
      : communicator_(communicator), state_(state), rows_(state.product.partition.rows()) {
    const PetscInt n = to_library_int(rows_, "rows of a matrix");
    const Index count = state.request.count;
    basis_ = std::min(rows_, std::max(2 * count, count + 15));
    const Index most_rows = state.product.partition.range(0).size();  // of a rank
    static_cast<void>(to_library_int(most_rows * (basis_ + 1), "numbers of the search space on a rank"));
    const auto own = static_cast<PetscInt>(state.own);
    check(MatCreateShell(communicator.handle(), own, own, n, n, &state, &matrix_), "MatCreateShell");
    check(MatShellSetOperation(matrix_, MATOP_MULT, reinterpret_cast<void (*)()>(apply_operator)),
          "MatShellSetOperation");
    check(MatCreateVecs(matrix_, &vector_, nullptr), "MatCreateVecs");
    check(EPSCreate(communicator.handle(), &eps_), "EPSCreate");
    check(EPSSetOperators(eps_, matrix_, nullptr), "EPSSetOperators");
    check(EPSSetProblemType(eps_, EPS_HEP), "EPSSetProblemType");
    check(EPSSetType(eps_, EPSKRYLOVSCHUR), "EPSSetType");
    const bool smallest = state.request.end == EigenRequest::End::smallest;
    check(EPSSetWhichEigenpairs(eps_, smallest ? EPS_SMALLEST_REAL : EPS_LARGEST_REAL), "EPSSetWhichEigenpairs");
    check(EPSSetConvergenceTestFunction(eps_, relative_residual, &state, nullptr), "EPSSetConvergenceTestFunction");
    check(EPSSetStoppingTestFunction(eps_, stop_on_error, &state, nullptr), "EPSSetStoppingTestFunction");
    check(EPSMonitorSet(eps_, show_progress, &state, nullptr), "EPSMonitorSet");
    check(EPSSetTolerances(eps_, state.request.tolerance, most_restarts), "EPSSetTolerances");
    // One matrix of all vectors, whose size counts on each rank alone; SLEPc's default is one vector over all ranks.
    BV space = nullptr;
    check(EPSGetBV(eps_, &space), "EPSGetBV");
    check(BVSetType(space, BVMAT), "BVSetType");
    check(EPSSetDimensions(eps_, static_cast<PetscInt>(count), static_cast<PetscInt>(basis_), PETSC_DEFAULT),
          "EPSSetDimensions");
    set_start();
  }
  ~Solver() {
    EPSDestroy(&eps_);
    VecDestroy(&vector_);
    MatDestroy(&matrix_);
  }
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  [[nodiscard]] EigenPairs solve() {
    check(EPSSolve(eps_), "EPSSolve");
    PetscInt converged = 0, restarts = 0;
    check(EPSGetConverged(eps_, &converged), "EPSGetConverged");
    check(EPSGetIterationNumber(eps_, &restarts), "EPSGetIterationNumber");
    const Index count = state_.request.count;
    if (converged < count) {
      throw Error(ErrorKind::numeric,
                  "Lanczos' method finds " + std::to_string(converged) + " of " + std::to_string(count) +
                      " eigenvalues in " + std::to_string(restarts) +
                      " restarts: does the matrix hold entries that are not finite?");
    }
    EigenPairs pairs;
    pairs.vectors = collectively(communicator_, [&] {
      return RowBlock<double>(state_.product.partition, communicator_.rank(), count);
    });
    for (Index j = 0; j < count; ++j) take(j, pairs);
    pairs.products = state_.products;
    pairs.restarts = restarts;
    pairs.basis = basis_;
    return pairs;
  }

 private:
  // Entry i is the draw at address i: the same on any number of ranks.
  void set_start() {
    const Random random(state_.request.seed, Stream::lanczos);
    const Range own = state_.product.partition.range(communicator_.rank());
    double* entries = nullptr;
    check(VecGetArrayWrite(vector_, &entries), "VecGetArrayWrite");
    for (Index i = own.begin; i < own.end; ++i) entries[i - own.begin] = random.normal(static_cast<std::uint64_t>(i));
    check(VecRestoreArrayWrite(vector_, &entries), "VecRestoreArrayWrite");
    check(EPSSetInitialSpace(eps_, 1, &vector_), "EPSSetInitialSpace");
  }

  // Pair j, its vector's sign settled.
  void take(Index j, EigenPairs& pairs) {
    const auto pair = static_cast<PetscInt>(j);
    PetscScalar value = 0.0;
    PetscReal residual = 0.0;
    check(EPSGetEigenpair(eps_, pair, &value, nullptr, vector_, nullptr), "EPSGetEigenpair");
    check(EPSComputeError(eps_, pair, EPS_ERROR_ABSOLUTE, &residual), "EPSComputeError");
    pairs.values.push_back(value);
    pairs.residuals.push_back(residual);
    const double* entries = nullptr;
    check(VecGetArrayRead(vector_, &entries), "VecGetArrayRead");
    const MatrixView<double> out = pairs.vectors.local();
    const double sign = sign_of(entries, pairs.vectors.range());
    for (Index i = 0; i < out.rows; ++i) out(i, j) = sign * entries[i];
    check(VecRestoreArrayRead(vector_, &entries), "VecRestoreArrayRead");
  }

  // 1 where the first of the largest entries is positive, else -1. Collective.
  [[nodiscard]] double sign_of(const double* entries, Range own) const {
    constexpr double alike = 1.0 - 1e-6;
    double largest = 0.0;
    for (Index i = 0; i < own.size(); ++i) largest = std::max(largest, std::abs(entries[i]));
    largest = communicator_.maximum(largest);
    Index first = rows_;
    for (Index i = own.size() - 1; i >= 0; --i) {
      if (std::abs(entries[i]) >= alike * largest) first = own.begin + i;
    }
    const Index chosen = communicator_.minimum(first);
    return communicator_.sum(first == chosen && own.contains(first) ? entries[first - own.begin] : 0.0) < 0.0 ? -1.0
                                                                                                               : 1.0;
  }

  // What the product threw on every rank goes before what PETSc makes of it.
  void check(PetscErrorCode code, const char* call) const {
    if (state_.error) std::rethrow_exception(state_.error);
    check_petsc(code, call, communicator_);
  }

  const Communicator& communicator_;
  State& state_;
  Index rows_;
  Index basis_ = 0;
  Mat matrix_ = nullptr;
  Vec vector_ = nullptr;
  EPS eps_ = nullptr;
};

}  // namespace

EigenPairs extreme_eigenpairs(const Communicator& communicator, const SymmetricOperator& product,
                              const EigenRequest& request, const std::string& progress) {
  if (request.count < 1 || request.count > product.partition.rows() || !(request.scale > 0.0)) {
    throw Error(ErrorKind::internal, std::to_string(request.count) + " eigenvalues of a matrix of " +
                                         std::to_string(product.partition.rows()) + " rows and norm " +
                                         std::to_string(request.scale) + " are asked for");
  }
  start_slepc(communicator);
  State state{product, request, product.partition.range(communicator.rank()).size(),
              Progress(progress, request.count * progress_steps, communicator.is_root() && !progress.empty())};
  return Solver(communicator, state).solve();
}

}  // namespace cairn
