// Word mover's embedding: random features of documents.
#pragma once

#include <memory>

#include "cairn/approximation/method.hpp"
#include "cairn/data/documents/document_set.hpp"
#include "cairn/similarity/distance_table.hpp"

namespace cairn {

/// Random documents of 1 to `drawn.longest` words, all lengths with equal probability; words are drawn uniformly, with
/// repeats, from those in use (the authors' program draws vectors in the bounding box of the vocabulary's). Addressed
/// by (drawn.seed, Stream::landmarks, number): the same on any number of ranks.
/// @param numbers  of those to draw, from 0 @return number j as object -1 - j: none of them is in the data set. Local.
[[nodiscard]] std::unique_ptr<DocumentBlock> draw_random_documents(std::shared_ptr<const WordVectors> vectors,
                                                                   Range numbers, const RandomDocuments& drawn);

/// Word mover's embedding: K~ = L Lᵀ / R, L_ij = exp(-gamma WMD(x_i, w_j)) for R random documents w_j.
///   [Wu et al. 2018, Algorithm 1; the baseline of Ray et al. 2022, section 4.1]
///
/// L Lᵀ / R converges, as R grows, to a different kernel, E_w[exp(-gamma (WMD(x, w) + WMD(y, w)))], which is positive
/// semidefinite, and not to exp(-gamma WMD(x, y)): its error relative to the latter does not vanish. Takes n R
/// evaluations, fewer if the similarity has a table of distances.
/// @param input  documents with vectors and the similarity wmd; its landmarks are ignored
/// @throws Error(usage) for other objects or another similarity, or a table with distances of other random documents.
///   Collective.
template <class T>
[[nodiscard]] Approximation<T> word_movers_embedding(Problem<T> input);

[[nodiscard]] const MethodDescriptor& word_movers_embedding_method();

}  // namespace cairn
