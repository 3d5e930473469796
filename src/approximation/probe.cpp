#include "approximation/probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "approximation/entry_comparison.hpp"
#include "approximation/fetch_rows.hpp"
#include "approximation/ratio_estimate.hpp"
#include "base/collective_guard.hpp"
#include "base/error.hpp"
#include "landmark/weighted_draws.hpp"

namespace cairn {

namespace {

constexpr std::uint64_t address_of_row = 1, address_of_column = 2;  // second addresses; 0 draws by weight

constexpr Index ceil_divide(Index a, Index b) { return (a + b - 1) / b; }

void require_enough(Index pairs, Index n) {
  if (pairs >= 2 || n == 1) return;
  throw Error(ErrorKind::usage, "evaluation.pairs is " + std::to_string(pairs) +
                                    "; an error with a standard error needs at least 2 pairs");
}

// `count` entries in equal runs, of which each rank takes a contiguous share.
EntryRuns shared_runs(const Communicator& communicator, Index count, std::function<EntryList(Range)> entries) {
  const Index length = std::max<Index>(64, ceil_divide(count, 4096));
  const Index total = ceil_divide(count, length);
  const Range own{total * communicator.rank() / communicator.size(),
                  total * (communicator.rank() + 1) / communicator.size()};
  return {count, length, total, own, std::move(entries)};
}

// The whole diagonal, in the units of the partition: every rank takes its own.
EntryRuns diagonal_runs(const ObjectSet& objects) {
  const Index n = objects.size(), unit = RowPartition::unit(n);
  const Range own{ceil_divide(objects.range().begin, unit), ceil_divide(objects.range().end, unit)};
  return {n,
          unit,
          ceil_divide(n, unit),
          own,
          [](Range numbers) {
            std::vector<Index> ids(static_cast<std::size_t>(numbers.size()));
            std::iota(ids.begin(), ids.end(), numbers.begin);
            return EntryList{ids, ids};
          },
          true};
}

std::pair<Index, Index> uniform_pair(const Random& random, Index n, Index number) {
  const auto address = static_cast<std::uint64_t>(number);
  const Index i = random.below(n, address, address_of_row);
  const Index other = random.below(n - 1, address, address_of_column);
  return {i, other < i ? other : other + 1};
}

std::vector<double> ones(const EntryList& entries, const std::vector<double>& /*errors*/) {
  return std::vector<double>(entries.rows.size(), 1.0);
}

ErrorEstimate estimate_from(std::span<const Stratum> strata, double largest_error) {
  ErrorEstimate estimate = estimate_ratio(strata);
  estimate.largest_entry_error = largest_error;
  estimate.pairs = static_cast<Index>(strata[0].sums.units());
  estimate.diagonal = static_cast<Index>(strata[1].sums.units());
  return estimate;
}

// |K~ - K| on the diagonal, n x 1.
template <class T>
RowBlock<double> compare_diagonal(const Execution& execution, EntryComparison<T>& comparison, const ObjectSet& objects,
                                  RatioSums& sums) {
  RowBlock<double> residual = collectively(
      execution.communicator, [&] { return RowBlock<double>(objects.partition(), execution.communicator.rank(), 1); });
  sums =
      comparison.compare("probe-diagonal", diagonal_runs(objects), [&](const EntryList& entries, const auto& errors) {
        for (std::size_t a = 0; a < errors.size(); ++a) residual.row(entries.rows[a])[0] = std::abs(errors[a]);
        return ones(entries, errors);
      });
  return residual;
}

// Pairs that were drawn by residual, and the density with which they were.
struct PairsByResidual {
  std::vector<std::pair<Index, Index>> pairs;
  double total = 0.0;     // of the residual
  double distinct = 1.0;  // probability that the two of a pair differ

