// Checksums of everything that one rank lays out in a file, before other ranks fill its tables.
#pragma once

#include <string>

#include "cairn/data/io/hdf5_handle.hpp"

namespace cairn::hdf5 {

/// In the group crc32: blocks of the file that hold texts of variable length, which HDF5 neither protects nor checks
/// against its own sizes. For each block: offset, bytes and CRC-32.
inline constexpr const char* text_blocks = "text_blocks";
/// Attribute of it: number of data sets, without those of the group.
inline constexpr const char* checksum_count = "data_sets";

/// Gives each data set of a file its attribute crc32, except tables that ranks fill later, and lists the blocks of
/// texts. Must be the last operation, except for place_tiles, before the creator closes the file. One rank.
/// @throws Error(resource) if the disk fails
void seal(const Handle& file, const std::string& path);

}  // namespace cairn::hdf5
