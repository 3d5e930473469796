// Kernel ridge regression through the factors of an approximation.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cairn/approximation/approximation.hpp"
#include "cairn/parameters/key_names.hpp"
#include "cairn/task/regression/regression_score.hpp"

namespace cairn {

class TrainingFeatures;

/// What a model is trained on: rows of this rank, global numbers, ascending; `targets` values a row, row-major.
struct TrainingSet {
  std::vector<Index> rows;
  std::vector<double> values;
  Index targets = 0;
};

/// How the system is solved for one lambda.
struct RidgeCandidate {
  double lambda = 0.0;
  double condition = 0.0;                      ///< of lambda I + K~: largest over smallest magnitude of its eigenvalues
  double degrees_of_freedom = 0.0;             ///< trace of K~ (lambda I + K~)⁻¹
  bool definite = true;                        ///< lambda I + K~ is positive definite
  bool singular = false;                       ///< to working precision: no model
  std::vector<RegressionScore> leave_one_out;  ///< one a target; empty if it was not asked for, or cannot be had
};

/// A trained model: the value predicted for an object is its row of L times the coefficients, plus the intercept.
struct RidgeModel {
  double lambda = 0.0;
  Index targets = 0;
  std::vector<double> coefficients;        ///< beta = J Lᵀ alpha: columns of L x targets, row-major, replicated
  std::vector<double> intercepts;          ///< one a target, replicated; empty: none
  std::vector<RidgeCandidate> candidates;  ///< one for each lambda, in the order given
  std::size_t chosen = 0;                  ///< of the candidates
  std::vector<double> leave_one_out;       ///< predictions of the chosen one at own training rows, or empty
  double smallest_eigenvalue = 0.0;        ///< of K~ on the training rows
  double largest_eigenvalue = 0.0;
  Index rank = 0;  ///< of K~ on the training rows
  Index negative_eigenvalues = 0;
  bool shares_gram = false;  ///< the Gram matrix of the model before served this one, too
  std::vector<std::string> warnings;
};

struct RidgeOptions {
  std::vector<double> lambdas;  ///< each above 0; of several that with the best leave-one-out score is taken, of scores
                                ///< within 1e-6 of each other (relative) that of the larger lambda
  bool leave_one_out = false;   ///< score a single lambda so, too
  bool intercept = false;  ///< the means of the targets over the training rows are subtracted first, and added again
  KeyNames keys{};         ///< of the methods that give approximations (transform)
};

/// Trains models on the same rows and targets, one an approximation.
///
/// alpha = (lambda I + K~)⁻¹ Y with K~ = L J Lᵀ on the training rows.      [Turek and Huth 2022, section 2.1 and F]
/// With features F, K~ = F B Fᵀ, and the Gram matrix FᵀF = C Cᵀ (C from its eigenvectors, those at rounding level left
/// out: it may be singular), the symmetric matrix Cᵀ B C = Q Θ Qᵀ has the nonzero eigenvalues of K~, and U = F C⁻ᵀ Q
/// orthonormal columns: K~ = U Θ Uᵀ. Woodbury's formula becomes (lambda + Θ)⁻¹ on those columns, for any number of
/// lambdas; neither J nor FᵀF need be regular, nor K~ definite. Nothing larger than l x l is solved with.
/// Leave-one-out residuals are exact for K~ as it stands: (y_i - f_i) / (1 - h_i), h the diagonal of
/// U Θ (lambda + Θ)⁻¹ Uᵀ. With an intercept the mean without row i is m - z_i, z_i = (y_i - m) / (n - 1), and the
/// residual (y_i - m + z_i - (H (y - m))_i - z_i (H 1)_i) / (1 - h_i), H = K~ (lambda I + K~)⁻¹: exact, too.
class RidgeTrainer {
 public:
  /// @throws Error(usage) for lambdas that are not above 0, Error(input) if no rank has a row. Collective.
  RidgeTrainer(const Execution& execution, TrainingSet training, RidgeOptions options);
  ~RidgeTrainer();
  RidgeTrainer(const RidgeTrainer&) = delete;
  RidgeTrainer& operator=(const RidgeTrainer&) = delete;

  /// Where the left factor is sparse and equal to that of the model before, its Gram matrix is taken from there.
  /// @throws Error(usage) if L J Rᵀ is not symmetric or has a root taken of it, Error(input) if J is not
  ///   symmetric within rounding, Error(resource) before anything is computed where the libraries' integers are too
  ///   short for matrices of L's columns on so few ranks, Error(numeric) if lambda I + K~ is singular to working
  ///   precision for every lambda.
  /// Memory over all ranks: a few l x l matrices; of a dense L its training rows once or twice more. Collective.
  template <class T>
  [[nodiscard]] RidgeModel train(const Approximation<T>& approximation);

  [[nodiscard]] const TrainingSet& training() const { return training_; }

 private:
  struct GramRoot;

  template <class T>
  std::shared_ptr<const GramRoot> gram_root(const Approximation<T>& approximation, const TrainingFeatures& features);

  Execution execution_;
  TrainingSet training_;
  RidgeOptions options_;
  std::vector<double> means_;  // of the targets, with an intercept
  std::shared_ptr<const ProcessGrid> grid_;
  std::shared_ptr<const GramRoot> shared_;
  std::uint64_t shared_digest_ = 0;
};

/// The intercepts added to values of rows (row-major, a value for each intercept); none: as they are. Local.
void add_intercepts(std::vector<double>& values, std::span<const double> intercepts);

/// L_i times the coefficients (columns of L x targets) at this rank's rows `rows` (global numbers): rows x targets,
/// row-major. Local.
template <class T>
[[nodiscard]] std::vector<double> predict(const Execution& execution, const Factor<T>& left,
                                          std::span<const double> coefficients, Index targets,
                                          std::span<const Index> rows);

}  // namespace cairn
