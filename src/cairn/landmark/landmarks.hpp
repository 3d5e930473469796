// Which rows are landmarks.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cairn/base/execution.hpp"
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
  std::optional<RowBlock<T>> columns{};    ///< K S, where the selection evaluated it anyway
  std::string split{};                     ///< of the objects that they were chosen among; empty: all
};

/// `count` landmarks uniformly without replacement: draws (seed, Stream::landmarks). The first k of them are those that
/// a smaller count gives. @throws Error(usage) unless 1 <= count <= objects.size(). Collective.
/// @param keys  of count and selection, here and below
/// @param takes_objects  false: only their numbers are wanted
template <class T>
[[nodiscard]] Landmarks<T> select_uniform(const Execution& execution, const ObjectSet& objects, Index count,
                                          const KeyNames& keys = {}, bool takes_objects = true);

/// Greedy k-center (Gonzalez 1985): the first uniformly, then always the object farthest from its nearest landmark,
/// ties to the lowest index. The distance of x and y is the similarity itself where it is a distance, else the squared
/// distance in its feature space, K(x,x) + K(y,y) - 2 K(x,y). Takes one column of K a landmark and hands them on.
/// @param hand_on  false: the columns are not kept, and need no memory
/// Collective.
template <class T>
[[nodiscard]] Landmarks<T> select_farthest(const Execution& execution, const Similarity<T>& similarity,
                                           const ObjectSet& objects, Index count, bool hand_on = true,
                                           const KeyNames& keys = {});

/// The same by a distance that comes by source, the newest landmark: no columns are handed on, for many sources at a
/// time cost less afterwards. Rank 0 takes every source, and the landmarks alone travel; a search of paths goes no
/// farther than the newest landmark is the nearest (see SourceSimilarity::lower), and the farthest vertex is looked for
/// among those about as far away alone, so that n vertices and l landmarks take some n log(l) steps. Memory: some 20
/// bytes a vertex and what a source takes, on rank 0.
/// @throws Error(usage) unless 1 <= count <= objects.size(), or where the similarity is no distance. Collective.
template <class T>
[[nodiscard]] Landmarks<T> select_farthest(const Execution& execution, const SourceSimilarity& similarity,
                                           const ObjectSet& objects, Index count, const KeyNames& keys = {});

/// Randomly pivoted Cholesky (Chen, Epperly, Tropp, Webber 2022): pivots with probability proportional to the residual
/// diagonal, which makes them spread over clusters by their weight. In blocks of proposals that are thinned by
/// rejection (Epperly, Tropp, Webber 2024), so that the pivots have the distribution of one at a time; the first k of
/// them are those that a smaller count gives. Takes n evaluations for the diagonal, the columns of K of its pivots,
/// which it hands on, and at most n a block among proposals. Memory: another n x count block while it runs.
/// @throws Error(numeric) if the residual diagonal turns negative beyond rounding (K is not positive semidefinite),
/// or
///   is exhausted before `count` pivots (says how many there are); Error(usage) unless 1 <= count <= objects.size(), or
///   where the similarity is a distance. Collective.
template <class T>
[[nodiscard]] Landmarks<T> select_rpcholesky(const Execution& execution, const Similarity<T>& similarity,
                                             const ObjectSet& objects, Index count, const KeyNames& keys = {});

}  // namespace cairn
