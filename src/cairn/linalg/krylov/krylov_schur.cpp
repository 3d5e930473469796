#include "cairn/linalg/krylov/krylov_schur.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <iterator>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/base/progress.hpp"
#include "cairn/base/random.hpp"
#include "cairn/linalg/library_limits.hpp"
#include "cairn/linalg/sparse/petsc_object.hpp"
#include "cairn/linalg/sparse/slepc_session.hpp"

namespace cairn {

namespace {

constexpr Index progress_steps = 1000;  // per eigenpair
constexpr double settled_share = 0.01;  // a residual below this share of the distance to the last value settles it

// State for SLEPc's callbacks.
struct State {
  const SymmetricOperator& product;
  const EigenRequest& request;
  Index own;  // rows on this rank
  Progress progress;
  Index products = 0;
  Index restarts = 0;
  Index shown = 0;
  Index found = 0;                // pairs that earlier searches found, and this one excludes
  double last = 0.0;              // the last wanted value among them
  std::exception_ptr error = {};  // from a callback; the product's is on every rank

  // Distance by which a value is further out than the last wanted value.
  [[nodiscard]] double beyond_last(double value) const {
    return request.end == EigenRequest::End::smallest ? last - value : value - last;
  }
};

using SlepcSolver = PetscObjectOwner<EPS, petsc::EPSDestroy>;

// An eigenpair.
struct Pair {
  double value = 0.0;
  double residual = 0.0;
  PetscVector vector = {};
};

PetscErrorCode apply_operator(Mat shell, Vec x, Vec y) {
  State* state = nullptr;
  const double* from = nullptr;
  double* to = nullptr;
  PetscErrorCode code = petsc::MatShellGetContext(shell, &state);
  if (code == 0) code = petsc::VecGetArrayRead(x, &from);
  if (code == 0) code = petsc::VecGetArrayWrite(y, &to);
  if (code != 0) return code;
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
  code = petsc::VecRestoreArrayWrite(y, &to);
  return code != 0 ? code : petsc::VecRestoreArrayRead(x, &from);
}

// SLEPc 3.18 leaks memory if a product fails: after an error, products are 0 and the iterations end here.
PetscErrorCode stop_on_error(EPS eps, PetscInt restart, PetscInt most, PetscInt converged, PetscInt wanted,
                             EPSConvergedReason* reason, void* context) {
  const PetscErrorCode code = petsc::EPSStoppingBasic(eps, restart, most, converged, wanted, reason, nullptr);
  if (code == 0 && static_cast<const State*>(context)->error) *reason = EPS_CONVERGED_USER;
  return code;
}

// In a search for missed pairs, an estimate that stays inward of the last wanted value is accurate enough.
PetscErrorCode relative_residual(EPS /*eps*/, PetscScalar value, PetscScalar /*imaginary*/, PetscReal residual,
                                 PetscReal* estimate, void* context) {
  const State& state = *static_cast<const State*>(context);
  const bool settled = state.found > 0 && residual < -settled_share * state.beyond_last(value);
  *estimate = settled ? 0.0 : residual / state.request.scale;
  return 0;
}

// Residuals fall by about the same factor per restart, so their logarithms measure progress.
PetscErrorCode show_progress(EPS /*eps*/, PetscInt /*restart*/, PetscInt converged, PetscScalar* /*real*/,
                             PetscScalar* /*imaginary*/, PetscReal* residuals, PetscInt known, void* context) {
  State& state = *static_cast<State*>(context);
  if (state.found > 0) return 0;
  double done = static_cast<double>(converged);
  if (converged < known && residuals[converged] > 0.0) {
    done += std::clamp(std::log(residuals[converged]) / std::log(state.request.tolerance), 0.0, 0.99);
  }
  const auto steps =
      std::min(static_cast<Index>(done * static_cast<double>(progress_steps)), state.request.count * progress_steps);
  try {
    if (steps > state.shown) state.progress.advance(steps - state.shown);
  } catch (...) {
    state.error = std::current_exception();
  }
  state.shown = std::max(state.shown, steps);
  return 0;
}

// Owns the PETSc objects of one search: for the requested pairs, or for one that the earlier searches missed.
class Search {
 public:
  Search(const Communicator& communicator, State& state, const std::vector<Pair>& found)
      : communicator_(communicator), state_(state), count_(found.empty() ? state.request.count : 1) {
    const Index rows = state.product.partition.rows(), wanted = state.request.count;
    const Index most = found.empty() ? std::max(2 * wanted, wanted + 15) : std::max<Index>(wanted, 16);
    basis_ = std::min(rows - state.found, most);
    if (!found.empty())
      basis_ = std::max<Index>(basis_, 2);  // SLEPc needs one vector more than pairs, unless it is all
    const PetscInt n = to_library_int(rows, "rows of a matrix");
    const Index most_rows = state.product.partition.range(0).size();  // of a rank
    static_cast<void>(to_library_int(most_rows * (state.found + basis_ + 1), "numbers of the search space on a rank"));
    const auto own = static_cast<PetscInt>(state.own);
    check(petsc::MatCreateShell(communicator.handle(), own, own, n, n, &state, matrix_.place()), "MatCreateShell");
    check(petsc::MatShellSetOperation(matrix_.get(), MATOP_MULT, reinterpret_cast<void (*)()>(apply_operator)),
          "MatShellSetOperation");
    check(petsc::MatCreateVecs(matrix_.get(), vector_.place(), nullptr), "MatCreateVecs");
    check(petsc::EPSCreate(communicator.handle(), eps_.place()), "EPSCreate");
    check(petsc::EPSSetOperators(eps_.get(), matrix_.get(), nullptr), "EPSSetOperators");
    check(petsc::EPSSetProblemType(eps_.get(), EPS_HEP), "EPSSetProblemType");
    check(petsc::EPSSetType(eps_.get(), EPSKRYLOVSCHUR), "EPSSetType");
    const bool smallest = state.request.end == EigenRequest::End::smallest;
    check(petsc::EPSSetWhichEigenpairs(eps_.get(), smallest ? EPS_SMALLEST_REAL : EPS_LARGEST_REAL),
          "EPSSetWhichEigenpairs");
    check(petsc::EPSSetConvergenceTestFunction(eps_.get(), relative_residual, &state, nullptr),
          "EPSSetConvergenceTestFunction");
    check(petsc::EPSSetStoppingTestFunction(eps_.get(), stop_on_error, &state, nullptr), "EPSSetStoppingTestFunction");
    check(petsc::EPSMonitorSet(eps_.get(), show_progress, &state, nullptr), "EPSMonitorSet");
    check(petsc::EPSSetTolerances(eps_.get(), state.request.tolerance, state.request.restarts), "EPSSetTolerances");
    // One matrix holds all vectors, so that sizes count per rank only; SLEPc's default is one vector over all ranks.
    BV space = nullptr;
    check(petsc::EPSGetBV(eps_.get(), &space), "EPSGetBV");
    check(petsc::BVSetType(space, BVMAT), "BVSetType");
    check(petsc::EPSSetDimensions(eps_.get(), static_cast<PetscInt>(count_), static_cast<PetscInt>(basis_),
                                  PETSC_DEFAULT),
          "EPSSetDimensions");
    set_start();
    leave_out(found);
  }

