// Exact entries of near objects beside the factors: K ~ g(L J Rᵀ) + S.
#pragma once

#include <span>
#include <vector>

#include "cairn/base/execution.hpp"
#include "cairn/linalg/sparse/sparse_rows.hpp"
#include "cairn/linalg/tall/row_block.hpp"

namespace cairn {

/// S, n x n and sparse: S_ij = K_ij - K~_ij where i is one of the nearest objects of j, or j of i, and on the diagonal.
/// Its pattern is symmetric; its values are if K~ is. K~ + S is K there, to rounding.
template <class T>
struct NearEntries {
  Index near = 0;      ///< nearest objects of each that are kept
  SparseRows<T> rows;  ///< as the rows of the left factor, columns ascending
};

/// What S holds of chosen entries.
struct KeptValues {
  std::vector<double> values;  ///< of S; 0 where it holds nothing
  std::vector<char> kept;      ///< whether it holds the entry
};

/// Entries (rows[p], columns[p]) of S, of the pairs that this rank asks for (another list on every rank). Collective.
template <class T>
[[nodiscard]] KeptValues kept_values(const Communicator& communicator, const NearEntries<T>& near,
                                     std::span<const Index> rows, std::span<const Index> columns);

/// The columns of a row of S, ascending, on every rank. Collective.
template <class T>
[[nodiscard]] std::vector<Index> kept_columns(const Communicator& communicator, const NearEntries<T>& near, Index row);

/// values += S(row, own columns), `values` in the order of this rank's rows. Collective.
template <class T>
void add_near_row(const Communicator& communicator, const NearEntries<T>& near, Index row, std::span<double> values);

/// out += S(own rows, columns). Local.
template <class T>
void add_near_columns(const NearEntries<T>& near, std::span<const Index> columns, RowBlock<double>& out);

/// y += S x, or Sᵀ x where `transpose` says so, x and y split over ranks as the rows are. Memory: x on every rank.
/// Collective.
template <class T>
void add_near_product(const Communicator& communicator, const NearEntries<T>& near, const double* x, double* y,
                      bool transpose);

/// Entries that S holds, over all ranks. Collective.
template <class T>
[[nodiscard]] Index kept_entries(const Communicator& communicator, const NearEntries<T>& near) {
  return communicator.sum(near.rows.own_entries());
}

}  // namespace cairn
