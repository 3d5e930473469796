// Matrices in .npy, .npz and raw files. Private to this folder.
#pragma once

#include <memory>
#include <string>

#include "cairn/data/matrix/dense_matrix.hpp"
#include "cairn/data/matrix/number_file.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// Opens a .npy file, plain or compressed (then fast only for ascending rows, or columns in Fortran order).
/// @throws Error(input) as read_npy_header, or if it is shorter than its header states. Local.
[[nodiscard]] std::shared_ptr<const DenseMatrix> open_npy(const std::string& path);

/// Opens the array `name` of a .npz archive (with or without the ending .npy); "" for the only one.
/// @param keys  name of this parameter (dataset)
/// @throws Error(input) if there is no such array, or several and no name (they are listed); as open_npy. Local.
[[nodiscard]] std::shared_ptr<const DenseMatrix> open_npz(const std::string& path, const std::string& name,
                                                          const KeyNames& keys);
/// True if this array is deflated, so that it cannot be read piece by piece. @throws as open_npz. Local.
[[nodiscard]] bool npz_is_deflated(const std::string& path, const std::string& name, const KeyNames& keys);

/// Opens a file of numbers only, `columns` per row (0: a square matrix), plain or compressed.
/// @param keys  name of the columns (dimension) @throws Error(input) if its size does not fit. Local.
[[nodiscard]] std::shared_ptr<const DenseMatrix> open_raw(const std::string& path, NumberType type, Index columns,
                                                          const KeyNames& keys);

/// Opens any such matrix. @throws Error(input) if it has no rows or columns. Local.
[[nodiscard]] std::shared_ptr<const DenseMatrix> open_numbers(NumberMatrix matrix);
/// Opens a matrix that is stored by columns; open_numbers calls it. Local.
[[nodiscard]] std::shared_ptr<const DenseMatrix> open_columns(NumberMatrix matrix);

}  // namespace cairn
