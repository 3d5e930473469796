#include "cairn/task/classification/kernel_svm.hpp"

#include <fmt/format.h>
#include <libsvm/svm.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "cairn/base/index.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/mpi/node_array.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/base/schedule/schedule.hpp"
#include "cairn/similarity/columns.hpp"
#include "cairn/task/classification/libsvm_training.hpp"
#include "cairn/task/classification/pair_votes.hpp"

namespace cairn {

namespace {

// A machine trained by LIBSVM, as numbers that can be sent.

// Number of values that store a machine with `classes` classes, trained on `rows` rows.
[[nodiscard]] constexpr std::size_t machine_size(std::size_t classes, std::size_t rows) {
  return classes + classes * (classes - 1) / 2 + (classes - 1) * rows;
}

// Writes the labels in LIBSVM's order, rho of each pair of labels, and the coefficients of all rows,
// (classes - 1) x rows.
// @param rows  number of training rows @param numbers  machine_size(model.nr_class, rows) values, all 0. Local.
void write_machine(const svm_model& model, std::size_t rows, std::span<double> numbers) {
  const auto classes = static_cast<std::size_t>(model.nr_class), pairs = classes * (classes - 1) / 2;
  std::copy_n(model.label, classes, numbers.begin());
  std::copy_n(model.rho, pairs, numbers.begin() + static_cast<std::ptrdiff_t>(classes));
  const std::span<double> coefficients = numbers.subspan(classes + pairs);
  for (std::size_t c = 0; c + 1 < classes; ++c) {
    for (int v = 0; v < model.l; ++v) {
      coefficients[c * rows + static_cast<std::size_t>(model.sv_indices[v] - 1)] = model.sv_coef[c][v];
    }
  }
}

}  // namespace

// Evaluates the decision values of such a machine, summed in LIBSVM's order.
class SupportMachine {
 public:
  /// @param numbers  from write_machine() @param labels  of the training rows
  /// @param columns  for each training row the position of its kernel in a row of kernels; negative: not a support
  /// vector
  SupportMachine(std::span<const double> numbers, std::size_t classes, std::span<const double> labels,
                 std::span<const Index> columns);

  [[nodiscard]] const std::vector<int>& labels() const { return labels_; }
  /// Decision values of an object for each pair of labels a < b in the order (0, 1), (0, 2), ...; above 0: a.
  /// @param kernels  of the object with the support vectors, by `columns`
  [[nodiscard]] std::vector<double> values(std::span<const double> kernels) const;

 private:
  struct Support {
    Index row = 0;
    std::size_t column = 0;
  };
  std::span<const double> rho_, coefficients_;
  std::size_t rows_;
  std::vector<int> labels_;
  std::vector<std::vector<Support>> supports_;  // of each label
};

SupportMachine::SupportMachine(std::span<const double> numbers, std::size_t classes, std::span<const double> labels,
                               std::span<const Index> columns)
    : rho_(numbers.subspan(classes, classes * (classes - 1) / 2)),
      coefficients_(numbers.subspan(classes + rho_.size())),
      rows_(labels.size()),
      supports_(classes) {
  for (std::size_t c = 0; c < classes; ++c) labels_.push_back(static_cast<int>(numbers[c]));
  for (std::size_t i = 0; i < rows_; ++i) {
    if (columns[i] < 0) continue;
    const auto its = std::ranges::find(labels_, static_cast<int>(labels[i])) - labels_.begin();
    supports_[its].push_back({static_cast<Index>(i), static_cast<std::size_t>(columns[i])});
  }
}

std::vector<double> SupportMachine::values(std::span<const double> kernels) const {
  std::vector<double> values;
  for (std::size_t a = 0; a < labels_.size(); ++a) {
    for (std::size_t b = a + 1; b < labels_.size(); ++b) {
      double sum = 0.0;
      const auto add = [&](std::size_t label, std::size_t other) {
        for (const Support& one : supports_[label]) {
          sum += coefficients_[other * rows_ + static_cast<std::size_t>(one.row)] * kernels[one.column];
        }
      };
      add(a, b - 1);
      add(b, a);
      values.push_back(sum - rho_[values.size()]);
    }
  }
  return values;
}

// Rows in LIBSVM's format: entry 0 is the number of the row, from 1, followed by its similarities to all training rows.
struct KernelSvm::Matrix {
  NodeArray<svm_node> entries;
  Index size = 0;

