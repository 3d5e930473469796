// Entries of K and of K~, compared in batches of bounded memory.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "approximation/approximation.hpp"
#include "approximation/ratio_estimate.hpp"

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
  bool own_diagonal = false;                ///< entry p is (p, p), and this rank's runs hold the objects that it owns
};

/// Entries of K~ that a rank compares at once: rows of L J that entries share are computed once.
inline constexpr Index compared_entries = Index{1} << 20;
/// Pairs of objects that a rank holds at once, of objects of so many bytes: what a plan counts. Local.
[[nodiscard]] Index gathered_pairs(Index object_bytes);

/// Compares K~ with K on lists of entries and adds up squares.
///
/// Runs that the ledger has are not evaluated again; sums are added run by run in global order, so that they do not
/// depend on the number of ranks. Memory: the objects of a piece, 64 MiB a rank, and some 170 bytes an entry of a
/// batch of up to compared_entries.
template <class T>
class EntryComparison {
 public:
  /// How often the squares of each entry of a batch count, from the entries and K~ - K there. Called collectively.
  using Weigh = std::function<std::vector<double>(const EntryList&, const std::vector<double>&)>;

  /// All references outlive this. Collective.
  EntryComparison(const Execution& execution, const Approximation<T>& approximation, const Similarity<T>& similarity,
                  const ObjectSet& objects);

  /// Sums over all runs, the same on every rank. `loop` names them in the ledger. Collective.
  RatioSums compare(const std::string& loop, const EntryRuns& runs, const Weigh& weigh);

  /// |K~ - K|, largest over what was compared. Collective.
  [[nodiscard]] double largest_error() const { return execution_.communicator.maximum(largest_error_); }

 private:
  std::vector<RatioSums> compare_batch(const EntryRuns& runs, Range batch, const Weigh& weigh);
  std::vector<T> evaluate(const EntryRuns& runs, Range batch, const EntryList& entries);
  std::vector<T> evaluate(const EntryList& entries);
  std::vector<T> evaluate_own_diagonal(const EntryList& entries);

  Execution execution_;
  const Approximation<T>& approximation_;
  const Similarity<T>& similarity_;
  const ObjectSet& objects_;
  Index gathered_pairs_;
  double largest_error_ = 0.0;
};

}  // namespace cairn
