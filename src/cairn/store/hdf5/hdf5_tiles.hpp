// Symmetric matrices in square chunks, of which the file stores only those of the lower triangle.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "cairn/store/hdf5/hdf5_write.hpp"

namespace cairn::hdf5 {

/// Creates a data set of size x size elements in square chunks of `order` rows (the whole matrix, if it is smaller),
/// without allocating the chunks in the file. @throws Error(resource). One rank.
void create_tiles(const Handle& parent, const std::string& name, ElementType type, Index size, Index order,
                  Compression compression);

/// Allocates the chunks of the lower triangle in the file, without writing their contents; the others are not
/// allocated. Not for deflated chunks, which are allocated as they are written. @throws Error(resource). One rank.
void place_tiles(const Handle& parent, const std::string& name, ElementType type, Index size, Index order);

/// Writes the entries of `rows` x `columns`, which lie within one chunk of the lower triangle, from row-major memory.
/// Independent: any rank, any chunk. Not for deflated chunks. @throws Error(resource)
void write_tile(const Handle& tiles, ElementType type, Range rows, Range columns, const void* values);

/// A chunk of order x order elements after the filters shuffle and deflate; entries outside `rows` x `columns` are
/// zeros. Thread-safe, local. @throws Error(resource)
[[nodiscard]] std::vector<std::byte> deflated_tile(ElementType type, Index rows, Index columns, Index order,
                                                   const void* values);

/// Upper bound for the bytes of the data set in the file, its index included; for deflated chunks, of the index alone.
/// Local.
[[nodiscard]] Index tile_bytes(ElementType type, Index size, Index order, Compression compression);

}  // namespace cairn::hdf5
