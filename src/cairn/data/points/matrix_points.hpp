// Points from matrices of numbers in files. Private to this folder.
#pragma once

#include <optional>
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

/// The same of a file that names its entries (hdf5 and npz of compressed rows or columns): the points are sparse if the
/// source says that they may be and few of their coordinates are not 0. Nothing if the file is another. Collective.
/// @throws as read_points
template <class T>
[[nodiscard]] std::optional<PointTable<T>> read_sparse_matrix(const Communicator& communicator,
                                                              const PointSource& source, const std::string& format);

/// Rows, and columns that would be read. Local. @throws as read_points
[[nodiscard]] PointShape matrix_point_shape(const PointSource& source, const std::string& format);

}  // namespace cairn
