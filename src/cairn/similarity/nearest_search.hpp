// Searches for the nearest objects by K itself.
#pragma once

#include <span>
#include <vector>

#include "cairn/base/schedule/execution.hpp"
#include "cairn/similarity/neighbor.hpp"
#include "cairn/similarity/similarity.hpp"

namespace cairn {

/// One side of a search: some rows of a set of objects.
struct SearchSide {
  const ObjectSet& objects;
  std::vector<Index> rows;  ///< numbers of those of this rank's objects that take part, ascending
  /// One number for each of them: objects of both sides with the same number are not compared. Empty on all ranks:
  /// every pair is.
  std::vector<Index> groups{};
};

/// Neighbors of each of this rank's queries.
struct FoundNeighbors {
  std::vector<Index> starts{0};     ///< query q has neighbors[starts[q]] up to neighbors[starts[q + 1]]
  std::vector<Neighbor> neighbors;  ///< nearest first; numbers of objects, and values of K
  [[nodiscard]] std::span<const Neighbor> of(Index query) const {
    return std::span(neighbors).subspan(starts[query], starts[query + 1] - starts[query]);
  }
};

/// A search that finds the nearest objects without evaluating K for every pair.
class NearestSearch {
 public:
  virtual ~NearestSearch() = default;

  /// The `k` nearest targets of each query, or all if there are fewer. Exact: no other target is nearer. Ties go to
  /// the lowest number. Counts its evaluations as those of the similarity. Collective.
  [[nodiscard]] virtual FoundNeighbors nearest(const Execution& execution, const SearchSide& queries,
                                               const SearchSide& targets, Index k) const = 0;

 protected:
  NearestSearch() = default;
  NearestSearch(const NearestSearch&) = default;
  NearestSearch& operator=(const NearestSearch&) = default;
};

/// The search of a similarity; null if it has none. Local.
template <class T>
[[nodiscard]] const NearestSearch* nearest_search(const Similarity<T>& similarity) {
  return dynamic_cast<const NearestSearch*>(&similarity);
}

/// The same neighbors from all entries of K between the queries and the objects of the other side, in blocks of
/// queries. Memory: at most 64 MB of K (but at least one column), and the objects of a block on every rank.
/// @throws Error(numeric) for values that are not finite. Collective.
template <class T>
[[nodiscard]] FoundNeighbors nearest_by_entries(const Execution& execution, const Similarity<T>& similarity,
                                                const SearchSide& queries, const SearchSide& targets, Index k);

/// All objects of this rank, each in a group of its own: its nearest are others. Local.
[[nodiscard]] SearchSide all_objects(const ObjectSet& objects);

}  // namespace cairn
