// Word mover's distance between documents, and its exponential.
#pragma once

#include <memory>

#include "cairn/base/schedule/execution.hpp"
#include "cairn/data/documents/document_set.hpp"
#include "cairn/similarity/similarity_descriptor.hpp"

namespace cairn {

/// WMD(x, y) = min sum_ij f_ij |v_i - v_j|, where f moves the words of x, weighted by their share of its counts, to
/// those of y, and v are the vectors of words: exact optimal transport.     [Kusner et al. 2015]
///
/// Computed in double precision for any T, with a relative error within 1e-12; 0 for documents of equal shares. Memory
/// of each computing thread: twice 2 MiB for distances of words and their vectors, more if two documents alone need
/// more (16 bytes per pair of their words); and 4 bytes per word in use.
/// @param documents  with vectors; must outlive the similarity
/// @throws Error(usage) if they have no vectors. Collective.
template <class T>
[[nodiscard]] std::unique_ptr<Similarity<T>> make_wmd_distance(const Execution& execution,
                                                               const DocumentSet& documents);

/// exp(-gamma WMD(x, y)), gamma >= 0. Nearly positive semidefinite on real texts.     [Ray et al. 2022, section 4.1]
template <class T>
[[nodiscard]] std::unique_ptr<Similarity<T>> make_wmd(const Execution& execution, const DocumentSet& documents,
                                                      double gamma);

[[nodiscard]] const SimilarityDescriptor& wmd_similarity();
[[nodiscard]] const SimilarityDescriptor& wmd_distance_similarity();

}  // namespace cairn
