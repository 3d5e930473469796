// Selection of landmark rows.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cairn/base/schedule/execution.hpp"
#include "cairn/data/object_set.hpp"
#include "cairn/linalg/tall/row_block.hpp"
#include "cairn/parameters/key_names.hpp"
#include "cairn/similarity/similarity.hpp"
#include "cairn/similarity/source_similarity.hpp"

namespace cairn {

/// Chosen landmarks, the same on every rank.
template <class T>
struct Landmarks {
  std::vector<Index> indices{};            ///< in the order of selection
  std::unique_ptr<ObjectBlock> objects{};  ///< the landmarks themselves, replicated, in that order
  std::optional<RowBlock<T>> columns{};    ///< K S, if the selection evaluated it anyway
  std::string split{};                     ///< of the objects among which they were chosen; empty: all
  /// F with K S (SᵀKS)⁺ SᵀK = F Fᵀ, n x s, of a selection that factorizes a semidefinite K.
  std::optional<RowBlock<T>> factor{};
  std::optional<double> trace_of_error{};  ///< the trace of K - F Fᵀ over that of K
};

/// `count` landmarks, uniform without replacement: draws (seed, Stream::landmarks). The first k of them are those of a
/// smaller count k. @throws Error(usage) unless 1 <= count <= objects.size(). Collective.
/// @param keys  of count and selection, here and below
/// @param takes_objects  false: only their numbers are needed
template <class T>
[[nodiscard]] Landmarks<T> select_uniform(const Execution& execution, const ObjectSet& objects, Index count,
                                          const KeyNames& keys = {}, bool takes_objects = true);

/// Greedy k-center (Gonzalez 1985): the first landmark uniformly, then always the object farthest from its nearest
/// landmark, ties to the lowest index. The distance of x and y is the similarity itself if that is a distance, else the
/// squared distance in its feature space, K(x,x) + K(y,y) - 2 K(x,y). Evaluates one column of K per landmark and
/// returns them.
/// @param hand_on  false: the columns are not kept, and need no memory
/// Collective.
template <class T>
[[nodiscard]] Landmarks<T> select_farthest(const Execution& execution, const Similarity<T>& similarity,
                                           const ObjectSet& objects, Index count, bool hand_on = true,
                                           const KeyNames& keys = {});

/// The same for a single-source distance, with the newest landmark as source. No columns are returned: later, many
/// sources at a time cost less. Rank 0 takes every source, and only the landmarks are sent. A path search stops where
/// another landmark is nearer than the newest (see SourceSimilarity::lower), and the farthest vertex is searched among
/// those of about the same distance only, so that n vertices and l landmarks take about n log(l) steps. Memory: about
/// 20 bytes per vertex and what a source takes, on rank 0.
/// @throws Error(usage) unless 1 <= count <= objects.size(), or if the similarity is not a distance. Collective.
template <class T>
[[nodiscard]] Landmarks<T> select_farthest(const Execution& execution, const SourceSimilarity& similarity,
                                           const ObjectSet& objects, Index count, const KeyNames& keys = {});

/// Randomly pivoted Cholesky (Chen, Epperly, Tropp, Webber 2022): pivots with probability proportional to the residual
/// diagonal, which spreads them over clusters by their weight. Proposals are drawn in blocks and thinned by rejection
/// (Epperly, Tropp, Webber 2024), so that the pivots have the same distribution as one at a time; the first k of them
/// are those of a smaller count k. Takes n evaluations for the diagonal, the columns of K of its pivots, which it
/// returns, and at most n per block among proposals. Of a similarity, the factor and the trace of the error are
/// returned, too. Memory: another n x count block.
///
/// For a distance d of negative type (Euclidean distances, their squares, sums of absolute differences) the matrix is
/// (d_i0 + d_0j - d_ij) / 2, which is positive semidefinite (Schoenberg 1935): the first landmark, object 0 of this
/// formula, is uniform, and the column of distances from it is the diagonal.
/// @throws Error(numeric) if the residual diagonal turns negative beyond rounding (K is not positive semidefinite, or
///   not of negative type), or is exhausted before `count` pivots (reports how many there are); Error(usage) unless 1
///   <= count <= objects.size(). Collective.
template <class T>
[[nodiscard]] Landmarks<T> select_rpcholesky(const Execution& execution, const Similarity<T>& similarity,
                                             const ObjectSet& objects, Index count, const KeyNames& keys = {});

}  // namespace cairn
