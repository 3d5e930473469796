// Exact search for the nearest texts by word mover's distance.
#pragma once

#include <functional>
#include <string>

#include "cairn/data/documents/document_set.hpp"
#include "cairn/similarity/nearest_search.hpp"

namespace cairn {

/// Writes the distances of one document (a block of one) to those of another block. Called by several threads at once.
using TextDistances = std::function<void(const DocumentBlock& one, const DocumentBlock& others, double* distances)>;

/// Upper bound of the bytes that a search holds beside its targets and its results: tables of distances of words,
/// candidates, and texts whose distances are evaluated. Local.
[[nodiscard]] Index nearest_texts_bytes();

/// The nearest targets by distance, of each query: candidates in the order of their RelaxedBounds, which are compared
/// until the bound is above the k-th distance found.
///
/// Queries and targets are dealt to ranks evenly, whoever owns them. Each rank takes its queries in blocks; the targets
/// pass by, block after block, and the candidates with the lowest bounds are kept for each query. If these do not
/// suffice, the targets pass by again. Distances that agree to ten digits count as equal.
/// @param queries, targets  DocumentSets with the same WordVectors
/// @return values are distances. Adds the number of this rank's exact distances to `evaluated`.
/// @throws Error(numeric) for a distance that is not finite. Collective.
[[nodiscard]] FoundNeighbors nearest_texts(const Execution& execution, const TextDistances& distances,
                                           const SearchSide& queries, const SearchSide& targets, Index k,
                                           Index& evaluated);

}  // namespace cairn
