// Support vector machines on K itself, for small sets: the reference for those on its approximations.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cairn/base/schedule/execution.hpp"
#include "cairn/data/object_set.hpp"
#include "cairn/parameters/key_names.hpp"
#include "cairn/similarity/similarity.hpp"
#include "cairn/task/classification/classification_score.hpp"
#include "cairn/task/classification/folds.hpp"

namespace cairn {

class SupportMachine;

/// Labeled rows, the same lists on every rank.
struct KernelRows {
  std::vector<Index> rows;            ///< global numbers, ascending
  std::vector<std::int32_t> classes;  ///< of each
  std::vector<char> train;            ///< 1 for training rows, 0 for test rows
  std::vector<Index> groups{};        ///< numbers of groups, which cross-validation does not split; empty: no groups
};

/// Options for training on several classes.
struct KernelSvmOptions {
  double tolerance = 1e-3;    ///< of LIBSVM's stopping criterion
  bool rest = false;          ///< one class against the rest; else one class against one other
  bool balanced = false;      ///< rest: the C of a class is C times the number of the other rows divided by its own
  std::string positive = {};  ///< balanced with two classes: the class whose C is changed; empty: the last one
};

/// Decisions of a machine trained on all training rows, for all rows; the same on every rank.
struct KernelDecisions {
  std::vector<std::int32_t> classes;  ///< of training, ascending: the classes of the columns of `scores`
  std::vector<double> scores;  ///< rows x classes, row-major: decision values; votes for more than two classes in pairs
  std::vector<std::int32_t> predicted;  ///< the class of each row
  Index support_vectors = 0;            ///< rows with a nonzero coefficient in at least one machine
  Index spared = 0;                     ///< entries of K not needed: of test rows with rows that are no support vectors
};

/// A value of C and its cross-validation results on the training rows.
struct ValidatedKernelCost {
  double cost = 0.0;
  Confusion confusion;       ///< of the training rows
  KernelDecisions held_out;  ///< decisions for the training rows by the machines that did not see their folds
};

/// LIBSVM's C-SVC on a precomputed matrix. One class against one other: the class with most votes is predicted, of
/// equal ones the one with the larger sum of decision values (PairVotes), so that the order of rows does not matter.
/// One class against the rest: the class with the largest decision value is predicted. K of the training rows is stored
/// once per node; jobs (fold, C, class) are assigned to the ranks and their threads.
class KernelSvm {
 public:
  /// Evaluates K of the training rows, with as many evaluations as it has entries. References must outlive the object.
  /// @param class_names  names of the classes in `rows.classes`
  /// @param keys  names of parameters `cost` and `folds` in messages
  /// @throws Error(usage) for distances and one-sided similarities, which are not kernels; Error(input) if the training
  ///   rows have only one class; Error(resource) if a node's memory is insufficient. Collective.
  template <class T>
  KernelSvm(const Execution& execution, const Similarity<T>& similarity, const ObjectSet& objects, KernelRows rows,
            const std::vector<std::string>& class_names, const KernelSvmOptions& options, const std::string& loop,
            const KeyNames& keys = {});
  ~KernelSvm();
  KernelSvm(const KernelSvm&) = delete;
  KernelSvm& operator=(const KernelSvm&) = delete;

  /// @param loop  unique within a run @throws Error(usage) for more folds than rows; Error(input) that names a class
  /// with one row, or with all rows in one fold. Collective.
  [[nodiscard]] std::vector<ValidatedKernelCost> cross_validate(const std::string& loop, std::span<const double> costs,
                                                                Index folds, std::uint64_t seed,
                                                                FoldOrder order = FoldOrder::random) const;
  /// Trains on all training rows, and evaluates K of the other rows with the support vectors. Collective.
  [[nodiscard]] KernelDecisions decide(const std::string& loop, double cost) const;

  /// Bytes of K of `rows` rows on a node.
  [[nodiscard]] static Index bytes_of(Index rows);
  /// Bytes of the results of all jobs for `rows` rows in cross-validation, on each rank.
  [[nodiscard]] static Index result_bytes(Index rows, Index classes, Index jobs, bool rest);

 private:
  struct Matrix;
  class Work;
  struct Job {
    std::int32_t fold;  ///< held out and predicted; negative: no fold is held out, all training rows are predicted
    double cost;
    std::int32_t positive = -1;  ///< class against the rest; negative: all pairs of classes
  };
  // Size of the result of a job for one row: one score per column, the predicted class, the flag of support vectors.
  [[nodiscard]] std::size_t width() const { return (options_.rest ? 1 : present_.size()) + 2; }
  [[nodiscard]] std::size_t said_by(const Job& job) const;
  [[nodiscard]] std::vector<double> labels_of(const Job& job) const;
  [[nodiscard]] std::vector<Index> numbers_of(std::span<const std::size_t> places) const;
  void tell(const Job& job, std::span<const int> labels, std::span<const double> values, std::span<double> said) const;
  void test(const std::string& loop, const std::vector<Job>& jobs, const std::vector<SupportMachine>& machines,
            std::span<const Index> supports, std::span<double> of_rows) const;
  void add_jobs(std::int32_t fold, double cost, std::vector<Job>& jobs) const;
  [[nodiscard]] std::size_t machines() const;
  [[nodiscard]] std::vector<double> run(const std::string& loop, const std::vector<Job>& jobs,
                                        const std::vector<std::int32_t>& folds) const;
  [[nodiscard]] KernelDecisions decisions(std::span<const double> of_rows) const;
  void require_two_of_each() const;

  Execution execution_;
  KernelRows rows_;
  std::vector<std::string> names_;
  KernelSvmOptions options_;
  std::vector<std::size_t> trained_, tested_;  // positions in rows_
  std::vector<std::int32_t> present_;          // classes of the training rows, ascending
  KeyNames keys_;
  std::unique_ptr<Matrix> matrix_;
  // K between two lists of objects: this rank's rows. Collective.
  std::function<std::vector<double>(std::span<const Index>, std::span<const Index>, const std::string&)> evaluate_;
};

}  // namespace cairn
