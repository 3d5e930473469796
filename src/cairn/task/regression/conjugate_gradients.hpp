// Conjugate gradients for several shifted systems of one symmetric matrix, which share its products.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cairn/base/matrix_view.hpp"
#include "cairn/base/mpi/communicator.hpp"

namespace cairn {

/// (A + shift_c I) x_c = b_c for each column c. Vectors are distributed by rows, row-major.
struct ShiftedSystems {
  Index rows = 0;                     ///< of this rank
  std::vector<double> right_sides{};  ///< rows x columns
  std::vector<double> shifts{};       ///< one for each column
  /// y = A x for any number of columns. Collective.
  std::function<void(MatrixView<const double> x, MatrixView<double> y)> multiply{};
  /// z_c = P_c v_c for the given shifts, P_c symmetric and positive definite, near the inverse of A + shift_c I; none:
  /// z = v. Collective.
  std::function<void(MatrixView<const double> v, std::span<const double> shifts, MatrixView<double> z)> precondition{};

  [[nodiscard]] Index columns() const { return static_cast<Index>(shifts.size()); }
};

/// Progress of an iteration.
struct GradientProgress {
  Index iteration = 0;
  Index columns = 0;      ///< that have not converged
  double residual = 0.0;  ///< the largest ‖b - (A + shift I) x‖ / ‖b‖
  double seconds = 0.0;   ///< since the start
  double remaining =
      0.0;  ///< seconds until convergence at the rate so far; infinite: it does not converge at that rate
};

/// What an iteration goes on from.
struct GradientPoint {
  Index iteration = 0;              ///< 0: from x = 0
  std::vector<double> x{};          ///< rows x columns
  std::vector<Index> iterations{};  ///< of each column
};

struct GradientOptions {
  double residual = 1e-6;  ///< relative, at which a column has converged
  Index iterations = 200;  ///< at most
  /// Called after each iteration, on every rank.
  std::function<void(const GradientProgress&)> tell{};
  GradientPoint start{};  ///< where an earlier run was stopped
  /// Called after each iteration that leaves columns, on every rank, with x and the iterations of each column.
  std::function<void(Index iteration, const std::vector<double>& x, const std::vector<Index>& iterations)> keep{};
};

/// Solutions of all systems.
struct GradientSolution {
  std::vector<double> x;          ///< rows x columns
  std::vector<double> products;   ///< A x
  std::vector<Index> iterations;  ///< of each column
  std::vector<double> residuals;  ///< of each column, relative, from products
  Index multiplied = 0;           ///< products of A with vectors
  Index rounds = 0;               ///< products of A with blocks of vectors
};

/// The first column that is not definite or did not converge.
struct GradientFailure {
  enum class Kind { indefinite, slow } kind = Kind::slow;
  Index column = 0;
  double residual = 0.0;
  std::vector<double> direction{};  ///< indefinite: own rows of p with pᵀ (A + shift I) p <= 0
};

/// Preconditioned conjugate gradients [Hestenes and Stiefel 1952], a state for each column. Converged columns leave the
/// block. At the end A x is formed once more, and columns whose residual is above the bound go on from there. From a
/// given x they begin with its residual.
/// @return whether all columns converged; if not, `failure` says why
/// Memory: seven vectors for each column, distributed, and options.start. Collective.
[[nodiscard]] bool solve_by_gradients(const Communicator& communicator, const ShiftedSystems& systems,
                                      const GradientOptions& options, GradientSolution& solution,
                                      GradientFailure& failure);

/// The smallest eigenvalue of a symmetric matrix, estimated from above by some steps of Lanczos' method with full
/// orthogonalization from `start` (own rows): the least Ritz value. Memory: `steps` vectors, distributed. Collective.
/// Collective.
[[nodiscard]] double estimated_smallest_eigenvalue(
    const Communicator& communicator,
    const std::function<void(MatrixView<const double> x, MatrixView<double> y)>& multiply, std::vector<double> start,
    Index steps);

}  // namespace cairn
