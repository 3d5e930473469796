// Symmetric matrices in square chunks, of which only those of the lower triangle are in the file.
#pragma once

#include <string>

#include "store/hdf5_write.hpp"

namespace cairn::hdf5 {

/// A data set of size x size elements in square chunks of `order` rows (the whole matrix, where it is smaller). The
/// chunks of the lower triangle have their place in the file, whose contents are not written; the others have none.
/// @throws Error(resource). One rank.
void create_tiles(const Handle& parent, const std::string& name, ElementType type, Index size, Index order);

/// Writes the entries of `rows` x `columns`, which lie within one chunk of the lower triangle, from row-major memory.
/// Independent: any rank, any chunk. @throws Error(resource)
void write_tile(const Handle& tiles, ElementType type, Range rows, Range columns, const void* values);

/// What the data set takes in the file at most, its index included. Local.
[[nodiscard]] Index tile_bytes(ElementType type, Index size, Index order);

}  // namespace cairn::hdf5
