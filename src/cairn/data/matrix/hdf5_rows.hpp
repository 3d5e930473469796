// Matrices in compressed rows in HDF5 files. Private to this folder.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "cairn/data/io/hdf5_handle.hpp"
#include "cairn/data/matrix/dense_matrix.hpp"

namespace cairn {

/// HDF5 as packaged is not safe for threads: one call at a time in a process.
[[nodiscard]] std::mutex& hdf5_mutex();

/// Whether a group holds compressed rows: `data`, `indices` and `indptr`, as scipy's csr_matrix names them. Local.
[[nodiscard]] bool are_compressed_rows(hdf5::Identifier file, const std::string& group);

/// Compressed rows as a matrix: what no row names is 0, and entries that one names twice are added. The number of
/// columns is in the attribute or the data set `shape` of the group, two integers. The caller holds hdf5_mutex().
/// @throws Error(input) if the group is not sound, or holds compressed columns (its attribute encoding-type). Local.
[[nodiscard]] std::shared_ptr<const DenseMatrix> open_compressed_rows(const std::string& path, hdf5::Handle file,
                                                                      const std::string& group);

}  // namespace cairn
