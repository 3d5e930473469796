// Comparison of entries of K and K~ in batches of bounded memory.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cairn/approximation/approximation.hpp"
#include "cairn/approximation/entry_evaluation.hpp"
#include "cairn/approximation/error/known_pairs.hpp"

namespace cairn {

/// Entries (rows[a], columns[a]) of K.
struct EntryList {
  std::vector<Index> rows;
  std::vector<Index> columns;
};

/// Entries in runs of `length` with global numbers: this rank has the runs `own` of `total`, run r holds the entries r
/// length .. (r + 1) length - 1 of `count`.
struct EntryRuns {
  Index count = 0;
  Index length = 1;
  Index total = 0;
  Range own;
  std::function<EntryList(Range)> entries;  ///< maps entry numbers to entries. Local.
};

/// Number of entries of K~ that a rank compares at once: entries that share a row of L J compute it once.
inline constexpr Index compared_entries = Index{1} << 20;
/// Number of pairs of objects that a rank holds at once, for objects of this size; a plan counts it. Local.
[[nodiscard]] Index gathered_pairs(Index object_bytes);

/// Splits `entries`, the same on every rank, into equal runs; each rank takes a contiguous share. The list must outlive
/// the runs. Local.
[[nodiscard]] EntryRuns shared_runs(const Communicator& communicator, const EntryList& entries);

/// An entry of K, and the difference K~ - K there.
struct ComparedEntry {
  double exact = 0.0;
  double error = 0.0;
};

/// Compares K~ with K on lists of entries.
///
/// Runs found in the ledger are not evaluated again. Memory: the objects of a piece, 64 MiB per rank, some 170 bytes
/// per entry of a batch of up to compared_entries, and 16 bytes per entry on every rank.
template <class T>
class EntryComparison {
 public:
  /// All references must outlive this. @param known  entries that need not be evaluated; newly evaluated ones are
  /// added. Null: all are evaluated. Collective.
  EntryComparison(const Execution& execution, const Approximation<T>& approximation, const Similarity<T>& similarity,
                  const ObjectSet& rows, const ObjectSet& columns, KnownPairs<T>* known = nullptr);

  /// Compares all entries; returns them in their order, the same on every rank. `loop` is their name in the ledger.
  /// Collective.
  std::vector<ComparedEntry> compare(const std::string& loop, const EntryRuns& runs);

  /// Largest |K~ - K| over the compared entries. Collective.
  [[nodiscard]] double largest_error() const { return execution_.communicator.maximum(largest_error_); }

 private:
  void compare_batch(const EntryRuns& runs, Range batch, std::vector<ComparedEntry>& compared);
  std::vector<T> evaluate(const EntryRuns& runs, Range batch, const EntryList& entries);
  std::vector<T> evaluate(const EntryList& entries);
  [[nodiscard]] ObjectPairs gather(std::span<const Index> rows, std::span<const Index> columns) const;

  Execution execution_;
  EntryEvaluation<T> approximate_;
  const Similarity<T>& similarity_;
  const ObjectSet &rows_, &columns_;
  KnownPairs<T>* known_;
  Index gathered_pairs_;
  double largest_error_ = 0.0;
};

}  // namespace cairn
