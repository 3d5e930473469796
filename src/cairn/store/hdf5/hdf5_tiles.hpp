// Symmetric matrices in square chunks, of which only those of the lower triangle are in the file.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "cairn/store/hdf5/hdf5_write.hpp"

namespace cairn::hdf5 {

/// A data set of size x size elements in square chunks of `order` rows (the whole matrix, where it is smaller), which
/// have no place in the file yet. @throws Error(resource). One rank.
void create_tiles(const Handle& parent, const std::string& name, ElementType type, Index size, Index order,
                  Compression compression);

/// Gives the chunks of the lower triangle their place in the file, whose contents are not written; the others have
/// none. Not for deflated chunks, which get theirs as they are written. @throws Error(resource). One rank.
void place_tiles(const Handle& parent, const std::string& name, ElementType type, Index size, Index order);

/// Writes the entries of `rows` x `columns`, which lie within one chunk of the lower triangle, from row-major memory.
/// Independent: any rank, any chunk. Not for deflated chunks. @throws Error(resource)
void write_tile(const Handle& tiles, ElementType type, Range rows, Range columns, const void* values);

/// A chunk of order x order elements as the filters shuffle and deflate leave it; what `rows` x `columns` do not cover
/// are zeros. Thread-safe, local. @throws Error(resource)
[[nodiscard]] std::vector<std::byte> deflated_tile(ElementType type, Index rows, Index columns, Index order,
                                                   const void* values);

/// Puts a chunk from deflated_tile at `row`, `column` of a file that one rank alone has open. @throws Error(resource)
void write_deflated_tile(const Handle& tiles, Index row, Index column, std::span<const std::byte> chunk);

/// What the data set takes in the file at most, its index included; where chunks are deflated, the index alone. Local.
[[nodiscard]] Index tile_bytes(ElementType type, Index size, Index order, Compression compression);

}  // namespace cairn::hdf5
