// Matrices in files, of any shape. Private to this folder: DenseMatrix::open and the readers of points share it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cairn/data/matrix/dense_matrix.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// The format that follows from a file's name (".csv", ".npy", ..., also followed by ".gz" or ".xz"), or `format` if it
/// is given.
/// @param keys  names of path, format, dataset and dimension, here and below
/// @throws Error(usage) if neither gives the format. Local.
[[nodiscard]] std::string resolve_format(const std::string& path, const std::string& format, const KeyNames& keys);

/// Opens a matrix of npy, npz, raw32, raw64 or hdf5; compressed ones are fast only for ascending rows (by_columns:
/// columns).
/// @param columns  columns of a raw file; 0: it is square
/// @throws as DenseMatrix::open. Local.
[[nodiscard]] std::shared_ptr<const DenseMatrix> open_matrix_file(const std::string& path, const std::string& format,
                                                                  const std::string& dataset, Index columns,
                                                                  const KeyNames& keys);

/// The same for an HDF5 data set.
[[nodiscard]] std::shared_ptr<const DenseMatrix> open_hdf5_matrix(const std::string& path, const std::string& dataset,
                                                                  const KeyNames& keys);

/// Checks the memory before a rank allocates `rows` of a file's rows. @throws Error(resource) if there is not enough.
/// Local.
void require_room_for_rows(const std::string& path, Index rows, Index columns, Index value_bytes);

/// A run of consecutive numbers in `list`: first number, length, and position of the first number in the list.
struct Run {
  Index first = 0;
  Index count = 0;
  Index position = 0;
};
[[nodiscard]] std::vector<Run> neighboring_runs(std::span<const Index> list);

/// @throws Error(input) that names the first entry of `out` that is NaN or infinite
void require_finite(const std::string& path, std::span<const Index> rows, std::span<const Index> columns,
                    MatrixView<double> out);

}  // namespace cairn
