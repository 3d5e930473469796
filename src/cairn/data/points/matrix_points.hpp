// Points from matrices of numbers in files. Private to this folder.
#pragma once

#include <optional>
#include <string>

#include "cairn/data/points/point_reader.hpp"

namespace cairn {

/// True for npy, npz, raw32, raw64 and hdf5.
[[nodiscard]] bool is_matrix_format(const std::string& format);

/// Reads this rank's rows, and their labels from hdf5, in pieces of some million numbers. Columns are named by number,
/// or by name in an hdf5 file with a data set "columns". Local.
/// @throws as read_points
template <class T>
[[nodiscard]] PointTable<T> read_matrix_points(const Communicator& communicator, const PointSource& source,
                                               const std::string& format);

/// The same for a file of entries (hdf5 and npz of compressed rows or columns). The points are sparse if the source
/// allows it and few of their coordinates are nonzero. Nothing for other files. Collective.
/// @throws as read_points
template <class T>
[[nodiscard]] std::optional<PointTable<T>> read_sparse_matrix(const Communicator& communicator,
                                                              const PointSource& source, const std::string& format);

/// Number of rows, and of columns that would be read. Local. @throws as read_points
[[nodiscard]] PointShape matrix_point_shape(const PointSource& source, const std::string& format);

}  // namespace cairn
