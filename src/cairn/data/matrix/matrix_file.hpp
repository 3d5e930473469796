// Matrices in files, of any shape. Private to this folder: DenseMatrix::open and the readers of points share it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cairn/data/matrix/dense_matrix.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// The format that a file's name tells (".csv", ".npy", ..., with ".gz" or ".xz" behind it), or `format` where it is
/// given.
/// @param keys  of path, format, dataset and dimension, here and below
/// @throws Error(usage) if neither tells. Local.
[[nodiscard]] std::string resolve_format(const std::string& path, const std::string& format, const KeyNames& keys);

/// A matrix of npy, npz, raw32, raw64 or hdf5; compressed ones are fast only for rows (by_columns: columns) that
/// ascend.
/// @param columns  of a raw file; 0: it is square
/// @throws as DenseMatrix::open. Local.
[[nodiscard]] std::shared_ptr<const DenseMatrix> open_matrix_file(const std::string& path, const std::string& format,
                                                                  const std::string& dataset, Index columns,
                                                                  const KeyNames& keys);

/// The same for an HDF5 data set.
[[nodiscard]] std::shared_ptr<const DenseMatrix> open_hdf5_matrix(const std::string& path, const std::string& dataset,
                                                                  const KeyNames& keys);

/// Before a rank takes memory for `rows` of a file's rows. @throws Error(resource) if it has no room. Local.
void require_room_for_rows(const std::string& path, Index rows, Index columns, Index value_bytes);

/// Runs of neighbouring numbers in `list`: first number, and the position in the list where it stands.
struct Run {
  Index first = 0;
  Index count = 0;
  Index position = 0;
};
[[nodiscard]] std::vector<Run> neighbouring_runs(std::span<const Index> list);

/// @throws Error(input) that names the first entry of `out` that is NaN or infinite
void require_finite(const std::string& path, std::span<const Index> rows, std::span<const Index> columns,
                    MatrixView<double> out);

}  // namespace cairn
