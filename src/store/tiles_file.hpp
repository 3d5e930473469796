// Symmetric tiles in a file: the lower triangle of a chunked matrix.
#pragma once

#include <string>

#include "linalg/symmetric_tiles.hpp"
#include "store/hdf5_read.hpp"
#include "store/shared_table.hpp"

namespace cairn {

/// The matrix as a table whose chunks are the tiles, each rank its own. Refers to `tiles`, which must live until it is
/// written.
[[nodiscard]] SharedTable tiles_table(const Communicator& communicator, const std::string& name,
                                      const SymmetricTiles& tiles);

/// The attributes `size`, `order` and `number` of the table. One rank.
void write_tile_attributes(const hdf5::Handle& table, const SymmetricTiles& tiles);

/// Size, order and number type, held against the attributes. @throws Error(input). Local.
struct StoredTiles {
  Index size = 0;
  Index order = 1;
  TileNumber number = TileNumber::float64;
};
[[nodiscard]] StoredTiles stored_tiles(const hdf5::InputFile& file, const std::string& name);

/// Every rank reads its tiles, whatever ranks wrote them.
/// @throws Error(input) for a missing chunk, a number that is not finite, a tile on the diagonal that is not symmetric;
///   Error(resource) where a rank has no room. Collective.
[[nodiscard]] SymmetricTiles read_tiles(const Communicator& communicator, const hdf5::InputFile& file,
                                        const std::string& name);

}  // namespace cairn
