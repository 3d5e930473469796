// Regression on a few centers without features: neither K(rows, centers) nor anything of its size is stored.
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cairn/base/schedule/execution.hpp"
#include "cairn/parameters/memory_limit.hpp"
#include "cairn/similarity/similarity.hpp"
#include "cairn/task/regression/kernel_ridge.hpp"
#include "cairn/task/regression/regression_score.hpp"

namespace cairn {

/// Solver of the system. automatic: direct for up to most_direct_centers (ridge_ways.hpp), if their matrices fit.
enum class CenterSolver { automatic, direct, iterative };

/// Progress of an iteration.
struct CenterProgress {
  Index iteration = 0;
  double residual = 0.0;  ///< of the worst target and lambda
  double seconds = 0.0;
  double remaining = INFINITY;  ///< about so many seconds, if the residual falls as it did
};

struct CenterOptions {
  /// Each above 0. Of several the one with the best score on other rows is chosen: those of `choosing`, or, if that is
  /// null, a tenth of the training rows that is drawn by the seed; the model then learns from all of them. Of scores
  /// within 1e-6 of each other (relative), the one of the larger lambda is taken.
  std::vector<double> lambdas;
  const TrainingSet* choosing = nullptr;
  bool variances = false;  ///< of predicted values, too, by the direct solver
  bool intercept = false;  ///< subtract the means of the training targets first, and add them to predictions
  CenterSolver solver = CenterSolver::automatic;
  double target_residual = 0.0;  ///< of the iterative solver; 0: 1e-6, in single precision 1e-3
  Index most_iterations = 500;   ///< of the iterative solver, for one set of lambdas
  MemoryLimit memory{};
  KeyNames keys{};  ///< names of solver, centers, variance, target-residual and checkpoint in messages
  /// Called every few seconds of an iteration; the same calls on every rank.
  std::function<void(const CenterProgress&)> tell{};
  /// Called before an iteration whose states execution.ledger keeps; the direct solver is then refused. Collective.
  std::function<void()> begin_checkpoint{};
  /// Called where an iteration goes on from the checkpoint of an earlier run, on every rank.
  std::function<void(Index iteration)> restored{};
};

/// What is known of the system for one lambda.
struct CenterCandidate {
  double lambda = 0.0;
  bool singular = false;  ///< to working precision, or its iteration does not converge: no model
  // The direct solver alone sets these, as in RidgeCandidate.
  double condition = 0.0;
  double degrees_of_freedom = 0.0;
  bool definite = true;
  Index left_out = 0;  ///< directions of the centers in which rounding of the sums would exceed a tenth of lambda
  // One per target, if variances are asked for: see CenterVariances.
  std::vector<double> scales;           ///< 0 if it is lost to rounding
  std::vector<double> log_likelihoods;  ///< of the targets of the rows that were trained on
  // The iterative solver alone sets these.
  Index iterations = 0;
  double residual = 0.0;                  ///< of the worst target, as in CenterModel
  std::vector<RegressionScore> held_out;  ///< one per target; empty for a single lambda
};

/// Variances of values to come in place of an object x, by the deterministic training conditional: with k = K(centers,
/// x)
///
///   v = s (K(x, x) - kᵀ K_mm⁺ k + lambda kᵀ (K_nmᵀ K_nm + lambda K_mm)⁺ k + lambda) = s (K(x, x) - |rootᵀ k|² +
///   lambda)
///
/// The targets less their means are y ~ N(0, s (K~ + lambda I)), and s = yᵀ (K~ + lambda I)⁻¹ y / n has the largest
/// likelihood: s K is the covariance of the function, and s lambda the variance of the noise.
/// [Seeger, Williams and Lawrence 2003; Quiñonero-Candela and Rasmussen 2005, equation 20]
struct CenterVariances {
  Index rank = 0;
  std::vector<double> root;             ///< centers x rank, row-major, replicated
  std::vector<double> scales;           ///< s of each target
  std::vector<double> log_likelihoods;  ///< log p(y) of each target
};

/// The value predicted for an object is its similarities with the centers times the coefficients, plus the intercept.
struct CenterModel {
  CenterSolver solver = CenterSolver::direct;
  double lambda = 0.0;
  Index targets = 0;
  std::vector<Index> centers;               ///< numbers of objects
  std::vector<double> coefficients;         ///< centers x targets, row-major, replicated
  std::vector<double> intercepts;           ///< one per target, replicated; empty: none
  std::vector<CenterCandidate> candidates;  ///< one for each lambda, in the order given
  std::size_t chosen = 0;                   ///< index into candidates
  Index chosen_rows = 0;                    ///< rows that chose among several lambdas
  // The direct solver alone sets these: eigenvalues of K~ on the training rows.
  double smallest_eigenvalue = 0.0;
  double largest_eigenvalue = 0.0;
  Index rank = 0;
  Index negative_eigenvalues = 0;
  std::optional<CenterVariances> variances;  ///< if they are asked for
  bool wide_products = false;                ///< products of single precision tiles were taken in double precision
  // The iterative solver alone sets these.
  Index iterations = 0;   ///< products with K(rows, centers) and its transpose, all lambdas together
  double residual = 0.0;  ///< |b - A beta| / |b| in the norm of the preconditioner's inverse, of the worst target
  Index rank_bytes = 0;   ///< planned for a rank
  std::vector<std::string> warnings;
};

/// Minimizes |K_nm beta - Y|² + lambda tr(betaᵀ K_mm beta): (K_nmᵀ K_nm + lambda K_mm) beta = K_nmᵀ Y, n training rows,
/// m centers. lambda I + K~ with K~ = K_nm K_mm⁺ K_nmᵀ gives the same predictions: kernel ridge regression on a
/// Nystrom approximation with these landmarks.
///
/// Direct: one pass over tiles of K_nm sums K_nmᵀ K_nm and K_nmᵀ Y for all lambdas. With K_mm = V Λ Vᵀ without
/// eigenvalues at rounding level, M = V |Λ|^(-1/2), the symmetric Mᵀ K_nmᵀ K_nm M has the eigenvalues of K~. A
/// direction of V in which the rounding of the sums, divided by its |Λ|, exceeds a tenth of lambda is left out for this
/// lambda. Tiles in single precision are multiplied in it where that leaves out none, else in double precision.
///
/// Iterative: conjugate gradients on the system, tiles evaluated anew in each step, both products from one evaluation,
/// all targets and lambdas together. The preconditioner takes the rows for more centers, K_nmᵀ K_nm ≈ n/m K_mm²: with
/// K_mm + e I = F Fᵀ it is F (n/m FᵀF + lambda I) Fᵀ, by ScaLAPACK.      [Rudi, Carratino and Rosasco 2017; Meanti
/// et al. 2020] The residual is computed anew where it seems to be reached.
///
/// @param objects  of which rows and centers are numbers @param centers  the same list on every rank; duplicates do no
///   harm
/// @throws Error(usage) for lambdas that are not above 0, a similarity that is evaluated by whole columns or is not
///   symmetric, variances of distances or by the iterative solver, a checkpoint of the direct one; Error(input) if no
///   rank has a row; Error(resource) before any evaluation if a rank lacks the memory; Error(numeric) if the system is
///   singular to working precision for every lambda (which is named), if K_mm is not positive definite (iterative, or
///   with variances), if the iteration does not converge, or if the scale of variances is lost to rounding. Collective.
/// Memory: direct, m² / 2 doubles (m² with several lambdas) and 10 m² / ranks, with variances 2 m² more; iterative, (2
/// + lambdas) m² / ranks; a tile per thread.
template <class T>
[[nodiscard]] CenterModel fit_centers(const Execution& execution, const Similarity<T>& similarity,
                                      const ObjectSet& objects, const std::vector<Index>& centers,
                                      const TrainingSet& training, const CenterOptions& options);

/// K(rows, centers) times the coefficients (centers x targets), plus intercepts, for this rank's rows of `objects`,
/// which may be of another set than the centers: rows x targets, row-major. Collective.
template <class T>
[[nodiscard]] std::vector<double> predict_by_centers(const Execution& execution, const Similarity<T>& similarity,
                                                     const ObjectSet& objects, std::unique_ptr<ObjectBlock> centers,
                                                     const std::vector<double>& coefficients,
                                                     const std::vector<double>& intercepts, Index targets,
                                                     const std::vector<Index>& rows);

}  // namespace cairn