  // The entries are not modified; LIBSVM's interface requires the non-const type.
  [[nodiscard]] svm_node* row(Index i) const { return const_cast<svm_node*>(&entries[i * (size + 1)]); }
};

namespace {

void hear(const char* /*text*/) { Watchdog::beat(); }

template <class T>
NodeArray<svm_node> libsvm_rows(const Execution& execution, const RowBlock<T>& values) {
  const std::vector<svm_node> own = collectively(execution.communicator, [&] {
    std::vector<svm_node> entries;
    entries.reserve(values.range().size() * (values.columns() + 1));
    for (Index i = values.range().begin; i < values.range().end; ++i) {
      entries.push_back({0, static_cast<double>(i + 1)});
      for (const T value : values.row(i)) entries.push_back({1, static_cast<double>(value)});
    }
    return entries;
  });
  return replicate_on_nodes(execution.communicator, std::span<const svm_node>(own));
}

}  // namespace

// The result of a job has width() numbers for each training row; for a row that the job does not predict, only the flag
// of support vectors is set. The result of a job without held-out rows also contains its machine.
class KernelSvm::Work final : public TileWork {
 public:
  Work(const KernelSvm& machine, const std::vector<Job>& jobs, const std::vector<std::int32_t>& folds,
       std::vector<double>& results)
      : machine_(machine), jobs_(jobs), folds_(folds), results_(results) {}

  [[nodiscard]] std::vector<std::byte> pack(const Tile& /*tile*/) const override { return {}; }
  [[nodiscard]] Index result_bytes(const Tile& /*tile*/) const override {
    return static_cast<Index>(machine_.said_by(jobs_.front()) * sizeof(double));
  }
  [[nodiscard]] std::span<std::byte> result(const Tile& tile) override {
    const Index slot = tile.id / machine_.execution_.communicator.size();
    return std::as_writable_bytes(std::span(results_)).subspan(slot * result_bytes(tile), result_bytes(tile));
  }

  // Time of a million LIBSVM steps with one row of K each, which is rarely exceeded.
  [[nodiscard]] double longest_seconds() const override {
    constexpr double steps = 1e6, entries_a_second = 2e8;
    return steps * static_cast<double>(machine_.matrix_->size) / entries_a_second;
  }

  void compute(const Tile& tile, std::span<const std::byte> /*inputs*/, std::span<std::byte> result) const override {
    const Job& job = jobs_[tile.id];
    const std::size_t rows = machine_.trained_.size();
    const std::vector<double> labels = machine_.labels_of(job);
    std::vector<svm_node*> x;
    std::vector<double> y;
    std::vector<std::size_t> seen;
    for (std::size_t i = 0; i < rows; ++i) {
      if (job.fold >= 0 && folds_[i] == job.fold) continue;
      x.push_back(machine_.matrix_->row(static_cast<Index>(i)));
      y.push_back(labels[i]);
      seen.push_back(i);
    }
    const svm_problem problem{static_cast<int>(x.size()), y.data(), x.data()};
    const SupportModel model = train_support_vectors(problem, options_of(job, y));
    const std::vector<int> order(model->label, model->label + model->nr_class);
    const std::size_t width = machine_.width();
    std::vector<double> said(machine_.said_by(job), 0.0);
    for (int v = 0; v < model->l; ++v) {
      said[(seen[model->sv_indices[v] - 1] + 1) * width - 1] = 1.0;
    }
    std::vector<double> values(order.size() * (order.size() - 1) / 2);
    for (std::size_t i = 0; i < rows; ++i) {
      if (job.fold >= 0 && folds_[i] != job.fold) continue;
      svm_predict_values(model.get(), machine_.matrix_->row(static_cast<Index>(i)), values.data());
      machine_.tell(job, order, values, std::span(said).subspan(i * width, width - 1));
    }
    if (job.fold < 0) write_machine(*model, rows, std::span(said).subspan(rows * width));
    std::memcpy(result.data(), said.data(), result.size());
  }

 private:
  [[nodiscard]] SupportOptions options_of(const Job& job, const std::vector<double>& y) const {
    SupportOptions how{.kernel = PRECOMPUTED, .cost = job.cost, .tolerance = machine_.options_.tolerance};
    const auto positive = static_cast<double>(std::count(y.begin(), y.end(), 1.0));
    const double others = static_cast<double>(y.size()) - positive;
    if (!machine_.options_.balanced || positive == 0.0 || others == 0.0) return how;
    how.positive_weight = others / positive;
    // Two classes need only one machine, and the last class is positive unless another one is given.
    const auto& name = machine_.names_[job.positive];
    if (machine_.present_.size() == 2 && name != machine_.options_.positive) {
      how.cost *= positive / others;
    }
    return how;
  }

