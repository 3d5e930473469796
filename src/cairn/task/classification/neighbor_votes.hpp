// Classes of objects from those of their nearest neighbors.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/similarity/nearest_search.hpp"

namespace cairn {

/// Labelled rows among which neighbors are looked for; all of them on every rank, ascending.
struct LabelledNeighbors {
  std::vector<Index> rows;            ///< numbers of objects
  std::vector<std::int32_t> classes;  ///< of them
};

/// How neighbors vote.
struct NeighborVoting {
  Index k = 1;               ///< neighbors that vote
  bool by_distance = false;  ///< a neighbor counts 1 / its distance, or its similarity if that is above 0; else 1
  Meaning meaning = Meaning::distance;
};

/// Scores of the classes for one object: their shares of the votes of its nearest neighbors, which sum to 1 (without
/// neighbors all are 0). If distances are 0, only neighbors at distance 0 vote, alike; if all similarities are 0 or
/// below, all vote alike.
/// @param neighbors  nearest first, of `labelled`; the first k vote @param scores  one per class, overwritten
/// @return the class with the largest score, of equal ones that of the nearer neighbor; class 0 without neighbors.
/// Local.
std::int32_t vote(std::span<const Neighbor> neighbors, const LabelledNeighbors& labelled, const NeighborVoting& voting,
                  std::span<double> scores);

/// Neighbors by K itself: by the search of the similarity if it has one, else from all entries. Collective.
template <class T>
[[nodiscard]] FoundNeighbors find_neighbors(const Execution& execution, const Similarity<T>& similarity,
                                            const SearchSide& queries, const SearchSide& targets, Index k);

}  // namespace cairn
