#include "cairn/task/classification/svm_trainer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/digest.hpp"
#include "cairn/task/classification/classes.hpp"
#include "cairn/task/classification/dual_descent.hpp"
#include "cairn/task/classification/linear_svm.hpp"
#include "cairn/task/classification/ranking.hpp"

namespace cairn {

// Two classes need only one plane: the plane of the other class is its negative.
template <class T>
std::size_t SvmTrainer<T>::planes() const {
  const std::size_t classes = present_.size();
  if (options_.pairs) return pairs_of(classes);
  return classes == 2 ? 1 : classes;
}

template <class T>
void SvmTrainer<T>::add_jobs(std::int32_t fold, double cost, std::vector<SvmJob>& jobs) const {
  for (std::size_t a = 0; a < present_.size(); ++a) {
    if (!options_.pairs) {
      const bool others = present_.size() == 2 && names_[present_.front()] != positive_;
      if (a < planes()) jobs.push_back({fold, cost, present_[a], -1, others});
      continue;
    }
    for (std::size_t b = a + 1; b < present_.size(); ++b) jobs.push_back({fold, cost, present_[a], present_[b]});
  }
}

template <class T>
LinearClassifier SvmTrainer<T>::classifier_of(const std::vector<SvmPlane>& planes) const {
  LinearClassifier result{present_, left_.columns(), {}, {}, 0, options_.pairs};
  const std::size_t count = options_.pairs ? planes.size() : present_.size();
  result.coefficients.resize(static_cast<std::size_t>(result.columns) * count);
  result.intercepts.resize(count);
  for (const SvmPlane& plane : planes) result.stopped += plane.converged ? 0 : 1;
  if (options_.passes > 0 && 2 * result.stopped <= std::ssize(planes)) result.stopped = 0;  // most have converged
  for (std::size_t c = 0; c < count; ++c) {
    const bool mirrored = c >= planes.size();
    const SvmPlane& plane = planes[mirrored ? 0 : c];
    const double sign = mirrored ? -1.0 : 1.0;
    result.intercepts[c] = sign * plane.intercept;
    for (std::size_t k = 0; k < plane.weights.size(); ++k) result.coefficients[k * count + c] = sign * plane.weights[k];
  }
  return result;
}

namespace {

template <class T>
std::unique_ptr<PlaneRows> rows_of(const Execution& execution, const Factor<T>& left, std::span<const Index> rows,
                                   const SvmOptions& options) {
  if (options.passes > 0) return std::make_unique<DescentRows>(execution, left, rows, options.bias);
  return std::make_unique<SvmRows>(execution, left, rows, options.bias);
}

}  // namespace

std::string stopped_text(const LinearClassifier& classifier, double cost, Index passes, const KeyNames& keys) {
  const std::string which = fmt::format("{} of {} {} with C = {:g}", classifier.stopped, classifier.planes(),
                                        classifier.pairs ? "pairs of classes" : "classes", cost);
  return passes > 0 ? fmt::format(
                          "{} {} leave the objective of {} a fifth or more above its optimum, by the duality gap: more "
                          "passes or a smaller C are likely to do better",
                          keys("passes"), passes, which)
                    : fmt::format(
                          "training stopped after its largest number of iterations for {}: larger {}, smaller C or "
                          "scaled features help",
                          which, keys("tolerance"));
}

// Predictions for own rows by the machines that did not see their folds.
template <class T>
class SvmTrainer<T>::HeldOut {
 public:
  HeldOut(const SvmTrainer& trainer, std::span<const std::int32_t> fold_of)
      : trainer_(trainer), fold_of_(fold_of), column_(trainer.present_.size()) {
    if (trainer.groups_.empty()) return;
    for (std::size_t c = 0; c < trainer.present_.size(); ++c) {
      if (trainer.names_[trainer.present_[c]] == trainer.positive_) column_ = c;
    }
  }

  void add(const LinearClassifier& classifier, std::int32_t fold) {
    const LabelledRows& own = trainer_.own_;
    std::vector<Index> rows;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < own.rows.size(); ++i) {
      if (fold_of_[i] != fold) continue;
      rows.push_back(own.rows[i]);
      places.push_back(i);
    }
    const auto scores = class_scores(trainer_.execution_, trainer_.left_, classifier, rows);
    const auto found = largest_classes(classifier, scores);
    for (std::size_t k = 0; k < places.size(); ++k) {
      truth_.push_back(own.classes[places[k]]);
      predicted_.push_back(found[k]);
      if (!ranks()) continue;
      const std::int32_t positive = trainer_.present_[column_];
      ranked_.rows.push_back(rows[k]);
      ranked_.groups.push_back(own.groups[places[k]]);
      ranked_.scores.push_back(scores[k * trainer_.present_.size() + column_]);
      ranked_.relevant.push_back(truth_.back() == positive ? 1 : 0);
      ranked_.predicted.push_back(found[k] == positive ? 1 : 0);
    }
  }

  // Collective.
  void score(ValidatedCost& result) const {
    const Communicator& communicator = trainer_.execution_.communicator;
    result.confusion = confusion_of(communicator, static_cast<Index>(trainer_.names_.size()), truth_, predicted_);
    if (ranks()) result.ranking = rank_groups(communicator, "cross-validation", ranked_);
  }

 private:
  [[nodiscard]] bool ranks() const { return column_ < trainer_.present_.size(); }

  const SvmTrainer& trainer_;
  std::span<const std::int32_t> fold_of_;  // of own rows
  std::size_t column_;                     // index of the positive label in the scores; one past the end: no ranking
  std::vector<std::int32_t> truth_, predicted_;
  RankedRows ranked_;
};

