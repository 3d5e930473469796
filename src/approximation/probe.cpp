#include "approximation/probe.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "approximation/ratio_estimate.hpp"
#include "base/collective_guard.hpp"
#include "base/error.hpp"
#include "base/progress.hpp"
#include "base/random.hpp"
#include "base/watchdog.hpp"

namespace cairn {

namespace {

constexpr Index most_diagonal_entries = 1000;
constexpr Index gathered_bytes = Index{64} << 20;  // objects that a rank holds at once
constexpr Index batch_entries = Index{1} << 20;    // of K~ at once: rows of L J that entries share are computed once

constexpr Index ceil_divide(Index a, Index b) { return (a + b - 1) / b; }

// Sums are taken over runs of this many entries and added in global order, so that they do not depend on the ranks.
Index run_length(Index entries) { return std::max<Index>(64, ceil_divide(entries, 4096)); }

// Entries (rows[a], columns[a]) of K.
struct EntryList {
  std::vector<Index> rows;
  std::vector<Index> columns;
};

// Bytes of object 0, which stand for those of any object.
Index object_bytes(const Communicator& communicator, const ObjectSet& objects) {
  const bool mine = objects.range().contains(0);
  const auto bytes = collectively(communicator, [&] {
    return mine ? static_cast<Index>(objects.pack({0, 1}).size()) : Index{0};
  });
  return std::max<Index>(1, communicator.maximum(bytes));
}

template <class T>
class Probe {
 public:
  Probe(const Execution& execution, const Approximation<T>& approximation, const Similarity<T>& similarity,
        const ObjectSet& objects)
      : execution_(execution),
        approximation_(approximation),
        similarity_(similarity),
        objects_(objects),
        gathered_pairs_(std::clamp<Index>(gathered_bytes / (2 * object_bytes(execution.communicator, objects)), 1,
                                          batch_entries)) {}

  // Sums over the entries entry(0) .. entry(count - 1), the same on every rank. Collective.
  template <class Entry>
  RatioSums measure(const std::string& loop, Index count, Entry entry);

  // Over all entries that this rank measured.
  [[nodiscard]] double largest_error() const { return largest_error_; }

 private:
  template <class Entry>
  std::vector<RatioSums> measure_runs(Range runs, Index length, Index count, Entry entry);
  std::vector<T> evaluate(Range runs, Index length, const EntryList& entries);
  std::vector<T> evaluate(const EntryList& entries);