  const KernelSvm& machine_;
  const std::vector<Job>& jobs_;
  const std::vector<std::int32_t>& folds_;
  std::vector<double>& results_;
};

// Labels of the training rows, as passed to LIBSVM.
std::vector<double> KernelSvm::labels_of(const Job& job) const {
  std::vector<double> labels;
  for (const std::size_t i : trained_) {
    labels.push_back(job.positive < 0 ? rows_.classes[i] : rows_.classes[i] == job.positive ? 1 : -1);
  }
  return labels;
}

// Computes the scores of a row from the decision values of pairs of labels, followed by its class. LIBSVM itself
// predicts the first class with most votes in its order, which is that of the training rows.
void KernelSvm::tell(const Job& job, std::span<const int> labels, std::span<const double> values,
                     std::span<double> said) const {
  const PairVotes counted = count_pair_votes(labels, values);
  said.back() = labels[counted.winner];
  if (job.positive >= 0) {
    if (labels.size() == 2) said.front() = labels[0] == 1 ? values.front() : -values.front();
    return;
  }
  const auto place = [&](std::size_t label) {
    return static_cast<std::size_t>(std::ranges::find(present_, labels[label]) - present_.begin());
  };
  if (present_.size() == 2 && labels.size() == 2) {
    said[place(0)] = values.front();
    said[place(1)] = -values.front();
    return;
  }
  for (std::size_t a = 0; a < labels.size(); ++a) said[place(a)] = counted.votes[a];
}

template <class T>
KernelSvm::KernelSvm(const Execution& execution, const Similarity<T>& similarity, const ObjectSet& objects,
                     KernelRows rows, const std::vector<std::string>& class_names, const KernelSvmOptions& options,
                     const std::string& loop, const KeyNames& keys)
    : execution_(execution),
      rows_(std::move(rows)),
      names_(class_names),
      options_(options),
      keys_(keys),
      matrix_(std::make_unique<Matrix>()) {
  if (similarity.traits().meaning == Meaning::distance || similarity.traits().one_sided) {
    throw Error(ErrorKind::usage, fmt::format("{} gives distances or values that are not symmetric: no kernel",
                                              similarity.traits().name));
  }
  for (std::size_t i = 0; i < rows_.rows.size(); ++i) {
    (rows_.train[i] != 0 ? trained_ : tested_).push_back(i);
    if (rows_.train[i] != 0) present_.push_back(rows_.classes[i]);
  }
  std::ranges::sort(present_);
  present_.erase(std::unique(present_.begin(), present_.end()), present_.end());
  if (present_.empty()) throw Error(ErrorKind::input, "there is no labelled row to train on");
  if (present_.size() == 1) {
    throw Error(ErrorKind::input, fmt::format("all rows to train on have the label '{}': there is nothing to learn",
                                              names_[present_.front()]));
  }
  const std::vector<Index> sample = numbers_of(trained_);
  const RowBlock<T> values =
      evaluate_principal_submatrix(execution_, similarity, objects, sample, "similarities", loop);
  evaluate_ = [this, &similarity, &objects](std::span<const Index> tested, std::span<const Index> supports,
                                            const std::string& name) {
    const RowBlock<T> kernels =
        evaluate_submatrix(execution_, similarity, objects, tested, supports, "similarities", name);
    const auto local = kernels.local();
    return std::vector<double>(local.data, local.data + local.rows * local.columns);
  };
  Phases::Scope phase = execution.phases.enter("gather matrix");
  matrix_->size = static_cast<Index>(trained_.size());
  matrix_->entries = libsvm_rows(execution, values);
  svm_set_print_string_function(&hear);
}

template KernelSvm::KernelSvm(const Execution&, const Similarity<float>&, const ObjectSet&, KernelRows,
                              const std::vector<std::string>&, const KernelSvmOptions&, const std::string&,
                              const KeyNames&);
template KernelSvm::KernelSvm(const Execution&, const Similarity<double>&, const ObjectSet&, KernelRows,
                              const std::vector<std::string>&, const KernelSvmOptions&, const std::string&,
                              const KeyNames&);

KernelSvm::~KernelSvm() = default;

Index KernelSvm::bytes_of(Index rows) { return rows * (rows + 1) * static_cast<Index>(sizeof(svm_node)); }

Index KernelSvm::result_bytes(Index rows, Index classes, Index jobs, bool rest) {
  return rows * jobs * ((rest ? 1 : classes) + 2) * static_cast<Index>(sizeof(double));
}

std::vector<Index> KernelSvm::numbers_of(std::span<const std::size_t> places) const {
  std::vector<Index> numbers;
  for (const std::size_t i : places) numbers.push_back(rows_.rows[i]);
  return numbers;
}

// Two classes need only one machine: the decision values of the other class have opposite signs.
std::size_t KernelSvm::machines() const { return !options_.rest || present_.size() == 2 ? 1 : present_.size(); }

std::size_t KernelSvm::said_by(const Job& job) const {
  const std::size_t rows = trained_.size(), labels = options_.rest ? 2 : present_.size();
  return rows * width() + (job.fold < 0 ? machine_size(labels, rows) : 0);
}

void KernelSvm::add_jobs(std::int32_t fold, double cost, std::vector<Job>& jobs) const {
  if (!options_.rest) return jobs.push_back({fold, cost});
  for (std::size_t c = 0; c < machines(); ++c) jobs.push_back({fold, cost, present_[c]});
}

// Results of all jobs, one after the other, on every rank.
std::vector<double> KernelSvm::run(const std::string& loop, const std::vector<Job>& jobs,
                                   const std::vector<std::int32_t>& folds) const {
  const Communicator& communicator = execution_.communicator;
  const int ranks = communicator.size();
  Phases::Scope phase = execution_.phases.enter("train");
  std::vector<Tile> own;
  for (Index id = communicator.rank(); id < static_cast<Index>(jobs.size()); id += ranks) {
    own.push_back({id, {id, id + 1}, std::sqrt(jobs[id].cost)});
  }
  const std::size_t width = said_by(jobs.front());
  std::vector<double> results(own.size() * width);
  Work work(*this, jobs, folds, results);
  phase.count_busy(Schedule(loop, own, static_cast<Index>(jobs.size())).run(execution_, work).busy_seconds);
  if (ranks == 1) return results;
  const std::vector<double> all = communicator.all_gather(results);
  std::vector<double> sorted(all.size());
  auto next = all.begin();
  for (int r = 0; r < ranks; ++r) {
    for (std::size_t id = static_cast<std::size_t>(r); id < jobs.size(); id += static_cast<std::size_t>(ranks)) {
      std::copy_n(next, width, sorted.begin() + static_cast<std::ptrdiff_t>(id * width));
      next += static_cast<std::ptrdiff_t>(width);
    }
  }
  return sorted;
}

// Combines the results of all machines of one classifier for all rows.
KernelDecisions KernelSvm::decisions(std::span<const double> of_rows) const {
  const std::size_t width = this->width(), classes = present_.size(), rows = rows_.rows.size(), of_job = rows * width;
  KernelDecisions found{present_, std::vector<double>(rows * classes), std::vector<std::int32_t>(rows), 0, 0};
  for (std::size_t i = 0; i < rows; ++i) {
    const std::span<double> scores = std::span(found.scores).subspan(i * classes, classes);
    bool supports = false;
    for (std::size_t c = 0; c < machines(); ++c) {
      const double* said = of_rows.data() + c * of_job + i * width;
      supports = supports || said[width - 1] > 0.0;
      if (options_.rest) scores[c] = said[0];
      if (!options_.rest) std::copy_n(said, classes, scores.begin());
    }
    if (supports) ++found.support_vectors;
    if (options_.rest && machines() == 1) scores[1] = -scores[0];
    const auto largest = std::ranges::max_element(scores) - scores.begin();
    found.predicted[i] =
        options_.rest ? present_[largest] : static_cast<std::int32_t>(std::lround(of_rows[i * width + width - 2]));
  }
  return found;
}

void KernelSvm::require_two_of_each() const {
  for (std::size_t c = 0; c < names_.size(); ++c) {
    Index count = 0, row = -1;
    for (const std::size_t i : trained_) {
      if (rows_.classes[i] == static_cast<std::int32_t>(c)) ++count, row = rows_.rows[i];
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
  const std::vector<Index> rows = numbers_of(trained_);
  std::vector<std::int32_t> classes;
  std::vector<Index> groups;
  for (const std::size_t i : trained_) {
    classes.push_back(rows_.classes[i]);
    if (!rows_.groups.empty()) groups.push_back(rows_.groups[i]);
  }
  const std::vector<std::int32_t> fold_of = deal_folds(order, {classes, rows, groups}, names_, folds, seed, keys_);
  std::vector<Job> jobs;
  for (const double cost : costs) {
    for (std::int32_t fold = 0; fold < folds; ++fold) add_jobs(fold, cost, jobs);
  }
  const std::vector<double> said = run(loop, jobs, fold_of);
  const std::size_t width = this->width(), of_job = said_by(jobs.front());
  std::vector<ValidatedKernelCost> result;
  for (std::size_t k = 0; k < costs.size(); ++k) {
    // Results for each row from the machines that were not trained on it.
    std::vector<double> of_rows(machines() * rows_.rows.size() * width, 0.0);
    for (std::size_t t = 0; t < trained_.size(); ++t) {
      const auto fold = static_cast<std::size_t>(fold_of[t]);
      for (std::size_t c = 0; c < machines(); ++c) {
        const std::size_t job = (k * static_cast<std::size_t>(folds) + fold) * machines() + c;
        std::copy_n(said.begin() + static_cast<std::ptrdiff_t>(job * of_job + t * width), width - 1,
                    of_rows.begin() + static_cast<std::ptrdiff_t>((c * rows_.rows.size() + trained_[t]) * width));
      }
    }
    ValidatedKernelCost one{costs[k], Confusion(static_cast<Index>(names_.size())), decisions(of_rows)};
    for (const std::size_t i : trained_) ++one.confusion.at(rows_.classes[i], one.held_out.predicted[i]);
    result.push_back(std::move(one));
  }
  return result;
}

KernelDecisions KernelSvm::decide(const std::string& loop, double cost) const {
  std::vector<Job> jobs;
  add_jobs(-1, cost, jobs);
  const std::vector<double> said = run(loop, jobs, {});
  const std::size_t width = this->width(), of_job = said_by(jobs.front()), rows = rows_.rows.size();
  std::vector<double> of_rows(jobs.size() * rows * width, 0.0);
  std::vector<Index> columns(trained_.size(), -1), supports;  // columns of the support vectors in K of the test rows
  for (std::size_t t = 0; t < trained_.size(); ++t) {
    bool is_one = false;
    for (std::size_t c = 0; c < jobs.size(); ++c) {
      const auto from = said.begin() + static_cast<std::ptrdiff_t>(c * of_job + t * width);
      std::copy_n(from, width, of_rows.begin() + static_cast<std::ptrdiff_t>((c * rows + trained_[t]) * width));
      is_one = is_one || from[static_cast<std::ptrdiff_t>(width) - 1] > 0.0;
    }
    if (!is_one) continue;
    columns[t] = std::ssize(supports);
    supports.push_back(rows_.rows[trained_[t]]);
  }
  std::vector<SupportMachine> machines;
  const std::size_t labels = options_.rest ? 2 : present_.size();
  for (std::size_t c = 0; c < jobs.size(); ++c) {
    const std::size_t begin = c * of_job + trained_.size() * width;
    machines.emplace_back(std::span(said).subspan(begin, machine_size(labels, trained_.size())), labels,
                          labels_of(jobs[c]), columns);
  }
  test(loop, jobs, machines, supports, of_rows);
  KernelDecisions found = decisions(of_rows);
  const auto all = static_cast<Index>(rows), trained = std::ssize(trained_);
  found.spared = all * all - trained * trained - std::ssize(tested_) * std::ssize(supports);
  return found;
}

// Processes as many rows at a time as there are training rows: their kernels with the support vectors then need no more
// memory than K of the training rows.
void KernelSvm::test(const std::string& loop, const std::vector<Job>& jobs, const std::vector<SupportMachine>& machines,
                     std::span<const Index> supports, std::span<double> of_rows) const {
  const Communicator& communicator = execution_.communicator;
  const std::size_t width = this->width(), at_once = trained_.size();
  for (std::size_t first = 0; first < tested_.size(); first += at_once) {
    const auto places = std::span(tested_).subspan(first, std::min(at_once, tested_.size() - first));
    const std::vector<double> kernels =
        evaluate_(numbers_of(places), supports, fmt::format("{}-tested-{}", loop, first));
    const Phases::Scope phase = execution_.phases.enter("test");
    const std::vector<double> told = collectively(communicator, [&] {
      std::vector<double> own;
      for (std::size_t begin = 0; begin < kernels.size(); begin += supports.size()) {
        const auto row = std::span(kernels).subspan(begin, supports.size());
        for (std::size_t c = 0; c < jobs.size(); ++c) {
          own.resize(own.size() + width, 0.0);
          tell(jobs[c], machines[c].labels(), machines[c].values(row), std::span(own).last(width).first(width - 1));
        }
      }
      return own;
    });
    const std::vector<double> all = communicator.all_gather(told);
    for (std::size_t k = 0; k < places.size(); ++k) {
      for (std::size_t c = 0; c < jobs.size(); ++c) {
        std::copy_n(all.begin() + static_cast<std::ptrdiff_t>((k * jobs.size() + c) * width), width,
                    of_rows.begin() + static_cast<std::ptrdiff_t>((c * rows_.rows.size() + places[k]) * width));
      }
    }
  }
}

}  // namespace cairn
