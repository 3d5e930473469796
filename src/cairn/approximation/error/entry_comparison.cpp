#include "cairn/approximation/error/entry_comparison.hpp"

#include <algorithm>
#include <cmath>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/base/progress.hpp"
#include "cairn/data/packed_bytes.hpp"

namespace cairn {

namespace {

constexpr Index gathered_bytes = Index{64} << 20;  // objects that a rank holds at once
constexpr Index piece_entries = Index{1} << 16;    // entries of K between accesses to the ledger, where a run can stop

constexpr Index ceil_divide(Index a, Index b) { return (a + b - 1) / b; }

// Index range of the entries in a batch of runs.
Range entry_numbers(const EntryRuns& runs, Range batch) {
  return {std::min(batch.begin * runs.length, runs.count), std::min(batch.end * runs.length, runs.count)};
}

}  // namespace

Index gathered_pairs(Index object_bytes) {
  return std::clamp<Index>(gathered_bytes / (2 * object_bytes), 1, piece_entries);
}

EntryRuns shared_runs(const Communicator& communicator, const EntryList& entries) {
  const auto count = static_cast<Index>(entries.rows.size());
  const Index length = std::max<Index>(64, ceil_divide(count, 4096));
  const Index total = ceil_divide(count, length);
  const Range own{total * communicator.rank() / communicator.size(),
                  total * (communicator.rank() + 1) / communicator.size()};
  return {count, length, total, own, [&entries](Range numbers) {
            const auto part = [&](const std::vector<Index>& ids) {
              return std::vector<Index>(ids.begin() + numbers.begin, ids.begin() + numbers.end);
            };
            return EntryList{part(entries.rows), part(entries.columns)};
          }};
}

template <class T>
EntryComparison<T>::EntryComparison(const Execution& execution, const Approximation<T>& approximation,
                                    const Similarity<T>& similarity, const ObjectSet& rows, const ObjectSet& columns,
                                    KnownPairs<T>* known)
    : execution_(execution),
      approximate_(execution, approximation),
      similarity_(similarity),
      rows_(rows),
      columns_(columns),
      known_(known),
      gathered_pairs_(gathered_pairs(packed_bytes(execution.communicator, rows))) {}

// All ranks make the same number of steps because objects and factor rows are fetched collectively.
template <class T>
std::vector<ComparedEntry> EntryComparison<T>::compare(const std::string& loop, const EntryRuns& runs) {
  const Communicator& communicator = execution_.communicator;
  const Index runs_a_batch = std::max<Index>(1, compared_entries / runs.length);
  const Index steps = communicator.maximum(ceil_divide(runs.own.size(), runs_a_batch));
  execution_.ledger.begin(loop.c_str(), runs.total);
  Progress progress(loop, runs.own.size(), communicator.is_root(), "runs of entries/s a rank");
  std::vector<ComparedEntry> compared;
  for (Index step = 0; step < steps; ++step) {
    const Range batch{std::min(runs.own.begin + step * runs_a_batch, runs.own.end),
                      std::min(runs.own.begin + (step + 1) * runs_a_batch, runs.own.end)};
    compare_batch(runs, batch, compared);
    progress.advance(batch.size());
    Watchdog::beat();
  }
  return communicator.all_gather(compared);
}

template <class T>
void EntryComparison<T>::compare_batch(const EntryRuns& runs, Range batch, std::vector<ComparedEntry>& compared) {
  const EntryList entries = runs.entries(entry_numbers(runs, batch));
  const std::vector<T> exact = evaluate(runs, batch, entries);
  const std::vector<double> approximate = approximate_.at(entries.rows, entries.columns);
  for (std::size_t a = 0; a < exact.size(); ++a) {
    const auto value = static_cast<double>(exact[a]);
    compared.push_back({value, approximate[a] - value});
    largest_error_ = std::max(largest_error_, std::abs(approximate[a] - value));
  }
}

// The entries of K; runs found in the ledger are not evaluated again, the others are stored piece by piece. Collective.
template <class T>
std::vector<T> EntryComparison<T>::evaluate(const EntryRuns& runs, Range batch, const EntryList& entries) {
  std::vector<T> values(entries.rows.size());
  const Index first = entry_numbers(runs, batch).begin;
  const auto run_values = [&](Index run) {
    const Range numbers = entry_numbers(runs, {run, run + 1});
    return std::span(values).subspan(numbers.begin - first, numbers.size());
  };
  std::vector<Index> missing;
  collectively(execution_.communicator, [&] {
    for (Index run = batch.begin; run < batch.end; ++run) {
      const auto target = run_values(run);
      const auto offset = static_cast<std::size_t>(target.data() - values.data());
      if (!execution_.ledger.get(run, std::as_writable_bytes(target))) {
        missing.push_back(run);
        continue;
      }
      const auto rows = std::span(entries.rows).subspan(offset, target.size());
      const auto columns = std::span(entries.columns).subspan(offset, target.size());
      similarity_.count_restored(known_ == nullptr ? std::ssize(target) : known_->add(rows, columns, target));
    }
  });
  const auto size = static_cast<Index>(missing.size());
  const Index most = std::min(gathered_pairs_, similarity_.traits().most_entries_in_tile);
  const Index runs_a_piece = std::max<Index>(1, most / runs.length);
  const Watchdog::Patience patience(similarity_.longest_seconds(runs_a_piece * runs.length));
  const Index pieces = execution_.communicator.maximum(ceil_divide(size, runs_a_piece));
  for (Index piece = 0; piece < pieces; ++piece) {
    const Index begin = std::min(piece * runs_a_piece, size), end = std::min(begin + runs_a_piece, size);
    const auto numbers = std::span(missing).subspan(begin, end - begin);
    EntryList wanted;
    for (const Index run : numbers) {
      const auto target = run_values(run);
      const auto offset = target.data() - values.data();
      const auto length = static_cast<std::ptrdiff_t>(target.size());
      wanted.rows.insert(wanted.rows.end(), entries.rows.begin() + offset, entries.rows.begin() + offset + length);
      wanted.columns.insert(wanted.columns.end(), entries.columns.begin() + offset,
                            entries.columns.begin() + offset + length);
    }
    const std::vector<T> evaluated = evaluate(wanted);
    collectively(execution_.communicator, [&] {
      auto next = evaluated.begin();
      for (const Index run : numbers) {
        const auto target = run_values(run);
        std::copy_n(next, target.size(), target.begin());
        next += static_cast<std::ptrdiff_t>(target.size());
        const bool last = run == numbers.back();  // store all of a piece before a stop
        last ? execution_.ledger.put(run, std::as_bytes(target)) : execution_.ledger.keep(run, std::as_bytes(target));
      }
    });
  }
  return values;
}

// Gathers the objects of pairs. Collective.
template <class T>
ObjectPairs EntryComparison<T>::gather(std::span<const Index> rows, std::span<const Index> columns) const {
  const Communicator& communicator = execution_.communicator;
  if (&rows_ == &columns_) return rows_.gather_pairs(communicator, rows, columns);
  return {rows_.gather(communicator, rows), columns_.gather(communicator, columns)};
}

// Evaluates in pieces whose objects fit into the memory budget; the same number of pieces on every rank. Collective.
template <class T>
std::vector<T> EntryComparison<T>::evaluate(const EntryList& entries) {
  const Communicator& communicator = execution_.communicator;
  const auto size = static_cast<Index>(entries.rows.size());
  std::vector<T> values(entries.rows.size());
  const Index pieces = communicator.maximum(ceil_divide(size, gathered_pairs_));
  for (Index piece = 0; piece < pieces; ++piece) {
    const auto begin = static_cast<std::size_t>(std::min(piece * gathered_pairs_, size));
    const auto count = static_cast<std::size_t>(std::min(gathered_pairs_, size - static_cast<Index>(begin)));
    const ObjectPairs gathered =
        gather(std::span(entries.rows).subspan(begin, count), std::span(entries.columns).subspan(begin, count));
    const ObjectBlock &first = *gathered.first, &second = *gathered.second;
    const auto out = std::span(values).subspan(begin, count);
    collectively(communicator, [&] {
      if (known_ != nullptr && known_->find(first.ids, second.ids, out)) return;
      similarity_.pairs(first, second, out);
      if (known_ != nullptr) known_->add(first.ids, second.ids, out);
    });
    Watchdog::beat();
  }
  return values;
}

template class EntryComparison<float>;
template class EntryComparison<double>;

}  // namespace cairn
