// The shape of a result file. Private to this folder.
#pragma once

#include <string>

#include "cairn/store/hdf5/hdf5_read.hpp"
#include "cairn/store/result/result_file.hpp"

namespace cairn {

/// Rows, columns and numbers of a matrix of `kind`. @throws Error(input) if it is none. Local.
[[nodiscard]] hdf5::TableShape matrix_shape(const hdf5::InputFile& file, const std::string& name,
                                            hdf5::ElementType::Kind kind);
/// Of the numbers of factors in this precision. Local.
[[nodiscard]] hdf5::ElementType::Kind factor_kind(const std::string& precision);
/// What the file says of its parts. @throws Error(input) unless they fit together. Local.
[[nodiscard]] ResultShape checked_shape(const hdf5::InputFile& file);

}  // namespace cairn
