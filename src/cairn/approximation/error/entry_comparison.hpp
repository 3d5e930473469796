// Entries of K and of K~, compared in batches of bounded memory.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cairn/approximation/approximation.hpp"
#include "cairn/approximation/error/known_pairs.hpp"

namespace cairn {

/// Entries (rows[a], columns[a]) of K.
struct EntryList {
  std::vector<Index> rows;
  std::vector<Index> columns;
};

/// Entries in runs of `length` with global numbers: this rank's are `own` of `total`, run r holds the entries
/// r length .. (r + 1) length - 1 of `count`.
struct EntryRuns {
  Index count = 0;
  Index length = 1;
  Index total = 0;
  Range own;
  std::function<EntryList(Range)> entries;  ///< from the numbers of entries to them. Local.
};

/// Entries of K~ that a rank compares at once: rows of L J that entries share are computed once.
inline constexpr Index compared_entries = Index{1} << 20;
/// Pairs of objects that a rank holds at once, of objects of so many bytes: what a plan counts. Local.
[[nodiscard]] Index gathered_pairs(Index object_bytes);

/// `entries`, the same on every rank, in equal runs, of which each rank takes a contiguous share. The list outlives
/// them. Local.
[[nodiscard]] EntryRuns shared_runs(const Communicator& communicator, const EntryList& entries);

/// An entry of K, and K~ - K there.
struct ComparedEntry {
  double exact = 0.0;
  double error = 0.0;
};

/// Compares K~ with K on lists of entries.
///
/// Runs that the ledger has are not evaluated again. Memory: the objects of a piece, 64 MiB a rank, some 170 bytes an
/// entry of a batch of up to compared_entries, and 16 bytes an entry on every rank.
template <class T>
class EntryComparison {
 public:
  /// All references outlive this. @param known  entries that need not be evaluated; others are added to it. Null: all
  /// are evaluated. Collective.
  EntryComparison(const Execution& execution, const Approximation<T>& approximation, const Similarity<T>& similarity,
                  const ObjectSet& rows, const ObjectSet& columns, KnownPairs<T>* known = nullptr);

  /// All entries in their order, the same on every rank. `loop` names them in the ledger. Collective.
  std::vector<ComparedEntry> compare(const std::string& loop, const EntryRuns& runs);

  /// |K~ - K|, largest over what was compared. Collective.
  [[nodiscard]] double largest_error() const { return execution_.communicator.maximum(largest_error_); }

 private:
  void compare_batch(const EntryRuns& runs, Range batch, std::vector<ComparedEntry>& compared);
  std::vector<T> evaluate(const EntryRuns& runs, Range batch, const EntryList& entries);
  std::vector<T> evaluate(const EntryList& entries);
  [[nodiscard]] ObjectPairs gather(std::span<const Index> rows, std::span<const Index> columns) const;

  Execution execution_;
  const Approximation<T>& approximation_;
  const Similarity<T>& similarity_;
  const ObjectSet &rows_, &columns_;
  KnownPairs<T>* known_;
  Index gathered_pairs_;
  double largest_error_ = 0.0;
};

}  // namespace cairn
