// Texts stored with points in an HDF5 file: the data sets "labels" and "columns". Private to this folder.
#pragma once

#include <string>
#include <vector>

#include "cairn/base/index.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// Labels of these rows; none if the file has no data set of this name.
/// @throws Error(input) if it holds neither strings nor integers, or not one per point. Local.
[[nodiscard]] std::vector<std::string> read_hdf5_labels(const std::string& path, const std::string& name, Range rows,
                                                        Index points);

/// Names of the columns of points: texts in the data set "columns"; none if the file does not have one text per column.
/// @throws Error(input) if they cannot be read. Local.
[[nodiscard]] std::vector<std::string> read_hdf5_columns(const std::string& path, Index columns);

/// @param keys  name of the label @throws Error(input) unless `label` is `name` and the file has such a data set.
/// Local.
void check_hdf5_labels(const std::string& path, const std::string& name, const std::string& label,
                       const KeyNames& keys);

}  // namespace cairn
