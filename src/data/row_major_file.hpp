// Matrices in .npy and raw files: numbers row after row. Private to this folder.
#pragma once

#include <memory>
#include <string>

#include "data/dense_matrix.hpp"
#include "data/npy_header.hpp"

namespace cairn {

/// A .npy file, plain or compressed (then fast only for rows in ascending order).
/// @throws Error(input) as read_npy_header, or where it is shorter than its header says. Local.
[[nodiscard]] std::shared_ptr<const DenseMatrix> open_npy(const std::string& path);

/// A file of nothing but numbers, `columns` a row (0: a square matrix), plain or compressed.
/// @throws Error(input) where its size does not fit. Local.
[[nodiscard]] std::shared_ptr<const DenseMatrix> open_raw(const std::string& path, NumberType type, Index columns);

}  // namespace cairn
