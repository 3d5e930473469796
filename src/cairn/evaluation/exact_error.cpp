#include "cairn/evaluation/exact_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cairn/approximation/error/entry_squares.hpp"
#include "cairn/approximation/error/ratio_estimate.hpp"
#include "cairn/base/progress.hpp"
#include "cairn/evaluation/row_sample.hpp"
#include "cairn/similarity/columns.hpp"

namespace cairn {

namespace {

constexpr Index most_rows_a_batch = 256;
constexpr Index batch_bytes = Index{256} << 20;  // K and K~ of a batch on one rank

// Squared norms of rows of K~ - K and of K, sums of the latter, and the largest error of an entry, over all ranks.
struct RowNorms {
  std::vector<Unit> rows;
  double largest_error = 0.0;
};

// The largest magnitude in both blocks. Collective.
template <class T>
double largest_in(const Communicator& communicator, const RowBlock<T>& exact, const RowBlock<double>& approximate) {
  double largest = 0.0;
  for (Index x = exact.range().begin; x < exact.range().end; ++x) {
    for (const T value : exact.row(x)) largest = std::max(largest, std::abs(static_cast<double>(value)));
    for (const double value : approximate.row(x)) largest = std::max(largest, std::abs(value));
  }
  return communicator.maximum(largest);
}

// Entries are first summed within a unit of the partition, so that rounding grows with the number of units, not with n.
// @param factor  factor of all entries
template <class T>
RowNorms compare(const Communicator& communicator, const RowBlock<T>& exact, const RowBlock<double>& approximate,
                 double factor) {
  const auto size = static_cast<std::size_t>(exact.columns());
  std::vector<double> totals(4 * size, 0.0);
  RowNorms norms;
  const Index unit = RowPartition::unit(exact.rows());
  const Range own = exact.range();
  for (Index begin = own.begin; begin < own.end; begin += unit) {
    std::vector<double> sums(4 * size, 0.0);
    for (Index x = begin; x < std::min(begin + unit, own.end); ++x) {
      const auto k = exact.row(x);
      const auto k_approximate = approximate.row(x);
      for (std::size_t r = 0; r < size; ++r) {
        const double value = factor * static_cast<double>(k[r]);
        const double error = factor * k_approximate[r] - value;
        sums[r] += error * error;
        sums[size + r] += value * value;
        sums[2 * size + r] += value;
        sums[3 * size + r] += error / value * (error / value);
        norms.largest_error = std::max(norms.largest_error, std::abs(error) / factor);
      }
    }
    for (std::size_t r = 0; r < 4 * size; ++r) totals[r] += sums[r];
  }
  communicator.sum(std::span(totals));
  norms.largest_error = communicator.maximum(norms.largest_error);
  for (std::size_t r = 0; r < size; ++r)
    norms.rows.push_back({totals[r], totals[size + r], totals[2 * size + r], totals[3 * size + r]});
  return norms;
}

}  // namespace

// The number that fits on the rank with most rows, which is the first rank.
Index compared_rows(const RowPartition& partition, Index number_bytes) {
  const Index bytes_a_row =
      std::max<Index>(1, partition.range(0).size()) * (number_bytes + static_cast<Index>(sizeof(double)));
  return std::clamp<Index>(batch_bytes / bytes_a_row, 1, most_rows_a_batch);
}

template <class T>
ErrorEstimate error_over_rows(const Execution& execution, const Approximation<T>& approximation,
                              const Similarity<T>& similarity, const ObjectSet& objects, Index rows,
                              const KeyNames& keys) {
  const Index n = objects.size();
  const RowSample sample(n, rows, execution.seed, keys);
  const Index count = sample.count();
  const Index evaluations_before = similarity.evaluations();
  const Index batch = compared_rows(objects.partition(), static_cast<Index>(sizeof(T)));
  Stratum stratum{{}, static_cast<double>(n), false};
  double largest_error = 0.0;
  std::optional<double> factor;  // factor of all entries
  Progress progress("evaluation rows", count, execution.communicator.is_root(), "rows/s");
  for (Index begin = 0; begin < count; begin += batch) {
    const std::vector<Index> picks = sample.part(begin, batch);
    const auto picked = objects.gather(execution.communicator, picks);
    // Other numbers of ranks may use other batches, which are other tiles.
    const std::string loop = fmt::format("evaluation-rows-{}-{}", begin, begin + static_cast<Index>(picks.size()));
    const RowBlock<T> exact =
        evaluate_columns(execution, similarity, objects, *picked, "evaluation", loop, OtherDistances::not_kept);
    const auto phase = execution.phases.enter("evaluation");  // evaluate_columns has already entered its own phase
    const RowBlock<double> approximate = approximate_columns(execution, approximation, picks);
    if (!factor) {  // rows of zeros do not determine the factor
      const double largest = largest_in(execution.communicator, exact, approximate);
      if (largest > 0.0) factor = factor_for_squares(largest);
    }
    const RowNorms norms = compare(execution.communicator, exact, approximate, factor.value_or(1.0));
    stratum.units.insert(stratum.units.end(), norms.rows.begin(), norms.rows.end());
    largest_error = std::max(largest_error, norms.largest_error);
    progress.advance(static_cast<Index>(picks.size()));
  }
  ErrorEstimate estimate = estimate_ratio(std::span(&stratum, 1), static_cast<double>(n) * static_cast<double>(n));
  if (count == n) estimate.stopped_by = StoppedBy::all;
  estimate.largest_entry_error = largest_error;
  estimate.pairs = count * (n - 1);
  estimate.diagonal = count;
  estimate.evaluations = execution.communicator.sum(similarity.evaluations() - evaluations_before);
  return estimate;
}

template ErrorEstimate error_over_rows(const Execution&, const Approximation<float>&, const Similarity<float>&,
                                       const ObjectSet&, Index, const KeyNames&);
template ErrorEstimate error_over_rows(const Execution&, const Approximation<double>&, const Similarity<double>&,
                                       const ObjectSet&, Index, const KeyNames&);

}  // namespace cairn
