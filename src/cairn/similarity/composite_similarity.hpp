// Sums and products of similarities.
#pragma once

#include <memory>
#include <vector>

#include "cairn/similarity/similarity_descriptor.hpp"

namespace cairn {

/// sum_p weights[p] * parts[p], entry by entry; at least one part, one weight a part.
///
/// An entry of a composite counts as evaluations_per_entry evaluations (EntryTraits), the largest of its parts: it is
/// compared with one entry of a plain similarity, and the cheap parts ride along. It is a distance where one of its
/// parts is.
template <class T>
[[nodiscard]] std::unique_ptr<Similarity<T>> make_sum(std::vector<std::unique_ptr<Similarity<T>>> parts,
                                                      std::vector<double> weights);

/// The product of the parts, entry by entry; counted as a sum is.
template <class T>
[[nodiscard]] std::unique_ptr<Similarity<T>> make_product(std::vector<std::unique_ptr<Similarity<T>>> parts);

[[nodiscard]] const SimilarityDescriptor& sum_similarity();
[[nodiscard]] const SimilarityDescriptor& product_similarity();

}  // namespace cairn
