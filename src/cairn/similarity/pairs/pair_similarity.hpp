// Similarities of pairs of texts, made from similarities of their parts.
#pragma once

#include <memory>
#include <vector>

#include "cairn/data/pairs/pair_set.hpp"
#include "cairn/similarity/similarity_descriptor.hpp"

namespace cairn {

/// Parameters by which a similarity of trees applies to pairs: pairs and tree.
[[nodiscard]] std::vector<Parameter> pair_parameters();
/// Rejects these parameters because the objects are not pairs. @throws Error(usage). Local.
void refuse_pair_parameters(const SimilarityChoice& choice);

/// Similarity of pairs, from a similarity of trees or points. With k the similarity of trees, for pairs (q, c) and (q',
/// c')     [Filice et al. 2015]
///
/// - sum: k(q, q') + k(c, c'); product: k(q, q') k(c, c'); left: k(q, q'); right: k(c, c').
/// - crossed-sum: k(q, q') + k(c, c') + k(q, c') + k(c, q'); crossed-product: k(q, q') k(c, c') + k(q, c') k(c, q').
/// - best-alignment: log(exp(100 a) + exp(100 b)) / 100, approximately the larger of a = k(q, q') k(c, c') and b = k(q,
///   c') k(c, q').
/// - preference: k(q, q') + k(c, c') - k(q, c') - k(c, q').
///
/// A similarity of points compares the features.
/// @param make  makes the similarity of the parts @throws Error(usage) for a tree that the pairs lack, or if they have
///   no features. Collective.
template <class T>
[[nodiscard]] std::unique_ptr<Similarity<T>> make_pair_similarity(const Execution& execution,
                                                                  const SimilarityChoice& choice, const PairSet& pairs,
                                                                  MakeSimilarity<T> make);

}  // namespace cairn
