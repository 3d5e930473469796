// Entries and columns of P W Pᵀ: sparse factors, core matrix in symmetric tiles. Private to approximate_entries and
// approximate_columns.
#pragma once

#include <span>
#include <vector>

#include "cairn/approximation/approximation.hpp"
#include "cairn/linalg/tiles/symmetric_tiles.hpp"

namespace cairn {

/// Number of columns of W Pᵀ that are computed at once for l landmarks (whole panels, if more than one fits), and
/// number of columns by which own rows of P are multiplied at once. A plan counts them, too.
[[nodiscard]] Index columns_a_batch(Index l);
inline constexpr Index product_panel_columns = 32;

/// Rows `ids` (global numbers, any order, the same list on every rank) of a sparse matrix, on every rank. Collective.
template <class T>
[[nodiscard]] SparseVectors replicate_rows(const Communicator& communicator, const SparseRows<T>& matrix,
                                           std::span<const Index> ids);

/// approximate_entries for sparse factors: K~_ij = Σ P_ia W_ab P_jb.     [Turek and Huth 2022, equation 4]
///
/// If there are few vertices on one side (rows of K~), W P_iᵀ is computed for each of these, in batches, and every rank
/// multiplies it by its own rows of P; else (scattered pairs) both rows of P are sent to every rank, which adds the
/// contributions of its tiles of W. Memory: 64 MiB per rank besides 64 bytes per requested entry.
/// @throws Error(internal) if factors and core matrix are not of this kind. Collective.
template <class T>
[[nodiscard]] std::vector<double> sparse_entries(const Execution& execution, const Approximation<T>& approximation,
                                                 std::span<const Index> rows, std::span<const Index> columns);

/// W P_jᵀ for the rows `columns` (the same list on every rank): l x columns.size(), row-major, on every rank. Memory:
/// twice that. @throws and collective as sparse_entries.
template <class T>
[[nodiscard]] Buffer<double> sparse_column_products(const Execution& execution, const Approximation<T>& approximation,
                                                    std::span<const Index> columns);

/// K~(own rows, columns) from the columns of sparse_column_products of these rows. Collective.
template <class T>
[[nodiscard]] RowBlock<double> sparse_columns_of(const Execution& execution, const Approximation<T>& approximation,
                                                 std::span<const Index> columns, MatrixView<const double> products);

/// approximate_columns for sparse factors, in batches of columns: W P_jᵀ on every rank (64 MiB), then own rows of P
/// times it. @throws and collective as sparse_entries.
template <class T>
[[nodiscard]] RowBlock<double> sparse_columns(const Execution& execution, const Approximation<T>& approximation,
                                              std::span<const Index> columns);

}  // namespace cairn
