// Classifiers of one class against the rest or against each other, and the choice of C by cross-validation.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cairn/approximation/factor.hpp"
#include "cairn/base/mpi/node_array.hpp"
#include "cairn/store/files/classifier_file.hpp"
#include "cairn/task/classification/classification_score.hpp"
#include "cairn/task/classification/folds.hpp"
#include "cairn/task/classification/linear_classifier.hpp"
#include "cairn/task/classification/plane_rows.hpp"
#include "cairn/task/classification/svm_jobs.hpp"

namespace cairn {

/// Training rows with their classes.
struct LabelledRows {
  std::vector<Index> rows;            ///< own rows, global numbers, ascending
  std::vector<std::int32_t> classes;  ///< of each
  std::vector<std::string> groups{};  ///< of each row, or empty on every rank; cross-validation does not split groups
};

/// Cross-validation result for one C: every training row is predicted by the model that did not see its fold.
struct ValidatedCost {
  double cost = 0.0;
  Confusion confusion;
  Index stopped = 0;                       ///< number of planes whose training stopped early
  std::optional<StoredRanking> ranking{};  ///< of the rows within groups by the positive label, if both exist
};

/// Trains linear support vector machines on rows of a factor. Jobs (fold, C, class) are assigned to the ranks, which
/// can take them over from each other. The result of a job does not depend on the rank, so models do not depend on the
/// number of ranks.
template <class T>
class SvmTrainer {
 public:
  /// Copies the rows to every node (SvmRows or, if options.passes is set, DescentRows).
  /// @param positive  label by which groups are ranked, and whose C is balanced if there are two; empty: no ranking,
  /// and the last label
  /// @throws Error(input) if all rows are of one class; as SvmRows. References must outlive the object. Collective.
  SvmTrainer(const Execution& execution, const Factor<T>& left, LabelledRows rows,
             const std::vector<std::string>& class_names, SvmOptions options, const std::string& positive = "");

  /// Results for each cost, in the given order. @param name  of the loop, unique within a run
  /// @throws Error(usage) for more folds than rows; Error(input) that names a class with one row, or with all rows in
  ///   one fold: it cannot be both learned and tested. Collective.
  [[nodiscard]] std::vector<ValidatedCost> cross_validate(const std::string& name, std::span<const double> costs,
                                                          Index folds, std::uint64_t seed,
                                                          FoldOrder order = FoldOrder::random) const;
  /// Trains on all rows. Collective.
  [[nodiscard]] LinearClassifier train(const std::string& name, double cost) const;

  /// Number of rows of each class. Local.
  [[nodiscard]] const std::vector<Index>& sizes() const { return sizes_; }
  [[nodiscard]] Index node_bytes() const { return features_->node_bytes(); }

 private:
  void require_two_of_each() const;
  [[nodiscard]] std::vector<std::int32_t> dealt_folds(FoldOrder order, Index folds, std::uint64_t seed) const;
  class HeldOut;
  // Adds one job per plane, in the order of the classifier's planes.
  void add_jobs(std::int32_t fold, double cost, std::vector<SvmJob>& jobs) const;
  [[nodiscard]] std::size_t planes() const;
  [[nodiscard]] LinearClassifier classifier_of(const std::vector<SvmPlane>& planes) const;

  Execution execution_;
  const Factor<T>& left_;
  LabelledRows own_;
  std::vector<std::string> names_;
  SvmOptions options_;
  std::string positive_;
  std::unique_ptr<PlaneRows> features_;
  NodeArray<Index> rows_;              // of all ranks
  NodeArray<std::int32_t> classes_;    // of all ranks
  NodeArray<Index> groups_;            // of all ranks, hashes; empty: no groups
  std::vector<Index> sizes_;           // rows of each class
  std::vector<std::int32_t> present_;  // classes with rows
};

/// Sentences on labels with fewer training rows than folds.
/// @param sizes  number of training rows of each label. Local.
[[nodiscard]] std::vector<std::string> fold_notices(const std::vector<std::string>& labels,
                                                    const std::vector<Index>& sizes, Index folds);

/// A warning about planes that did not converge. @param passes  of dual descent; 0: LIBLINEAR was used. Local.
[[nodiscard]] std::string stopped_text(const LinearClassifier& classifier, double cost, Index passes,
                                       const KeyNames& keys);

}  // namespace cairn