  [[nodiscard]] double density(double first, double second) const {
    return first / total * (second / total) / distinct;
  }
};

// At most `count`: those whose two objects are one are left out.
PairsByResidual draw_pairs(const Communicator& communicator, const RowBlock<double>& residual, Index count,
                           const Random& random) {
  const auto own = residual.local();
  const std::span<const double> weights(own.data, static_cast<std::size_t>(own.rows));
  const std::vector<Index> drawn = draw_by_weight(communicator, residual.partition(), weights, 2 * count, random, 0);
  PairsByResidual result;
  result.total = communicator.sum(std::accumulate(weights.begin(), weights.end(), 0.0));
  double squares = 0.0;
  for (const double weight : weights) squares += weight / result.total * (weight / result.total);
  result.distinct = 1.0 - communicator.sum(squares);
  result.pairs.reserve(drawn.size() / 2);
  for (std::size_t a = 0; a + 1 < drawn.size(); a += 2) {
    if (drawn[a] != drawn[a + 1]) result.pairs.emplace_back(drawn[a], drawn[a + 1]);
  }
  return result;
}

// The pairs follow the residual, whose rounding may differ in a run that goes on from a ledger: values that it kept are
// those of these pairs alone.
std::string name_of(const PairsByResidual& drawn) {
  std::uint64_t digest = 0xcbf29ce484222325U;  // FNV-1a
  for (const auto& [row, column] : drawn.pairs) {
    for (const Index id : {row, column}) digest = (digest ^ static_cast<std::uint64_t>(id)) * 0x100000001b3U;
  }
  return fmt::format("probe-pairs-{:016x}", digest);
}

// Half of the pairs by residual, the others uniform.
template <class T>
RatioSums compare_pairs(const Execution& execution, EntryComparison<T>& comparison, const RowBlock<double>& residual,
                        Index pairs) {
  const Communicator& communicator = execution.communicator;
  const Index n = residual.rows();
  const Random random(execution.seed, Stream::probe);
  const PairsByResidual drawn = draw_pairs(communicator, residual, pairs / 2, random);
  const auto by_residual = static_cast<Index>(drawn.pairs.size());
  const Index uniform = pairs - by_residual;
  const auto entries = [&](Range numbers) {
    EntryList list;
    for (Index p = numbers.begin; p < numbers.end; ++p) {
      const auto [row, column] =
          p < uniform ? uniform_pair(random, n, p) : drawn.pairs[static_cast<std::size_t>(p - uniform)];
      list.rows.push_back(row);
      list.columns.push_back(column);
    }
    return list;
  };
  const double share = static_cast<double>(uniform) / static_cast<double>(pairs);
  const double uniform_density = 1.0 / (static_cast<double>(n) * (static_cast<double>(n) - 1.0));
  const auto weigh = [&](const EntryList& list, const std::vector<double>& errors) {
    if (by_residual == 0) return ones(list, errors);
    const auto first = fetch_rows(communicator, residual, list.rows);
    const auto second = fetch_rows(communicator, residual, list.columns);
    std::vector<double> weights(list.rows.size());
    for (Index a = 0; a < static_cast<Index>(weights.size()); ++a) {
      const double density = share * uniform_density + (1.0 - share) * drawn.density(first[a], second[a]);
      weights[static_cast<std::size_t>(a)] = uniform_density / density;
    }
    return weights;
  };
  return comparison.compare(name_of(drawn), shared_runs(communicator, pairs, entries), weigh);
}

template <class T, class Measure>
ErrorEstimate in_phase(const Execution& execution, const Similarity<T>& similarity, Measure measure) {
  auto phase = execution.phases.enter("probe");
  const Index before = similarity.evaluations();
  ErrorEstimate estimate = measure();
  const Index evaluations = similarity.evaluations() - before;
  estimate.evaluations = execution.communicator.sum(evaluations);
  phase.count_evaluations(evaluations);
  return estimate;
}

}  // namespace

Index default_probe_pairs(Index evaluations) { return std::clamp<Index>(evaluations / 200, 10'000, 1'000'000); }

template <class T>
ErrorEstimate probe_error(const Execution& execution, const Approximation<T>& approximation,
                          const Similarity<T>& similarity, const ObjectSet& objects, Index pairs) {
  const Index n = objects.size();
  require_enough(pairs, n);
  return in_phase(execution, similarity, [&] {
    EntryComparison<T> comparison(execution, approximation, similarity, objects);
    const auto entries = static_cast<double>(n);
    Stratum strata[] = {{{}, entries * (entries - 1.0), true}, {{}, entries, false}};
    const RowBlock<double> residual = compare_diagonal(execution, comparison, objects, strata[1].sums);
    if (n > 1) strata[0].sums = compare_pairs(execution, comparison, residual, pairs);
    return estimate_from(strata, comparison.largest_error());
  });
}

template <class T>
ErrorEstimate validation_error(const Execution& execution, const Approximation<T>& approximation,
                               const Similarity<T>& similarity, const ObjectSet& objects, Index pairs) {
  const Communicator& communicator = execution.communicator;
  const Index n = objects.size();
  require_enough(pairs, n);
  const Random random(execution.seed, Stream::validation_probe);
  const std::vector<Index> diagonal = sample_without_replacement(n, std::min(n, validation_diagonal_entries), random);
  const auto diagonal_entries = [&](Range numbers) {
    const std::vector<Index> ids(diagonal.begin() + numbers.begin, diagonal.begin() + numbers.end);
    return EntryList{ids, ids};
  };
  const auto pair_entries = [&](Range numbers) {
    EntryList list;
    for (Index p = numbers.begin; p < numbers.end; ++p) {
      const auto [row, column] = uniform_pair(random, n, p);
      list.rows.push_back(row);
      list.columns.push_back(column);
    }
    return list;
  };
  return in_phase(execution, similarity, [&] {
    EntryComparison<T> comparison(execution, approximation, similarity, objects);
    const auto entries = static_cast<double>(n);
    const auto taken = static_cast<Index>(diagonal.size());
    const Stratum strata[] = {
        {comparison.compare("validation-pairs", shared_runs(communicator, n > 1 ? pairs : 0, pair_entries), ones),
         entries * (entries - 1.0), true},
        {comparison.compare("validation-diagonal", shared_runs(communicator, taken, diagonal_entries), ones), entries,
         false}};
    return estimate_from(strata, comparison.largest_error());
  });
}

#define CAIRN_INSTANTIATE(T)                                                                               \
  template ErrorEstimate probe_error(const Execution&, const Approximation<T>&, const Similarity<T>&,      \
                                     const ObjectSet&, Index);                                             \
  template ErrorEstimate validation_error(const Execution&, const Approximation<T>&, const Similarity<T>&, \
                                          const ObjectSet&, Index);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn
