// Blocks of K between samples, extracted from known columns.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "cairn/linalg/dense/block_cyclic_matrix.hpp"
#include "cairn/linalg/tall/tall_matrix.hpp"
#include "cairn/parameters/key_names.hpp"
#include "cairn/similarity/similarity.hpp"

namespace cairn {

/// (A + B) / 2, entry by entry. Local: both are on one grid.
[[nodiscard]] BlockCyclicMatrix mean_of(BlockCyclicMatrix block, const BlockCyclicMatrix& mirrored);

/// A = SᵀKS from C = K S: the rows `indices` of `columns`, s x s. Every entry and its mirror image are compared, and
/// their mean is returned.
/// @tparam Rows  TallMatrix<T> or RowBlock<T>
/// @param similarity  of the columns: if it is one-sided both directions may differ, and are not compared
/// @throws Error(input) with the first pair of objects, and both values, if they differ by more than 1e-8 of the larger
/// one (1e-4 if it rounds to single precision) and by more than 1000 units of rounding of the largest entry, which a
/// GEMM may cause. Collective.
template <class Rows, class T>
[[nodiscard]] BlockCyclicMatrix landmark_block(std::shared_ptr<const ProcessGrid> grid, const Rows& columns,
                                               std::span<const Index> indices, const Similarity<T>& similarity);

/// W = S2ᵀ K S1, s2 x s1, from K S1, compared with S1ᵀ K S2 from K S2; their mean if the similarity is one-sided.
/// @throws Error(input) as landmark_block. Collective.
template <class T>
[[nodiscard]] BlockCyclicMatrix intersection_block(std::shared_ptr<const ProcessGrid> grid,
                                                   const TallMatrix<T>& first_columns, std::span<const Index> first,
                                                   const TallMatrix<T>& second_columns, std::span<const Index> second,
                                                   const Similarity<T>& similarity);

/// Compares A (rows x columns of K) with the transpose of its mirror image, entry by entry. Both are on one grid.
/// @param single_precision  true if the similarities were computed in single precision
/// @param keys  of the similarity
/// @throws Error(input) as landmark_block. Collective.
void require_mirror_image(const BlockCyclicMatrix& block, const BlockCyclicMatrix& mirrored,
                          std::span<const Index> rows, std::span<const Index> columns, bool single_precision,
                          const KeyNames& keys);

}  // namespace cairn