template <class T>
SvmTrainer<T>::SvmTrainer(const Execution& execution, const Factor<T>& left, LabelledRows rows,
                          const std::vector<std::string>& class_names, SvmOptions options, const std::string& positive)
    : execution_(execution),
      left_(left),
      own_(std::move(rows)),
      names_(class_names),
      options_(std::move(options)),
      positive_(positive),
      features_(rows_of(execution, left, own_.rows, options_)),
      rows_(replicate_on_nodes(execution.communicator, std::span<const Index>(own_.rows))),
      classes_(replicate_on_nodes(execution.communicator, std::span<const std::int32_t>(own_.classes))),
      sizes_(class_names.size(), 0) {
  if (execution.communicator.maximum(std::ssize(own_.groups)) > 0) {
    std::vector<Index> numbers;
    for (const std::string& group : own_.groups) numbers.push_back(static_cast<Index>(hash_text(group, 0)));
    groups_ = replicate_on_nodes(execution.communicator, std::span<const Index>(numbers));
  }
  for (const std::int32_t its : classes_.values()) ++sizes_[its];
  for (std::size_t c = 0; c < sizes_.size(); ++c) {
    if (sizes_[c] > 0) present_.push_back(static_cast<std::int32_t>(c));
  }
  if (present_.empty()) throw Error(ErrorKind::input, "there is no labelled row to train on");
  if (present_.size() == 1) {
    throw Error(ErrorKind::input, fmt::format("all {} rows to train on have the label '{}': there is nothing to learn",
                                              rows_.size(), names_[present_.front()]));
  }
}

template <class T>
void SvmTrainer<T>::require_two_of_each() const {
  for (const std::int32_t c : present_) {
    if (sizes_[c] > 1) continue;
    const std::span<const std::int32_t> all = classes_.values();
    const auto place = std::find(all.begin(), all.end(), c) - all.begin();
    throw Error(
        ErrorKind::input,
        fmt::format("the class '{}' has one row to train on, row {}: cross-validation cannot both learn and test "
                    "it; give a single {}, or other rows",
                    names_[c], rows_[place], options_.keys("cost")));
  }
}

template <class T>
std::vector<std::int32_t> SvmTrainer<T>::dealt_folds(FoldOrder order, Index folds, std::uint64_t seed) const {
  const FoldRows all{classes_.values(), rows_.values(), groups_.values()};
  return deal_folds(order, all, names_, folds, seed, options_.keys);
}

template <class T>
std::vector<ValidatedCost> SvmTrainer<T>::cross_validate(const std::string& name, std::span<const double> costs,
                                                         Index folds, std::uint64_t seed, FoldOrder fold_order) const {
  require_two_of_each();
  const Communicator& communicator = execution_.communicator;
  NodeArray<std::int32_t> fold_of(communicator, classes_.size());
  collectively(communicator, [&] {
    if (!fold_of.node().is_root()) return;
    const std::vector<std::int32_t> dealt = dealt_folds(fold_order, folds, seed);
    std::copy(dealt.begin(), dealt.end(), fold_of.writable().begin());
  });
  fold_of.publish();
  std::vector<std::size_t> order(costs.size());  // longest job first
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return costs[a] > costs[b]; });
  std::vector<SvmJob> jobs;
  for (const std::size_t k : order) {
    for (std::int32_t fold = 0; fold < folds; ++fold) add_jobs(fold, costs[k], jobs);
  }
  const SvmPlanes planes(execution_, name, *features_, classes_.values(), fold_of.values(), std::move(jobs), options_);

  Phases::Scope phase = execution_.phases.enter("validate");
  // Own rows are contiguous in the order of all rows.
  const Index begin = communicator.size() == 1
                          ? 0
                          : std::lower_bound(rows_.values().begin(), rows_.values().end(),
                                             own_.rows.empty() ? left_.range().begin : own_.rows.front()) -
                                rows_.values().begin();
  std::vector<ValidatedCost> result(costs.size());
  Index next = 0;
  for (const std::size_t k : order) {
    HeldOut held_out(*this, fold_of.values().subspan(begin));
    result[k].cost = costs[k];
    for (std::int32_t fold = 0; fold < folds; ++fold) {
      std::vector<Index> numbers(this->planes());
      std::iota(numbers.begin(), numbers.end(), next);
      next += static_cast<Index>(numbers.size());
      const LinearClassifier classifier = classifier_of(planes.gather(numbers));
      result[k].stopped += classifier.stopped;
      held_out.add(classifier, fold);
    }
    held_out.score(result[k]);
  }
  return result;
}

template <class T>
LinearClassifier SvmTrainer<T>::train(const std::string& name, double cost) const {
  std::vector<SvmJob> jobs;
  add_jobs(-1, cost, jobs);
  std::vector<Index> numbers(jobs.size());
  std::iota(numbers.begin(), numbers.end(), Index{0});
  const SvmPlanes planes(execution_, name, *features_, classes_.values(), {}, std::move(jobs), options_);
  return classifier_of(planes.gather(numbers));
}

std::vector<std::string> fold_notices(const std::vector<std::string>& labels, const std::vector<Index>& sizes,
                                      Index folds) {
  std::vector<std::string> sentences;
  for (std::size_t c = 0; c < labels.size(); ++c) {
    if (sizes[c] == 0 || sizes[c] >= folds) continue;
    sentences.push_back(
        fmt::format("the class '{}' has {} rows to train on, fewer than the {} folds: some folds do not test it",
                    labels[c], sizes[c], folds));
  }
  return first_sentences(std::move(sentences));
}

template class SvmTrainer<float>;
template class SvmTrainer<double>;

}  // namespace cairn
