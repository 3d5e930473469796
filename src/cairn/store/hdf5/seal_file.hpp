// The checksums of what one rank lays out in a file, before others fill its tables.
#pragma once

#include <string>

#include "cairn/data/io/hdf5_handle.hpp"

namespace cairn::hdf5 {

/// In the group crc32: the blocks of the file that hold texts of variable length, which HDF5 does not protect and
/// does not hold against its own sizes: where each begins, its bytes and its CRC-32.
inline constexpr const char* text_blocks = "text_blocks";
/// Its attribute: how many data sets were there, without those of the group.
inline constexpr const char* checksum_count = "data_sets";

/// Gives each data set of a file its attribute crc32, but for tables that ranks fill later, and lists the blocks of
/// texts. The last that is done to a file before its maker closes it, but for place_tiles. One rank.
/// @throws Error(resource) if the disk fails
void seal(const Handle& file, const std::string& path);

}  // namespace cairn::hdf5
