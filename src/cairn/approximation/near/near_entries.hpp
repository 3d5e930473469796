// Exact entries of near objects in addition to the factors: K ~ g(L J Rᵀ) + S.
#pragma once

#include <span>
#include <vector>

#include "cairn/base/schedule/execution.hpp"
#include "cairn/linalg/sparse/sparse_rows.hpp"
#include "cairn/linalg/tall/row_block.hpp"

namespace cairn {

/// S, n x n and sparse: S_ij = K_ij - K~_ij if i is one of the nearest objects of j, or j of i, and on the diagonal.
/// Its pattern is symmetric; its values are if K~ is. K~ + S equals K there, up to rounding.
template <class T>
struct NearEntries {
  Index near = 0;      ///< number of nearest objects that are kept for each object
  SparseRows<T> rows;  ///< distributed as the rows of the left factor, columns ascending
};

/// Values of S at selected entries.
struct KeptValues {
  std::vector<double> values;  ///< of S; 0 if it holds no such entry
  std::vector<char> kept;      ///< 1 if it holds the entry
};

/// Entries (rows[p], columns[p]) of S for the pairs that this rank requests (each rank has its own list). Collective.
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

/// y += S x, or Sᵀ x if `transpose`, x and y distributed over ranks as the rows are. Memory: x on every rank.
/// Collective.
template <class T>
void add_near_product(const Communicator& communicator, const NearEntries<T>& near, const double* x, double* y,
                      bool transpose);

/// Number of entries of S, over all ranks. Collective.
template <class T>
[[nodiscard]] Index kept_entries(const Communicator& communicator, const NearEntries<T>& near) {
  return communicator.sum(near.rows.own_entries());
}

}  // namespace cairn
