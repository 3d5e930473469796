#include "cairn/evaluation/near_check.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "cairn/approximation/error/entry_squares.hpp"
#include "cairn/approximation/error/ratio_estimate.hpp"
#include "cairn/approximation/nearest_objects.hpp"
#include "cairn/evaluation/row_sample.hpp"
#include "cairn/similarity/columns.hpp"

namespace cairn {

namespace {

// Columns of K in double precision. Local.
template <class T>
RowBlock<double> widened(const RowBlock<T>& block, int rank) {
  RowBlock<double> wide(block.partition(), rank, block.columns());
  std::copy_n(block.local().data, block.range().size() * block.columns(), wide.local().data);
  return wide;
}

ErrorEstimate error_of(const Communicator& communicator, const RowBlock<double>& exact,
                       const RowBlock<double>& approximate) {
  const auto columns = static_cast<std::size_t>(exact.columns());
  std::vector<double> sums(3 * columns, 0.0);
  double largest = 0.0, largest_value = 0.0;
  for (Index i = exact.range().begin; i < exact.range().end; ++i) {
    for (const double value : exact.row(i)) largest_value = std::max(largest_value, std::abs(value));
  }
  const double factor = factor_for_squares(communicator.maximum(largest_value));
  for (Index i = exact.range().begin; i < exact.range().end; ++i) {
    const auto values = exact.row(i), others = approximate.row(i);
    for (std::size_t c = 0; c < columns; ++c) {
      const double value = factor * values[c], error = factor * others[c] - value;
      sums[c] += error * error;
      sums[columns + c] += value * value;
      sums[2 * columns + c] += value;
      largest = std::max(largest, std::abs(error) / factor);
    }
  }
  communicator.sum(std::span(sums));
  const auto n = static_cast<double>(exact.rows());
  Stratum stratum{{}, n, false};
  for (std::size_t c = 0; c < columns; ++c) {
    stratum.units.push_back({sums[c], sums[columns + c], sums[2 * columns + c], ErrorEstimate::unknown});
  }
  ErrorEstimate estimate = estimate_ratio(std::span(&stratum, 1), n * n);
  estimate.largest_entry_error = communicator.maximum(largest);
  if (exact.columns() == exact.rows()) estimate.stopped_by = StoppedBy::all;
  return estimate;
}

// The nearest objects of each column, without the object of the column itself.
std::vector<std::vector<Neighbor>> nearest_others(const Communicator& communicator, const RowBlock<double>& columns,
                                                  const std::vector<Index>& picks, std::size_t k, Meaning meaning) {
  auto lists = nearest_of_columns(communicator, columns, k + 1, meaning);
  for (std::size_t c = 0; c < picks.size(); ++c) {
    std::erase_if(lists[c], [&](const Neighbor& neighbor) { return neighbor.object == picks[c]; });
    lists[c].resize(std::min(lists[c].size(), k));
  }
  return lists;
}

// Counts this rank's objects that are among the true nearest of the columns' objects.
class TrueNearest {
 public:
  TrueNearest(const Communicator& communicator, const RowBlock<double>& exact, const std::vector<Index>& picks,
              std::size_t k, Meaning meaning)
      : communicator_(communicator), exact_(exact), picks_(picks), k_(k), sign_(meaning == Meaning::distance ? 1 : -1) {
    for (const auto& list : nearest_others(communicator, exact, picks, k, meaning)) {
      farthest_.push_back(sign_ * list.back().value);
    }
  }

  // Share of the true nearest that is in the lists, equal on every rank. Collective.
  [[nodiscard]] double share(const std::vector<std::vector<Neighbor>>& lists) const {
    std::vector<Index> hits(picks_.size(), 0);
    for (std::size_t c = 0; c < picks_.size(); ++c) {
      for (const Neighbor& neighbor : lists[c]) count(neighbor.object, c, hits);
    }
    return share_of(hits);
  }
  // Share of the true nearest whose entries are in S. Collective.
  template <class T>
  [[nodiscard]] double share(const NearEntries<T>& near) const {
    std::vector<Index> hits(picks_.size(), 0);
    for (Index i = exact_.range().begin; i < exact_.range().end; ++i) {
      const auto columns = near.rows.row(i).columns;
      for (std::size_t c = 0; c < picks_.size(); ++c) {
        if (std::ranges::binary_search(columns, picks_[c])) count(i, c, hits);
      }
    }
    return share_of(hits);
  }

 private:
  void count(Index object, std::size_t column, std::vector<Index>& hits) const {
    if (object == picks_[column] || !exact_.range().contains(object)) return;
    if (sign_ * exact_.row(object)[column] <= farthest_[column]) ++hits[column];
  }
  [[nodiscard]] double share_of(std::vector<Index>& hits) const {
    communicator_.sum(std::span(hits));
    double total = 0.0;  // hits are capped at k, as ties may exceed it
    for (const Index own : hits) total += static_cast<double>(std::min(own, static_cast<Index>(k_)));
    return total / static_cast<double>(k_ * picks_.size());
  }

  const Communicator& communicator_;
  const RowBlock<double>& exact_;
  const std::vector<Index>& picks_;
  std::size_t k_;
  double sign_;
  std::vector<double> farthest_;  // per column: sign * K of the last of the nearest
};

}  // namespace

template <class T>
NearCheck check_near_entries(const Execution& execution, const Approximation<T>& approximation,
                             const NearEntries<T>& near, const Similarity<T>& similarity, const ObjectSet& objects) {
  const Communicator& communicator = execution.communicator;
  const Index n = objects.size();
  const RowSample sample(n, std::min(n, near_check_rows), execution.seed, {});
  const std::vector<Index> picks = sample.part(0, sample.count());
  const auto picked = objects.gather(communicator, picks);
  const RowBlock<double> exact = widened(
      evaluate_columns(execution, similarity, objects, *picked, "near check", "near-check", OtherDistances::not_kept),
      communicator.rank());
  const auto phase = execution.phases.enter("near check");
  RowBlock<double> values = approximate_columns(execution, approximation, picks);
  const auto k = static_cast<std::size_t>(near.near);
  const TrueNearest truth(communicator, exact, picks, k, approximation.meaning);
  NearCheck check{
      .rows = sample.count(),
      .found = truth.share(near),
      .found_by_factors = truth.share(nearest_others(communicator, values, picks, k, approximation.meaning)),
      .error = {},
      .factor_error = error_of(communicator, exact, values)};
  add_near_columns(near, picks, values);
  check.error = error_of(communicator, exact, values);
  return check;
}

template NearCheck check_near_entries(const Execution&, const Approximation<float>&, const NearEntries<float>&,
                                      const Similarity<float>&, const ObjectSet&);
template NearCheck check_near_entries(const Execution&, const Approximation<double>&, const NearEntries<double>&,
                                      const Similarity<double>&, const ObjectSet&);

}  // namespace cairn
