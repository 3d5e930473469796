// Interpolation on the core of a graph, and what the trees that hang off it add to it.
#pragma once

#include <span>
#include <vector>

#include "cairn/base/matrix_view.hpp"
#include "cairn/data/graph/hanging_trees.hpp"
#include "cairn/linalg/sparse/sparse_rows.hpp"
#include "cairn/operator/biharmonic_operator.hpp"

namespace cairn {

/// Columns of L beside those of P: the heights, and ones.
inline constexpr Index tree_columns = 2;

/// The operator of the core of a graph, from that of the graph (of kind graph: all weights are 1).
/// @throws Error(usage) for another kind. Collective. Memory: once per node that of the graph.
[[nodiscard]] BiharmonicOperator core_operator(const Communicator& communicator, const BiharmonicOperator& op,
                                               const HangingTrees& trees);

/// L = [P(root(v), :), height(v), 1] of all vertices v, n x (l + 2), from P on the core, core x l. With
/// J = [W 0 0; 0 0 1; 0 1 0], L J Lᵀ is P W Pᵀ of the roots plus both heights: for vertices of different trees the
/// length of a path, as exact as P W Pᵀ. Collective. Memory: L, and
/// twice the rows of other ranks that a rank asks for.
template <class T>
[[nodiscard]] SparseRows<T> rows_over_trees(const Communicator& communicator, const SparseRows<T>& core,
                                            const HangingTrees& trees);

/// Where rows of P on the core stand in such an L: of each own row of a vertex of the core, in the order of the core,
/// its entries without the last two columns, as positions in indices and values. Local.
template <class T>
[[nodiscard]] std::vector<Range> core_rows(const SparseRows<T>& rows, const HangingTrees& trees);

/// Paths between vertices of one tree do not lead through its root, as L J Lᵀ has them: entries (own rows, columns) are
/// lowered by twice the height of the lowest common ancestor. @param out  own rows x columns. Local.
void subtract_common_heights(const HangingTrees& trees, Range own, std::span<const Index> columns,
                             MatrixView<double> out);

}  // namespace cairn
