// Similarities of points, of the numbers that stand beside trees.
#pragma once

#include <memory>

#include "cairn/data/trees/tree_set.hpp"
#include "cairn/similarity/similarity_descriptor.hpp"

namespace cairn {

/// Whether it is one of points. Local.
[[nodiscard]] bool compares_points(const SimilarityChoice& choice);

/// A similarity of points, of the rows of numbers of trees (TreeSet::numbers),
/// as they are.
/// @param make  makes it of points @throws Error(usage) if the trees have no
/// numbers. Collective.
template <class T>
[[nodiscard]] std::unique_ptr<Similarity<T>> make_feature_similarity(const Execution& execution,
                                                                     const SimilarityChoice& choice,
                                                                     const TreeSet& trees, MakeSimilarity<T> make);

}  // namespace cairn
