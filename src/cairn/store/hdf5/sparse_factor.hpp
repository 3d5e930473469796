// A sparse factor in a file, as compressed rows of scipy.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cairn/linalg/sparse/sparse_rows.hpp"
#include "cairn/store/hdf5/hdf5_read.hpp"
#include "cairn/store/hdf5/shared_table.hpp"

namespace cairn {

/// Shape of a sparse factor's group, after its parts were checked against each other.
struct SparseShape {
  Index rows = 0;
  Index columns = 0;
  Index entries = 0;
  hdf5::ElementType number;  ///< float32 or float64
  hdf5::ElementType index;   ///< int32 or int64, for indices and indptr
};

/// Creates the group, with its attribute `shape`: (rows, columns). One rank.
void create_sparse_group(const hdf5::Handle& file, const std::string& name, Index rows, Index columns);

/// Tables `data` (n entries), `indices` (their columns) and `indptr` (rows + 1 positions) of group `name`; each rank
/// writes its part. Indices are int32 if entries and columns are below 2^31, otherwise int64: for the whole matrix, so
/// that any number of ranks writes the same bytes. The tables refer to `factor`, which must live until they are
/// written. Collective.
template <class T>
[[nodiscard]] std::vector<SharedTable> sparse_factor_tables(const Communicator& communicator, const std::string& name,
                                                            const SparseRows<T>& factor);

/// Rows of a sparse matrix that the ranks hold one after another, each stored within the entries of a larger matrix.
template <class T>
struct RowsWithin {
  Index columns = 0;             ///< columns of the matrix
  std::vector<Range> entries{};  ///< range of each row of this rank within indices and values
  std::span<const Index> indices{};
  std::span<const T> values{};
};
/// The same tables for such rows; indices and values must live until they are written. Collective.
template <class T>
[[nodiscard]] std::vector<SharedTable> sparse_factor_tables(const Communicator& communicator, const std::string& name,
                                                            RowsWithin<T> rows);

/// @throws Error(input) if parts are missing or do not agree. Local.
[[nodiscard]] SparseShape sparse_factor_shape(const hdf5::InputFile& file, const std::string& name);

/// This rank's rows, as RowPartition(rows, ranks) distributes them.
/// @throws Error(input) for positions that descend, columns that are out of range or do not ascend within a row, and
/// values that are not finite; Error(internal) if the file has another precision than T. Collective.
template <class T>
[[nodiscard]] SparseRows<T> read_sparse_factor(const Communicator& communicator, const hdf5::InputFile& file,
                                               const std::string& name);

}  // namespace cairn
