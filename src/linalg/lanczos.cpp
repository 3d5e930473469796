// The smallest eigenvalue by SLEPc's Krylov-Schur method, which for a symmetric matrix is thick-restarted Lanczos.
#include <slepceps.h>

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "base/random.hpp"
#include "base/watchdog.hpp"
#include "linalg/dense_algorithms.hpp"
#include "linalg/fortran.hpp"
#include "linalg/library_limits.hpp"
#include "linalg/slepc_session.hpp"

namespace cairn {

namespace {

/// Residual of the eigenpair relative to the 1-norm of the matrix: an eigenvalue lies at least as close as that.
constexpr double tolerance = 1e-10;
constexpr int most_restarts = 2000;

/// The matrix as PETSc sees it: y = A x. Vectors are as long as the matrix has rows, so that a rank may hold one whole.
class Operator {
 public:
  explicit Operator(const BlockCyclicMatrix& matrix)
      : matrix_(matrix),
        whole_(static_cast<std::size_t>(matrix.rows())),
        x_(static_cast<std::size_t>(matrix.local_columns())),
        y_(static_cast<std::size_t>(matrix.local_rows())) {}

  /// x and y hold the entries `range` of their vectors, which are this rank's. Collective.
  void apply(const double* x, double* y, Range range) {
    const Communicator& communicator = matrix_.grid().communicator();
    std::fill(whole_.begin(), whole_.end(), 0.0);
    std::copy_n(x, range.size(), whole_.begin() + range.begin);
    communicator.sum(std::span(whole_));
    for (std::size_t j = 0; j < x_.size(); ++j)
      x_[j] = whole_[static_cast<std::size_t>(matrix_.global_column(static_cast<Index>(j)))];
    multiply_local();
    std::fill(whole_.begin(), whole_.end(), 0.0);
    for (std::size_t i = 0; i < y_.size(); ++i)
      whole_[static_cast<std::size_t>(matrix_.global_row(static_cast<Index>(i)))] = y_[i];
    communicator.sum(std::span(whole_));
    std::copy_n(whole_.begin() + range.begin, range.size(), y);
    Watchdog::beat();
  }

 private:
  void multiply_local() {
    const int m = static_cast<int>(matrix_.local_rows()), n = static_cast<int>(matrix_.local_columns());
    const int lead = static_cast<int>(matrix_.leading()), step = 1;
    const double one = 1.0, zero = 0.0;
    std::fill(y_.begin(), y_.end(), 0.0);
    if (m > 0 && n > 0) dgemv_("N", &m, &n, &one, matrix_.data(), &lead, x_.data(), &step, &zero, y_.data(), &step);
  }

  const BlockCyclicMatrix& matrix_;
  std::vector<double> whole_, x_, y_;
};

PetscErrorCode apply_operator(Mat shell, Vec x, Vec y) {
  PetscFunctionBeginUser;
  Operator* matrix = nullptr;
  const double* from = nullptr;
  double* to = nullptr;
  PetscInt begin = 0, end = 0;
  PetscCall(MatShellGetContext(shell, &matrix));
  PetscCall(VecGetOwnershipRange(x, &begin, &end));
  PetscCall(VecGetArrayRead(x, &from));
  PetscCall(VecGetArray(y, &to));
  matrix->apply(from, to, {begin, end});
  PetscCall(VecRestoreArray(y, &to));
  PetscCall(VecRestoreArrayRead(x, &from));
  PetscFunctionReturn(0);
}

/// Owns the PETSc objects of one solution.
class Solver {
 public:
  Solver(Operator& product, Index rows, const Communicator& communicator) : communicator_(communicator) {
    const PetscInt n = to_library_int(rows, "rows of a matrix");
    check(MatCreateShell(communicator.handle(), PETSC_DECIDE, PETSC_DECIDE, n, n, &product, &matrix_),
          "MatCreateShell");
    check(MatShellSetOperation(matrix_, MATOP_MULT, reinterpret_cast<void (*)()>(apply_operator)),
          "MatShellSetOperation");
    check(MatCreateVecs(matrix_, &start_, nullptr), "MatCreateVecs");
    check(EPSCreate(communicator.handle(), &eps_), "EPSCreate");
    check(EPSSetOperators(eps_, matrix_, nullptr), "EPSSetOperators");
    check(EPSSetProblemType(eps_, EPS_HEP), "EPSSetProblemType");
    check(EPSSetType(eps_, EPSKRYLOVSCHUR), "EPSSetType");
    check(EPSSetWhichEigenpairs(eps_, EPS_SMALLEST_REAL), "EPSSetWhichEigenpairs");
    check(EPSSetConvergenceTest(eps_, EPS_CONV_ABS), "EPSSetConvergenceTest");
  }
  ~Solver() {
    EPSDestroy(&eps_);
    VecDestroy(&start_);
    MatDestroy(&matrix_);
  }
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  /// Entry i of the start vector is the draw at address i: the same on any number of ranks.
  void start_from(const Random& random) {
    PetscInt begin = 0, end = 0;
    double* entries = nullptr;
    check(VecGetOwnershipRange(start_, &begin, &end), "VecGetOwnershipRange");
    check(VecGetArray(start_, &entries), "VecGetArray");
    for (PetscInt i = begin; i < end; ++i) entries[i - begin] = random.normal(static_cast<std::uint64_t>(i));
    check(VecRestoreArray(start_, &entries), "VecRestoreArray");
    check(EPSSetInitialSpace(eps_, 1, &start_), "EPSSetInitialSpace");
  }

  /// The smallest eigenvalue, with a residual of at most `residual`.
  [[nodiscard]] double solve(double residual) {
    check(EPSSetTolerances(eps_, residual, most_restarts), "EPSSetTolerances");
    check(EPSSolve(eps_), "EPSSolve");
    PetscInt converged = 0;
    check(EPSGetConverged(eps_, &converged), "EPSGetConverged");
    if (converged < 1)
      throw Error(ErrorKind::numeric,
                  "Lanczos' method finds no smallest eigenvalue to a relative residual of 1e-10 in " +
                      std::to_string(most_restarts) + " restarts: does the matrix hold entries that are not finite?");
    PetscScalar value = 0.0;
    check(EPSGetEigenvalue(eps_, 0, &value, nullptr), "EPSGetEigenvalue");
    return value;
  }

 private:
  void check(PetscErrorCode code, const char* call) const { check_petsc(code, call, communicator_); }

  const Communicator& communicator_;
  Mat matrix_ = nullptr;
  Vec start_ = nullptr;
  EPS eps_ = nullptr;
};

}  // namespace

double smallest_eigenvalue_lanczos(const BlockCyclicMatrix& matrix, std::uint64_t seed) {
  const Communicator& communicator = matrix.grid().communicator();
  if (matrix.rows() != matrix.columns() || matrix.rows() == 0)
    throw Error(ErrorKind::internal, "the smallest eigenvalue of an empty or not square matrix is asked for");
  const double norm = one_norm(matrix);
  if (norm == 0.0) return 0.0;
  start_slepc(communicator);
  Operator product(matrix);
  Solver solver(product, matrix.rows(), communicator);
  solver.start_from(Random(seed, Stream::lanczos));
  return solver.solve(tolerance * norm);
}

}  // namespace cairn
