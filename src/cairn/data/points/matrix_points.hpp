// Points from matrices of numbers in files. Private to this folder.
#pragma once

#include <string>

#include "cairn/data/points/point_reader.hpp"

namespace cairn {

/// True for npy, npz, raw32, raw64 and hdf5.
[[nodiscard]] bool is_matrix_format(const std::string& format);

/// This rank's rows, and the labels that stand beside them in hdf5; read in pieces of some million numbers. Columns are
/// named by number, or in an hdf5 file with a data set "columns" by name. Local.
/// @throws as read_points
template <class T>
[[nodiscard]] PointTable<T> read_matrix_points(const Communicator& communicator, const PointSource& source,
                                               const std::string& format);

/// Rows, and columns that would be read. Local. @throws as read_points
[[nodiscard]] PointShape matrix_point_shape(const PointSource& source, const std::string& format);

}  // namespace cairn
