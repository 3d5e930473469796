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

/// Rows to train on, with their classes.
struct LabelledRows {
  std::vector<Index> rows;            ///< own rows, global numbers, ascending
  std::vector<std::int32_t> classes;  ///< of each
  std::vector<std::string> groups{};  ///< of each, or empty on every rank: in cross-validation they stay whole
};

/// What cross-validation found of one C: every training row, predicted by the model that did not see its fold.
struct ValidatedCost {
  double cost = 0.0;
  Confusion confusion;
  Index stopped = 0;                       ///< planes whose training stopped early
  std::optional<StoredRanking> ranking{};  ///< of the rows within groups by the positive label, if there are both
};

/// Trains linear support vector machines on rows of a factor. Jobs (fold, C, class) are dealt to the ranks, which take
/// them over from each other; each is the same wherever it runs, so that models do not depend on the number of ranks.
template <class T>
class SvmTrainer {
 public:
  /// Copies the rows to every node (SvmRows or, if options.passes says how many, DescentRows).
  /// @param positive  the label by which groups are ranked, and whose C is balanced of two; empty: none, and the last
  /// @throws Error(input) if all rows are of one class, as SvmRows. References outlive it. Collective.
  SvmTrainer(const Execution& execution, const Factor<T>& left, LabelledRows rows,
             const std::vector<std::string>& class_names, SvmOptions options, const std::string& positive = "");

  /// Of each cost, in their order. @param name  of the loop, unique within a run
  /// @throws Error(usage) for more folds than rows; Error(input) that names a class with one row, or with all rows in
  /// one fold: it is either not learned or not tested. Collective.
  [[nodiscard]] std::vector<ValidatedCost> cross_validate(const std::string& name, std::span<const double> costs,
                                                          Index folds, std::uint64_t seed,
                                                          FoldOrder order = FoldOrder::random) const;
  /// On all rows. Collective.
  [[nodiscard]] LinearClassifier train(const std::string& name, double cost) const;

  /// Rows of each class. Local.
  [[nodiscard]] const std::vector<Index>& sizes() const { return sizes_; }
  [[nodiscard]] Index node_bytes() const { return features_->node_bytes(); }

 private:
  void require_two_of_each() const;
  [[nodiscard]] std::vector<std::int32_t> dealt_folds(FoldOrder order, Index folds, std::uint64_t seed) const;
  class HeldOut;
  // One for each plane, in the order of the classifier's.
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
  NodeArray<std::int32_t> classes_;    // of them
  NodeArray<Index> groups_;            // of them, hashes; empty: there are none
  std::vector<Index> sizes_;           // rows of each class
  std::vector<std::int32_t> present_;  // classes that have rows
};

/// Sentences on labels that fewer rows are trained on than there are folds.
/// @param sizes  rows of each label that are trained on. Local.
[[nodiscard]] std::vector<std::string> fold_notices(const std::vector<std::string>& labels,
                                                    const std::vector<Index>& sizes, Index folds);

/// A warning that planes ended before their optimum. @param passes  of dual descent; 0: by LIBLINEAR Local.
[[nodiscard]] std::string stopped_text(const LinearClassifier& classifier, double cost, Index passes,
                                       const KeyNames& keys);

}  // namespace cairn
