#include "cairn/task/classification/kernel_svm.hpp"

#include <fmt/format.h>
#include <libsvm/svm.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/mpi/node_array.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/base/schedule/schedule.hpp"
#include "cairn/similarity/columns.hpp"
#include "cairn/task/classification/libsvm_training.hpp"

namespace cairn {

// Rows as LIBSVM takes them: entry 0 is the number of the row, from 1, then its similarities with all rows.
struct KernelSvm::Matrix {
  NodeArray<svm_node> entries;
  Index size = 0;

  // Nobody writes there: the type is LIBSVM's.
  [[nodiscard]] svm_node* row(Index i) const { return const_cast<svm_node*>(&entries[i * (size + 1)]); }
};

namespace {

void hear(const char* /*text*/) { Watchdog::beat(); }

template <class T>
NodeArray<svm_node> libsvm_rows(const Execution& execution, const RowBlock<T>& values) {
  const std::vector<svm_node> own = collectively(execution.communicator, [&] {
    std::vector<svm_node> entries;
    entries.reserve(static_cast<std::size_t>(values.range().size() * (values.columns() + 1)));
    for (Index i = values.range().begin; i < values.range().end; ++i) {
      entries.push_back({0, static_cast<double>(i + 1)});
      for (const T value : values.row(i)) entries.push_back({1, static_cast<double>(value)});
    }
    return entries;
  });
  return replicate_on_nodes(execution.communicator, std::span<const svm_node>(own));
}

}  // namespace

// Each job gives a class for each row; -1 if it does not predict it.
class KernelSvm::Work final : public TileWork {
 public:
  Work(const KernelSvm& machine, const std::vector<Job>& jobs, const std::vector<std::int32_t>& folds,
       std::vector<std::int32_t>& results)
      : machine_(machine), jobs_(jobs), folds_(folds), results_(results) {}

  [[nodiscard]] std::vector<std::byte> pack(const Tile& /*tile*/) const override { return {}; }
  [[nodiscard]] Index result_bytes(const Tile& /*tile*/) const override {
    return machine_.matrix_->size * static_cast<Index>(sizeof(std::int32_t));
  }
  [[nodiscard]] std::span<std::byte> result(const Tile& tile) override {
    const Index slot = tile.id / machine_.execution_.communicator.size();
    return std::as_writable_bytes(std::span(results_))
        .subspan(static_cast<std::size_t>(slot * result_bytes(tile)), static_cast<std::size_t>(result_bytes(tile)));
  }

  // A million of LIBSVM's steps, a row of K each: it may take more, and hardly ever does.
  [[nodiscard]] double longest_seconds() const override {
    constexpr double steps = 1e6, entries_a_second = 2e8;
    return steps * static_cast<double>(machine_.matrix_->size) / entries_a_second;
  }

  void compute(const Tile& tile, std::span<const std::byte> /*inputs*/, std::span<std::byte> result) const override {
    const Job& job = jobs_[static_cast<std::size_t>(tile.id)];
    const KernelRows& rows = machine_.rows_;
    std::vector<svm_node*> x;
    std::vector<double> y;
    for (std::size_t i = 0; i < rows.rows.size(); ++i) {
      if (rows.train[i] == 0 || (job.fold >= 0 && folds_[i] == job.fold)) continue;
      x.push_back(machine_.matrix_->row(static_cast<Index>(i)));
      y.push_back(rows.classes[i]);
    }
    const svm_problem problem{static_cast<int>(x.size()), y.data(), x.data()};
    const SupportModel model = train_support_vectors(problem, PRECOMPUTED, job.cost, machine_.tolerance_);
    std::vector<std::int32_t> predicted(rows.rows.size(), -1);
    for (std::size_t i = 0; i < predicted.size(); ++i) {
      if (job.fold >= 0 && (rows.train[i] == 0 || folds_[i] != job.fold)) continue;
      predicted[i] = static_cast<std::int32_t>(
          std::lround(svm_predict(model.get(), machine_.matrix_->row(static_cast<Index>(i)))));
    }
    std::memcpy(result.data(), predicted.data(), result.size());
  }

