// How the points of a model are read, in the group "points" of its file.
#pragma once

#include "cairn/data/data_kind.hpp"
#include "cairn/store/hdf5/hdf5_read.hpp"
#include "cairn/store/hdf5/hdf5_write.hpp"

namespace cairn {

/// Creates the group "points" in `parent`. One rank. @throws Error(resource)
void write_known_points(const hdf5::Handle& parent, const KnownPoints& points);

/// @throws Error(input) if it does not hold the scaling of `dimension` coordinates. Local.
[[nodiscard]] KnownPoints read_known_points(const hdf5::InputFile& file, Index dimension);

}  // namespace cairn