  // Pairs from the end inwards: the requested ones, or those further out than the last of them.
  [[nodiscard]] std::vector<Pair> run() {
    check(petsc::EPSSolve(eps_.get()), "EPSSolve");
    PetscInt converged = 0, restarts = 0;
    check(petsc::EPSGetConverged(eps_.get(), &converged), "EPSGetConverged");
    check(petsc::EPSGetIterationNumber(eps_.get(), &restarts), "EPSGetIterationNumber");
    state_.restarts += restarts;
    if (converged < count_) {
      throw Error(ErrorKind::numeric, "Lanczos' method finds " + std::to_string(state_.found + converged) + " of " +
                                          std::to_string(state_.found + count_) + " eigenvalues in " +
                                          std::to_string(state_.restarts) +
                                          " restarts: does the matrix hold entries that are not finite?");
    }
    std::vector<Pair> pairs;
    for (PetscInt j = 0; j < converged; ++j) {
      if (state_.found == 0 && j == count_) break;
      Pair pair = take(j);
      if (state_.found > 0 && state_.beyond_last(pair.value) <= state_.request.tolerance * state_.request.scale) break;
      pairs.push_back(std::move(pair));
    }
    return pairs;
  }

  [[nodiscard]] Index basis() const { return basis_; }

 private:
  // Entry i is the draw at address (i, pairs found before): the same on any number of ranks, different in each search.
  void set_start() {
    const Random random(state_.request.seed, Stream::lanczos);
    const Range own = state_.product.partition.range(communicator_.rank());
    double* entries = nullptr;
    check(petsc::VecGetArrayWrite(vector_.get(), &entries), "VecGetArrayWrite");
    for (Index i = own.begin; i < own.end; ++i) {
      entries[i - own.begin] = random.normal(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(state_.found));
    }
    check(petsc::VecRestoreArrayWrite(vector_.get(), &entries), "VecRestoreArrayWrite");
    check(petsc::EPSSetInitialSpace(eps_.get(), 1, vector_.place()), "EPSSetInitialSpace");
  }

  void leave_out(const std::vector<Pair>& found) {
    if (found.empty()) return;
    std::vector<Vec> vectors;
    for (const Pair& pair : found) vectors.push_back(pair.vector.get());
    check(petsc::EPSSetDeflationSpace(eps_.get(), static_cast<PetscInt>(vectors.size()), vectors.data()),
          "EPSSetDeflationSpace");
  }