  const Execution& execution_;
  const Approximation<T>& approximation_;
  const Similarity<T>& similarity_;
  const ObjectSet& objects_;
  Index gathered_pairs_;
  double largest_error_ = 0.0;
};

// Each rank takes a contiguous share of the runs and goes through it in batches; all ranks make the same number of
// steps because objects and factor rows are fetched collectively.
template <class T>
template <class Entry>
RatioSums Probe<T>::measure(const std::string& loop, Index count, Entry entry) {
  const Communicator& communicator = execution_.communicator;
  const Index length = std::min(run_length(count), batch_entries);
  const Index runs = ceil_divide(count, length);
  const Index runs_a_batch = batch_entries / length;
  const Range own{runs * communicator.rank() / communicator.size(),
                  runs * (communicator.rank() + 1) / communicator.size()};
  const Index steps = ceil_divide(ceil_divide(runs, communicator.size()), runs_a_batch);
  execution_.ledger.begin(loop.c_str(), runs);
  Progress progress(loop, own.size(), communicator.is_root());
  std::vector<RatioSums> sums;
  for (Index step = 0; step < steps; ++step) {
    const Range batch{std::min(own.begin + step * runs_a_batch, own.end),
                      std::min(own.begin + (step + 1) * runs_a_batch, own.end)};
    const std::vector<RatioSums> batch_sums = measure_runs(batch, length, count, entry);
    sums.insert(sums.end(), batch_sums.begin(), batch_sums.end());
    progress.advance(batch.size());
    Watchdog::beat();
  }
  RatioSums total;
  for (const RatioSums& run : communicator.all_gather(sums)) total.add(run);
  return total;
}

template <class T>
template <class Entry>
std::vector<RatioSums> Probe<T>::measure_runs(Range runs, Index length, Index count, Entry entry) {
  EntryList entries;
  for (Index p = runs.begin * length; p < std::min(runs.end * length, count); ++p) {
    const auto [row, column] = entry(p);
    entries.rows.push_back(row);
    entries.columns.push_back(column);
  }
  const std::vector<T> exact = evaluate(runs, length, entries);
  const std::vector<double> approximate =
      approximate_entries(execution_, approximation_, entries.rows, entries.columns);
  std::vector<RatioSums> sums(static_cast<std::size_t>(runs.size()));
  for (std::size_t a = 0; a < exact.size(); ++a) {
    const auto value = static_cast<double>(exact[a]);
    const double error = approximate[a] - value;
    sums[a / static_cast<std::size_t>(length)].add(error * error, value * value);
    largest_error_ = std::max(largest_error_, std::abs(error));
  }
  return sums;
}

// The entries of K; runs that the ledger has are not evaluated again.
template <class T>
std::vector<T> Probe<T>::evaluate(Range runs, Index length, const EntryList& entries) {
  std::vector<T> values(entries.rows.size());
  const auto size = static_cast<Index>(values.size());
  const auto run_values = [&](Index run) {
    const Index begin = (run - runs.begin) * length;
    return std::span(values).subspan(static_cast<std::size_t>(begin),
                                     static_cast<std::size_t>(std::min(length, size - begin)));
  };
  std::vector<Index> missing;
  EntryList wanted;
  collectively(execution_.communicator, [&] {
    for (Index run = runs.begin; run < runs.end; ++run) {
      const auto target = run_values(run);
      if (execution_.ledger.get(run, std::as_writable_bytes(target))) continue;
      missing.push_back(run);
      const auto offset = target.data() - values.data();
      const auto length_here = static_cast<std::ptrdiff_t>(target.size());
      wanted.rows.insert(wanted.rows.end(), entries.rows.begin() + offset, entries.rows.begin() + offset + length_here);
      wanted.columns.insert(wanted.columns.end(), entries.columns.begin() + offset,
                            entries.columns.begin() + offset + length_here);
    }
  });
  const std::vector<T> evaluated = evaluate(wanted);
  collectively(execution_.communicator, [&] {
    auto next = evaluated.begin();
    for (const Index run : missing) {
      const auto target = run_values(run);
      std::copy_n(next, target.size(), target.begin());
      next += static_cast<std::ptrdiff_t>(target.size());
      execution_.ledger.put(run, std::as_bytes(target));
    }
  });
  return values;
}

// In pieces whose objects fit into the memory that is set aside for them; as many on every rank. Collective.
template <class T>
std::vector<T> Probe<T>::evaluate(const EntryList& entries) {
  const Communicator& communicator = execution_.communicator;
  const auto size = static_cast<Index>(entries.rows.size());
  std::vector<T> values(entries.rows.size());
  const Index pieces = communicator.maximum(ceil_divide(size, gathered_pairs_));
  for (Index piece = 0; piece < pieces; ++piece) {
    const auto begin = static_cast<std::size_t>(std::min(piece * gathered_pairs_, size));
    const auto count = static_cast<std::size_t>(std::min(gathered_pairs_, size - static_cast<Index>(begin)));
    const auto first = objects_.gather(communicator, std::span(entries.rows).subspan(begin, count));
    const auto second = objects_.gather(communicator, std::span(entries.columns).subspan(begin, count));
    collectively(communicator, [&] { similarity_.pairs(*first, *second, std::span(values).subspan(begin, count)); });
    Watchdog::beat();
  }
  return values;
}

}  // namespace

Index default_probe_pairs(Index evaluations) { return std::clamp<Index>(evaluations / 200, 10'000, 1'000'000); }

template <class T>
ErrorEstimate probe_error(const Execution& execution, const Approximation<T>& approximation,
                          const Similarity<T>& similarity, const ObjectSet& objects, Index pairs, Stream stream) {
  const Index n = objects.size();
  if (pairs < 2 && n > 1) {
    throw Error(ErrorKind::usage, "evaluation.pairs is " + std::to_string(pairs) +
                                      "; an error with a standard error needs at least 2 pairs");
  }
  const Index drawn = n > 1 ? pairs : 0;
  auto phase = execution.phases.enter("probe");
  const Index evaluations_before = similarity.evaluations();
  const Random random(execution.seed, stream);
  const std::vector<Index> diagonal = sample_without_replacement(n, std::min(n, most_diagonal_entries), random);
  Probe<T> probe(execution, approximation, similarity, objects);
  const std::string loop = "probe-" + std::to_string(static_cast<std::uint64_t>(stream));

  // Second addresses 1 and 2: address 0 drew the diagonal.
  const auto off_diagonal_entry = [&](Index p) {
    const auto address = static_cast<std::uint64_t>(p);
    const Index i = random.below(n, address, 1);
    const Index other = random.below(n - 1, address, 2);
    return std::pair(i, other < i ? other : other + 1);
  };
  const auto diagonal_entry = [&](Index p) {
    const Index i = diagonal[static_cast<std::size_t>(p)];
    return std::pair(i, i);
  };
  const auto size = static_cast<double>(n);
  const Stratum strata[] = {
      {probe.measure(loop + "-pairs", drawn, off_diagonal_entry), size * (size - 1.0), true},
      {probe.measure(loop + "-diagonal", static_cast<Index>(diagonal.size()), diagonal_entry), size, false}};

  ErrorEstimate estimate = estimate_ratio(strata);
  estimate.largest_entry_error = execution.communicator.maximum(probe.largest_error());
  estimate.pairs = drawn;
  estimate.diagonal = static_cast<Index>(diagonal.size());
  const Index evaluations = similarity.evaluations() - evaluations_before;
  estimate.evaluations = execution.communicator.sum(evaluations);
  phase.count_evaluations(evaluations);
  return estimate;
}

template ErrorEstimate probe_error(const Execution&, const Approximation<float>&, const Similarity<float>&,
                                   const ObjectSet&, Index, Stream);
template ErrorEstimate probe_error(const Execution&, const Approximation<double>&, const Similarity<double>&,
                                   const ObjectSet&, Index, Stream);

}  // namespace cairn
