// Sums and products of similarities.
#pragma once

#include <memory>
#include <vector>

#include "cairn/similarity/similarity_descriptor.hpp"

namespace cairn {

/// sum_p weights[p] * parts[p], entry by entry; at least one part, one weight per part.
///
/// An entry of a composite counts as evaluations_per_entry evaluations (EntryTraits), the largest of its parts, to be
/// comparable with an entry of a plain similarity. Cheaper parts are not counted. A composite is a distance if one of
/// its parts is.
template <class T>
[[nodiscard]] std::unique_ptr<Similarity<T>> make_sum(std::vector<std::unique_ptr<Similarity<T>>> parts,
                                                      std::vector<double> weights);

/// The product of the parts, entry by entry; evaluations are counted as for a sum.
template <class T>
[[nodiscard]] std::unique_ptr<Similarity<T>> make_product(std::vector<std::unique_ptr<Similarity<T>>> parts);

[[nodiscard]] const SimilarityDescriptor& sum_similarity();
[[nodiscard]] const SimilarityDescriptor& product_similarity();

}  // namespace cairn
