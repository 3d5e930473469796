// Labels beside points in an HDF5 file: the data set "labels". Private to this folder.
#pragma once

#include <string>
#include <vector>

#include "base/index.hpp"

namespace cairn {

/// Labels of these rows; none where the file has no data set "labels".
/// @throws Error(input) where it holds neither strings nor integers, or not one a point. Local.
[[nodiscard]] std::vector<std::string> read_hdf5_labels(const std::string& path, Range rows, Index points);

/// @throws Error(input) unless `label` is "labels" and the file has such a data set. Local.
void check_hdf5_labels(const std::string& path, const std::string& label);

}  // namespace cairn