 private:
  const KernelSvm& machine_;
  const std::vector<Job>& jobs_;
  const std::vector<std::int32_t>& folds_;
  std::vector<std::int32_t>& results_;
};

template <class T>
KernelSvm::KernelSvm(const Execution& execution, const Similarity<T>& similarity, const ObjectSet& objects,
                     KernelRows rows, const std::vector<std::string>& class_names, double tolerance,
                     const std::string& loop, const KeyNames& keys)
    : execution_(execution),
      rows_(std::move(rows)),
      names_(class_names),
      tolerance_(tolerance),
      keys_(keys),
      matrix_(std::make_unique<Matrix>()) {
  if (similarity.traits().meaning == Meaning::distance || similarity.traits().one_sided) {
    throw Error(ErrorKind::usage, fmt::format("{} gives distances or values that are not symmetric: no kernel",
                                              similarity.traits().name));
  }
  std::int32_t first = -1;
  bool several = false;
  for (std::size_t i = 0; i < rows_.rows.size(); ++i) {
    if (rows_.train[i] == 0) continue;
    if (first < 0) first = rows_.classes[i];
    several = several || rows_.classes[i] != first;
  }
  if (first < 0) throw Error(ErrorKind::input, "there is no labelled row to train on");
  if (!several) {
    throw Error(ErrorKind::input, fmt::format("all rows to train on have the label '{}': there is nothing to learn",
                                              names_[static_cast<std::size_t>(first)]));
  }
  const RowBlock<T> values =
      evaluate_principal_submatrix(execution, similarity, objects, rows_.rows, "similarities", loop);
  Phases::Scope phase = execution.phases.enter("gather matrix");
  matrix_->size = static_cast<Index>(rows_.rows.size());
  matrix_->entries = libsvm_rows(execution, values);
  svm_set_print_string_function(&hear);
}

template KernelSvm::KernelSvm(const Execution&, const Similarity<float>&, const ObjectSet&, KernelRows,
                              const std::vector<std::string>&, double, const std::string&, const KeyNames&);
template KernelSvm::KernelSvm(const Execution&, const Similarity<double>&, const ObjectSet&, KernelRows,
                              const std::vector<std::string>&, double, const std::string&, const KeyNames&);

KernelSvm::~KernelSvm() = default;

Index KernelSvm::bytes_of(Index rows) { return rows * (rows + 1) * static_cast<Index>(sizeof(svm_node)); }

// Classes of all rows by job, on every rank.
std::vector<std::vector<std::int32_t>> KernelSvm::run(const std::string& loop, const std::vector<Job>& jobs,
                                                      const std::vector<std::int32_t>& folds) const {
  const Communicator& communicator = execution_.communicator;
  const int ranks = communicator.size();
  Phases::Scope phase = execution_.phases.enter("train");
  std::vector<Tile> own;
  for (Index id = communicator.rank(); id < static_cast<Index>(jobs.size()); id += ranks) {
    own.push_back({id, {id, id + 1}, std::sqrt(jobs[static_cast<std::size_t>(id)].cost)});
  }
  const std::size_t width = rows_.rows.size();
  std::vector<std::int32_t> results(own.size() * width);
  Work work(*this, jobs, folds, results);
  phase.count_busy(Schedule(loop, own, static_cast<Index>(jobs.size())).run(execution_, work).busy_seconds);
  const std::vector<std::int32_t> all = communicator.all_gather(results);
  std::vector<std::vector<std::int32_t>> classes(jobs.size());
  auto next = all.begin();
  for (int r = 0; r < ranks; ++r) {
    for (std::size_t id = static_cast<std::size_t>(r); id < jobs.size(); id += static_cast<std::size_t>(ranks)) {
      classes[id].assign(next, next + static_cast<std::ptrdiff_t>(width));
      next += static_cast<std::ptrdiff_t>(width);
    }
  }
  return classes;
}

void KernelSvm::require_two_of_each() const {
  for (std::size_t c = 0; c < names_.size(); ++c) {
    Index count = 0, row = -1;
    for (std::size_t i = 0; i < rows_.rows.size(); ++i) {
      if (rows_.train[i] != 0 && rows_.classes[i] == static_cast<std::int32_t>(c)) ++count, row = rows_.rows[i];
    }
    if (count != 1) continue;
    throw Error(ErrorKind::input,
                fmt::format("the class '{}' has one row to train on, row {}: cross-validation cannot both "
                            "learn and test it; give a single {}, or other rows",
                            names_[c], row, keys_("cost")));
  }
}

std::vector<ValidatedKernelCost> KernelSvm::cross_validate(const std::string& loop, std::span<const double> costs,
                                                           Index folds, std::uint64_t seed, FoldOrder order) const {
  require_two_of_each();
  std::vector<Index> rows;
  std::vector<std::int32_t> classes;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < rows_.rows.size(); ++i) {
    if (rows_.train[i] == 0) continue;
    rows.push_back(rows_.rows[i]);
    classes.push_back(rows_.classes[i]);
    places.push_back(i);
  }
  const std::vector<std::int32_t> dealt = deal_folds(order, classes, rows, names_, folds, seed, keys_);
  std::vector<std::int32_t> fold_of(rows_.rows.size(), -1);
  for (std::size_t k = 0; k < places.size(); ++k) fold_of[places[k]] = dealt[k];
  std::vector<Job> jobs;
  for (const double cost : costs) {
    for (std::int32_t fold = 0; fold < folds; ++fold) jobs.push_back({fold, cost});
  }
  const auto found = run(loop, jobs, fold_of);
  std::vector<ValidatedKernelCost> result;
  for (std::size_t k = 0; k < costs.size(); ++k) {
    Confusion confusion(static_cast<Index>(names_.size()));
    for (const std::size_t i : places) {
      const auto& predicted = found[k * static_cast<std::size_t>(folds) + static_cast<std::size_t>(fold_of[i])];
      ++confusion.at(rows_.classes[i], predicted[i]);
    }
    result.push_back({costs[k], std::move(confusion)});
  }
  return result;
}

std::vector<std::int32_t> KernelSvm::predict(const std::string& loop, double cost) const {
  return run(loop, {{-1, cost}}, {}).front();
}

}  // namespace cairn
