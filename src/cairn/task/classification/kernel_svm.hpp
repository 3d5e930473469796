// Support vector machines on K itself, for small sets: what those on its approximations are compared with.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cairn/base/execution.hpp"
#include "cairn/data/object_set.hpp"
#include "cairn/parameters/key_names.hpp"
#include "cairn/similarity/similarity.hpp"
#include "cairn/task/classification/classification_score.hpp"
#include "cairn/task/classification/folds.hpp"

namespace cairn {

/// Some labelled rows, the same lists on every rank.
struct KernelRows {
  std::vector<Index> rows;            ///< global numbers, ascending
  std::vector<std::int32_t> classes;  ///< of each
  std::vector<char> train;            ///< 1 where it is trained on, 0 if it is tested
};

/// A C and what cross-validation on the rows to train on found of it.
struct ValidatedKernelCost {
  double cost = 0.0;
  Confusion confusion;
};

/// LIBSVM's C-SVC on a precomputed matrix: one class against another, the class with most votes is predicted. K of all
/// rows is held once per node; jobs (fold, C) are dealt to the ranks and their threads.
class KernelSvm {
 public:
  /// Evaluates K(rows, rows): as many evaluations as it has entries.
  /// @param tolerance  LIBSVM's, of its stopping criterion @param class_names  that `rows.classes` count in
  /// @param keys  of parameters `cost` and `folds`, which messages name
  /// @throws Error(usage) for distances and one-sided similarities, which are no kernels; Error(input) if there is
  /// one
  ///   class alone to train on; Error(resource) if a node has no room. Collective.
  template <class T>
  KernelSvm(const Execution& execution, const Similarity<T>& similarity, const ObjectSet& objects, KernelRows rows,
            const std::vector<std::string>& class_names, double tolerance, const std::string& loop,
            const KeyNames& keys = {});
  ~KernelSvm();
  KernelSvm(const KernelSvm&) = delete;
  KernelSvm& operator=(const KernelSvm&) = delete;

  /// @param loop  unique within a run @throws Error(usage) for more folds than rows; Error(input) that names a class
  /// with one row, or with all rows in one fold. Collective.
  [[nodiscard]] std::vector<ValidatedKernelCost> cross_validate(const std::string& loop, std::span<const double> costs,
                                                                Index folds, std::uint64_t seed,
                                                                FoldOrder order = FoldOrder::random) const;
  /// Trains on all rows that are trained on. @return the predicted class of each row, the same on every rank.
  /// Collective.
  [[nodiscard]] std::vector<std::int32_t> predict(const std::string& loop, double cost) const;

  /// Bytes of K of so many rows on a node.
  [[nodiscard]] static Index bytes_of(Index rows);

 private:
  struct Matrix;
  class Work;
  struct Job {
    std::int32_t fold;  ///< left out and predicted; negative: nothing is left out, all rows are predicted
    double cost;
  };
  [[nodiscard]] std::vector<std::vector<std::int32_t>> run(const std::string& loop, const std::vector<Job>& jobs,
                                                           const std::vector<std::int32_t>& folds) const;
  void require_two_of_each() const;

  Execution execution_;
  KernelRows rows_;
  std::vector<std::string> names_;
  double tolerance_;
  KeyNames keys_;
  std::unique_ptr<Matrix> matrix_;
};

}  // namespace cairn
