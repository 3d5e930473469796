// Similarities of points, for the numbers that accompany trees.
#pragma once

#include <memory>

#include "cairn/data/trees/tree_set.hpp"
#include "cairn/similarity/similarity_descriptor.hpp"

namespace cairn {

/// True if the similarity compares points. Local.
[[nodiscard]] bool compares_points(const SimilarityChoice& choice);

/// A similarity of points, for the rows of numbers of trees (TreeSet::numbers), unchanged.
/// @param make  makes the similarity of points @throws Error(usage) if the trees have no numbers. Collective.
template <class T>
[[nodiscard]] std::unique_ptr<Similarity<T>> make_feature_similarity(const Execution& execution,
                                                                     const SimilarityChoice& choice,
                                                                     const TreeSet& trees, MakeSimilarity<T> make);

}  // namespace cairn
