// Points as an HDF5 file that read_points and DenseMatrix read.
#pragma once

#include <string>
#include <vector>

#include "cairn/base/schedule/execution.hpp"
#include "cairn/data/points/point_set.hpp"
#include "cairn/store/output_path.hpp"

namespace cairn {

/// Writes the data set "points" (n x d, float32 or float64 as T) and, if there are any, "labels" (text of one width)
/// and "columns" (likewise: `names` of the coordinates, the same on every rank). Each rank writes its rows. The file is
/// complete or absent.
/// @throws Error(usage) if `path` cannot become a file, Error(resource) if the disk is full. Collective.
template <class T>
void write_points(const Execution& execution, const OutputPath& path, const PointSet<T>& points,
                  const std::vector<std::string>& names = {});

}  // namespace cairn
