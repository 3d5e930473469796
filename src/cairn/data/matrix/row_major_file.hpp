// Matrices in .npy, .npz and raw files. Private to this folder.
#pragma once

#include <memory>
#include <string>

#include "cairn/data/matrix/dense_matrix.hpp"
#include "cairn/data/matrix/number_file.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// A .npy file, plain or compressed (then fast only for rows, or columns in Fortran order, that ascend).
/// @throws Error(input) as read_npy_header, or if it is shorter than its header says. Local.
[[nodiscard]] std::shared_ptr<const DenseMatrix> open_npy(const std::string& path);

/// The array `name` of a .npz archive (with or without .npy behind it); "" for the only one.
/// @param keys  of the name (dataset)
/// @throws Error(input) if there is no such array, or several and no name (they are listed); as open_npy. Local.
[[nodiscard]] std::shared_ptr<const DenseMatrix> open_npz(const std::string& path, const std::string& name,
                                                          const KeyNames& keys);
/// True if that array is deflated, so that it cannot be read by piece. @throws as open_npz. Local.
[[nodiscard]] bool npz_is_deflated(const std::string& path, const std::string& name, const KeyNames& keys);

/// A file of nothing but numbers, `columns` a row (0: a square matrix), plain or compressed.
/// @param keys  of the columns (dimension) @throws Error(input) if its size does not fit. Local.
[[nodiscard]] std::shared_ptr<const DenseMatrix> open_raw(const std::string& path, NumberType type, Index columns,
                                                          const KeyNames& keys);

/// Any of them. @throws Error(input) if it has no rows or columns. Local.
[[nodiscard]] std::shared_ptr<const DenseMatrix> open_numbers(NumberMatrix matrix);
/// One that is stored column after column: what open_numbers gives then. Local.
[[nodiscard]] std::shared_ptr<const DenseMatrix> open_columns(NumberMatrix matrix);

}  // namespace cairn
