// How well the probe knows the error of many approximations of one matrix.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "cairn/approximation/error/probe.hpp"
#include "cairn/similarity/columns.hpp"
#include "test_communicator.hpp"

namespace cairn::test {

/// Keeps all of K (n² / ranks values) and compares what the probe estimates with the true error, entry by entry.
template <class T>
class ProbeStudy {
 public:
  using Approximate = std::function<Approximation<T>(const Execution&)>;

  /// @param effort  of a probe. `similarity` and `objects` outlive the study. Collective.
  ProbeStudy(const Similarity<T>& similarity, const ObjectSet& objects, const EstimateEffort& effort)
      : similarity_(similarity), objects_(objects), effort_(effort), all_(static_cast<std::size_t>(objects.size())) {
    std::iota(all_.begin(), all_.end(), Index{0});
    Context context;
    const auto columns = objects.gather(world(), all_);
    matrix_ = evaluate_columns(context.execution, similarity, objects, *columns, "study", "study");
  }

  /// Makes an approximation with `seed`, probes it with the same seed and notes both errors. Collective.
  void add(std::uint64_t seed, const Approximate& approximate) {
    Context context;
    context.execution.seed = seed;
    const Approximation<T> approximation = approximate(context.execution);
    add(seed, approximation, true_error(context.execution, approximation));
  }

  /// Probes an approximation of the error `truth`. Collective.
  void add(std::uint64_t seed, const Approximation<T>& approximation, double truth) {
    Context context;
    context.execution.seed = seed;
    const ErrorEstimate estimate = probe_error(context.execution, approximation, similarity_, objects_, effort_);
    compared_ += static_cast<double>(estimate.pairs);
    objects_compared_ += static_cast<double>(estimate.diagonal);
    ++runs_;
    const auto [low, high] = estimate.interval();
    within_ += low <= (1 + 1e-14) * truth && truth <= (1 + 1e-14) * high ? 1 : 0;
    const double half_width = (high - low) / 2;
    if (half_width > 0) worst_ = std::max(worst_, std::abs(estimate.relative_error - truth) / half_width);
    ratio_ += estimate.relative_error / truth;
    relative_standard_error_ += estimate.relative_error_standard_error / estimate.relative_error;
    sum_ += estimate.relative_error;
    squares_ += estimate.relative_error * estimate.relative_error;
    standard_error_ += estimate.relative_error_standard_error;
  }

  /// Share of runs whose true error lies within the interval.
  [[nodiscard]] double coverage() const { return within_ / runs_; }
  /// Largest distance of an estimate from the truth, over half the width of its interval.
  [[nodiscard]] double worst() const { return worst_; }
  /// Mean of estimate / truth, minus 1.
  [[nodiscard]] double bias() const { return ratio_ / runs_ - 1.0; }
  /// Mean of standard error / estimate.
  [[nodiscard]] double relative_standard_error() const { return relative_standard_error_ / runs_; }
  /// Means of the pairs and of the objects that were compared.
  [[nodiscard]] double pairs() const { return compared_ / runs_; }
  [[nodiscard]] double objects() const { return objects_compared_ / runs_; }
  /// Mean of the standard errors, and the spread of the estimates; of one approximation they are to agree.
  [[nodiscard]] double standard_error() const { return standard_error_ / runs_; }
  [[nodiscard]] double spread() const { return std::sqrt((squares_ - sum_ * sum_ / runs_) / (runs_ - 1.0)); }

  /// ||K~ - K||_F / ||K||_F over all entries. Collective.
  [[nodiscard]] double true_error(const Execution& execution, const Approximation<T>& approximation) const {
    const RowBlock<double> approximate = approximate_columns(execution, approximation, all_);
    double sums[] = {0.0, 0.0};
    for (Index x = matrix_.range().begin; x < matrix_.range().end; ++x) {
      for (std::size_t y = 0; y < all_.size(); ++y) {
        const auto value = static_cast<double>(matrix_.row(x)[y]);
        sums[0] += (approximate.row(x)[y] - value) * (approximate.row(x)[y] - value);
        sums[1] += value * value;
      }
    }
    execution.communicator.sum(std::span<double>(sums));
    return std::sqrt(sums[0] / sums[1]);
  }

 private:
  const Similarity<T>& similarity_;
  const ObjectSet& objects_;
  EstimateEffort effort_;
  std::vector<Index> all_;
  RowBlock<T> matrix_;
  double compared_ = 0, objects_compared_ = 0;
  double runs_ = 0, within_ = 0, worst_ = 0, ratio_ = 0, relative_standard_error_ = 0, sum_ = 0, squares_ = 0,
         standard_error_ = 0;
};

}  // namespace cairn::test