  [[nodiscard]] Pair take(PetscInt j) const {
    Pair pair;
    check(petsc::EPSGetEigenvalue(eps_.get(), j, &pair.value, nullptr), "EPSGetEigenvalue");
    check(petsc::VecDuplicate(vector_.get(), pair.vector.place()), "VecDuplicate");
    check(petsc::EPSGetEigenvector(eps_.get(), j, pair.vector.get(), nullptr), "EPSGetEigenvector");
    check(petsc::EPSComputeError(eps_.get(), j, EPS_ERROR_ABSOLUTE, &pair.residual), "EPSComputeError");
    return pair;
  }

  // An error that the product threw on every rank takes precedence over PETSc's report of it.
  void check(PetscErrorCode code, const char* call) const {
    if (state_.error) std::rethrow_exception(state_.error);
    check_petsc(code, call, communicator_);
  }

  const Communicator& communicator_;
  State& state_;
  Index count_;
  Index basis_ = 0;
  PetscMatrix matrix_;  // destroyed after the solver that works on it
  PetscVector vector_;
  SlepcSolver eps_;
};

// 1 if the first of the largest entries is positive, else -1. Collective.
double sign_of(const Communicator& communicator, const double* entries, Range own, Index rows) {
  constexpr double alike = 1.0 - 1e-6;
  double largest = 0.0;
  for (Index i = 0; i < own.size(); ++i) largest = std::max(largest, std::abs(entries[i]));
  largest = communicator.maximum(largest);
  Index first = rows;
  for (Index i = own.size() - 1; i >= 0; --i) {
    if (std::abs(entries[i]) >= alike * largest) first = own.begin + i;
  }
  const Index chosen = communicator.minimum(first);
  return communicator.sum(first == chosen && own.contains(first) ? entries[first - own.begin] : 0.0) < 0.0 ? -1.0 : 1.0;
}

// Writes column j of `vectors` with a fixed sign. Collective.
void store(const Communicator& communicator, const Pair& pair, Index j, RowBlock<double>& vectors) {
  const double* entries = nullptr;
  check_petsc(petsc::VecGetArrayRead(pair.vector.get(), &entries), "VecGetArrayRead", communicator);
  const MatrixView<double> out = vectors.local();
  const double sign = sign_of(communicator, entries, vectors.range(), vectors.rows());
  for (Index i = 0; i < out.rows; ++i) out(i, j) = sign * entries[i];
  check_petsc(petsc::VecRestoreArrayRead(pair.vector.get(), &entries), "VecRestoreArrayRead", communicator);
}

// The requested pairs, from the end inwards. A Krylov space contains one vector of each eigenspace, that of its start
// vector; others enter by rounding, which may be too late. The search is therefore repeated, orthogonally to the pairs
// found, until nothing is left beyond the last wanted value. For a single value there is no copy to miss.
std::vector<Pair> all_pairs(const Communicator& communicator, State& state, Index& basis) {
  std::vector<Pair> found;
  const Index wanted = state.request.count;
  {
    Search first(communicator, state, found);
    found = first.run();
    basis = first.basis();
  }
  while (wanted > 1 && static_cast<Index>(found.size()) < state.product.partition.rows()) {
    state.found = static_cast<Index>(found.size());
    state.last = found[wanted - 1].value;
    std::vector<Pair> missed = Search(communicator, state, found).run();
    if (missed.empty()) break;
    std::move(missed.begin(), missed.end(), std::back_inserter(found));
    std::stable_sort(found.begin(), found.end(), [&](const Pair& a, const Pair& b) {
      return state.beyond_last(a.value) > state.beyond_last(b.value);
    });
  }
  found.erase(found.begin() + wanted, found.end());
  return found;
}

}  // namespace

EigenPairs extreme_eigenpairs(const Communicator& communicator, const SymmetricOperator& product,
                              const EigenRequest& request, const std::string& progress) {
  if (request.count < 1 || request.count > product.partition.rows() || !(request.scale > 0.0)) {
    throw Error(ErrorKind::internal, std::to_string(request.count) + " eigenvalues of a matrix of " +
                                         std::to_string(product.partition.rows()) + " rows and norm " +
                                         std::to_string(request.scale) + " are asked for");
  }
  start_slepc(communicator);
  State state{
      product, request, product.partition.range(communicator.rank()).size(),
      Progress(progress, request.count * progress_steps, communicator.is_root() && !progress.empty(), "steps/s")};
  EigenPairs result;
  const std::vector<Pair> pairs = all_pairs(communicator, state, result.basis);
  result.vectors = collectively(
      communicator, [&] { return RowBlock<double>(product.partition, communicator.rank(), request.count); });
  for (const Pair& pair : pairs) {
    store(communicator, pair, static_cast<Index>(result.values.size()), result.vectors);
    result.values.push_back(pair.value);
    result.residuals.push_back(pair.residual);
  }
  result.products = state.products;
  result.restarts = state.restarts;
  return result;
}

}  // namespace cairn
