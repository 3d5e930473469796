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
struct GramRoot;

/// Training data: rows of this rank by global numbers, ascending; `targets` values per row, row-major.
struct TrainingSet {
  std::vector<Index> rows;
  std::vector<double> values;
  Index targets = 0;
};

/// Properties of the system for one lambda.
struct RidgeCandidate {
  double lambda = 0.0;
  double condition = 0.0;                      ///< of lambda I + K~: largest over smallest magnitude of its eigenvalues
  double degrees_of_freedom = 0.0;             ///< trace of K~ (lambda I + K~)⁻¹
  bool definite = true;                        ///< lambda I + K~ is positive definite
  bool singular = false;                       ///< to working precision: no model
  std::vector<RegressionScore> leave_one_out;  ///< one per target; empty if not requested or not available
};

/// A trained model: the value predicted for an object is its row of L times the coefficients, plus the intercept.
struct RidgeModel {
  double lambda = 0.0;
  Index targets = 0;
  std::vector<double> coefficients;        ///< beta = J Lᵀ alpha: columns of L x targets, row-major, replicated
  std::vector<double> intercepts;          ///< one per target, replicated; empty: none
  std::vector<RidgeCandidate> candidates;  ///< one for each lambda, in the order given
  std::size_t chosen = 0;                  ///< index into candidates
  std::vector<double> leave_one_out;       ///< predictions of the chosen candidate for own training rows, or empty
  double smallest_eigenvalue = 0.0;        ///< of K~ on the training rows
  double largest_eigenvalue = 0.0;
  Index rank = 0;  ///< of K~ on the training rows
  Index negative_eigenvalues = 0;
  bool shares_gram = false;  ///< the Gram matrix of the preceding model was reused
  std::vector<std::string> warnings;
};

struct RidgeOptions {
  std::vector<double> lambdas;  ///< each above 0; of several, the one with the best leave-one-out score is chosen; of
                                ///< scores within 1e-6 of each other (relative), the one of the larger lambda
  bool leave_one_out = false;   ///< also compute the score of a single lambda
  bool intercept = false;       ///< subtract the means of the training targets first, and add them to predictions
  KeyNames keys{};              ///< names of keys of the methods that give approximations (transform), for messages
};

/// Trains models on the same rows and targets, one per approximation.
///
/// alpha = (lambda I + K~)⁻¹ Y with K~ = L J Lᵀ on the training rows.      [Turek and Huth 2022, section 2.1 and F]
/// With features F, K~ = F B Fᵀ, and the Gram matrix FᵀF = C Cᵀ (C from its eigenvectors without those at rounding
/// level, since it may be singular), the symmetric matrix Cᵀ B C = Q Θ Qᵀ has the nonzero eigenvalues of K~, and
/// U = F C⁻ᵀ Q has orthonormal columns: K~ = U Θ Uᵀ. Woodbury's formula becomes (lambda + Θ)⁻¹ on those columns, for
/// any number of lambdas; neither J nor FᵀF needs to be regular, nor K~ definite. No system larger than l x l is
/// solved. For fixed K~, leave-one-out residuals are exact: (y_i - f_i) / (1 - h_i), h the diagonal of
/// U Θ (lambda + Θ)⁻¹ Uᵀ. With an intercept the mean without row i is m - z_i, z_i = (y_i - m) / (n - 1), and the
/// residual is (y_i - m + z_i - (H (y - m))_i - z_i (H 1)_i) / (1 - h_i), H = K~ (lambda I + K~)⁻¹, which is also
/// exact.
class RidgeTrainer {
 public:
  /// @throws Error(usage) for lambdas that are not above 0, Error(input) if no rank has a row. Collective.
  RidgeTrainer(const Execution& execution, TrainingSet training, RidgeOptions options);
  ~RidgeTrainer();
  RidgeTrainer(const RidgeTrainer&) = delete;
  RidgeTrainer& operator=(const RidgeTrainer&) = delete;

  /// If the left factor is sparse and equal to that of the preceding model, its Gram matrix is reused.
  /// @throws Error(usage) if L J Rᵀ is not symmetric or if its root is taken, Error(input) if J is not symmetric within
  ///   rounding, Error(resource) before any computation if the libraries' integers are too short for matrices of L's
  ///   columns on so few ranks, Error(numeric) if lambda I + K~ is singular to working precision for every lambda.
  /// Memory over all ranks: a few l x l matrices; for a dense L its training rows once or twice more. Collective.
  template <class T>
  [[nodiscard]] RidgeModel train(const Approximation<T>& approximation);

  [[nodiscard]] const TrainingSet& training() const { return training_; }

 private:
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

/// Adds the intercepts to values of rows (row-major, one value per intercept); without intercepts, does nothing. Local.
void add_intercepts(std::vector<double>& values, std::span<const double> intercepts);

/// L_i times the coefficients (columns of L x targets) for this rank's rows `rows` (global numbers): rows x targets,
/// row-major. Local.
template <class T>
[[nodiscard]] std::vector<double> predict(const Execution& execution, const Factor<T>& left,
                                          std::span<const double> coefficients, Index targets,
                                          std::span<const Index> rows);

}  // namespace cairn
