// Support vector machines on K itself, for small sets: what those on its approximations are compared with.
#pragma once

#include <cstdint>
#include <functional>
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

class SupportMachine;

/// Some labelled rows, the same lists on every rank.
struct KernelRows {
  std::vector<Index> rows;            ///< global numbers, ascending
  std::vector<std::int32_t> classes;  ///< of each
  std::vector<char> train;            ///< 1 where it is trained on, 0 if it is tested
  std::vector<Index> groups{};        ///< numbers of the groups, which stay whole in cross-validation; none: no groups
};

/// How the machines of several classes are trained.
struct KernelSvmOptions {
  double tolerance = 1e-3;    ///< LIBSVM's, of its stopping criterion
  bool rest = false;          ///< one class against the rest; else one against another
  bool balanced = false;      ///< rest: the C of a class is C times the number of the other rows divided by its own
  std::string positive = {};  ///< balanced: the class of two whose C that is; empty: the last one
};

/// What a machine that was trained on all rows to train on says of all rows; the same on every rank.
struct KernelDecisions {
  std::vector<std::int32_t> classes;    ///< of training, ascending: what the columns of `scores` stand for
  std::vector<double> scores;           ///< rows x classes, row-major: decision values; of pairs of more than two
                                        ///< classes votes
  std::vector<std::int32_t> predicted;  ///< the class of each row
  Index support_vectors = 0;            ///< rows that have a coefficient in one machine at least
  Index spared = 0;  ///< entries of K of all rows that were not needed: of tested rows but with support vectors
};

/// A C and what cross-validation on the rows to train on found of it.
struct ValidatedKernelCost {
  double cost = 0.0;
  Confusion confusion;       ///< of the rows to train on
  KernelDecisions held_out;  ///< of these, by the machines that did not see their folds
};

/// LIBSVM's C-SVC on a precomputed matrix: one class against another, and the class with most votes is predicted, of
/// equal ones that with the larger sum of decision values (PairVotes), so that the order of rows does not matter; or
/// one class against the rest, and that with the largest decision value is. K of the rows to train on is held once per
/// node; jobs (fold, C, class) are dealt to the ranks and their threads.
class KernelSvm {
 public:
  /// Evaluates K of the rows to train on: as many evaluations as it has entries. References outlive it.
  /// @param class_names  that `rows.classes` count in
  /// @param keys  of parameters `cost` and `folds`, which messages name
  /// @throws Error(usage) for distances and one-sided similarities, which are no kernels; Error(input) if there is
  /// one
  ///   class alone to train on; Error(resource) if a node has no room. Collective.
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
  /// Trains on all rows that are trained on, and evaluates K of the others with the support vectors. Collective.
  [[nodiscard]] KernelDecisions decide(const std::string& loop, double cost) const;

  /// Bytes of K of so many rows on a node.
  [[nodiscard]] static Index bytes_of(Index rows);
  /// Bytes of what all jobs say of so many rows in cross-validation, on each rank.
  [[nodiscard]] static Index result_bytes(Index rows, Index classes, Index jobs, bool rest);

 private:
  struct Matrix;
  class Work;
  struct Job {
    std::int32_t fold;  ///< left out and predicted; negative: nothing is left out, all rows to train on are predicted
    double cost;
    std::int32_t positive = -1;  ///< against the rest; negative: all pairs of classes
  };
  // What a job says of a row: a score a column, the class that it predicts, whether the row is a support vector.
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
  std::vector<std::size_t> trained_, tested_;  // places in rows_
  std::vector<std::int32_t> present_;          // classes to train on, ascending
  KeyNames keys_;
  std::unique_ptr<Matrix> matrix_;
  // K of some objects with others: this rank's rows. Collective.
  std::function<std::vector<double>(std::span<const Index>, std::span<const Index>, const std::string&)> evaluate_;
};

}  // namespace cairn
