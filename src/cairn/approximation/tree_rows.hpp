// Interpolation on the 2-core of a graph, and its extension to the pendant trees.
#pragma once

#include <span>
#include <vector>

#include "cairn/base/matrix_view.hpp"
#include "cairn/data/graph/hanging_trees.hpp"
#include "cairn/linalg/sparse/sparse_rows.hpp"
#include "cairn/operator/biharmonic_operator.hpp"

namespace cairn {

/// Number of columns of L besides those of P: heights, and ones.
inline constexpr Index tree_columns = 2;

/// The operator of the 2-core of a graph, from that of the graph (of kind graph: all weights are 1).
/// @throws Error(usage) for another kind. Collective. Memory: once per node that of the graph.
[[nodiscard]] BiharmonicOperator core_operator(const Communicator& communicator, const BiharmonicOperator& op,
                                               const HangingTrees& trees);

/// L = [P(root(v), :), height(v), 1] of all vertices v, n x (l + 2), from P on the 2-core (2-core x l). With J = [W 0
/// 0; 0 0 1; 0 1 0], L J Lᵀ is P W Pᵀ of the roots plus both heights: for vertices of different trees the length of a
/// path, as exact as P W Pᵀ. Collective. Memory: L, and twice the rows that a rank fetches from other ranks.
template <class T>
[[nodiscard]] SparseRows<T> rows_over_trees(const Communicator& communicator, const SparseRows<T>& core,
                                            const HangingTrees& trees);

/// Locates the rows of P on the 2-core in such an L: for each own row of a vertex of the 2-core, in their order, its
/// entries without the last two columns, as positions in indices and values. Local.
template <class T>
[[nodiscard]] std::vector<Range> core_rows(const SparseRows<T>& rows, const HangingTrees& trees);

/// Subtracts common heights: paths between vertices of one tree do not pass through its root, as L J Lᵀ assumes, so
/// entries (own rows, columns) are lowered by twice the height of the lowest common ancestor. @param out  own rows x
/// columns. Local.
void subtract_common_heights(const HangingTrees& trees, Range own, std::span<const Index> columns,
                             MatrixView<double> out);

}  // namespace cairn
