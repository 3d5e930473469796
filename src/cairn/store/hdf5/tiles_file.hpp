// Symmetric tiles in a file: the lower triangle of a chunked matrix.
#pragma once

#include <limits>
#include <optional>
#include <string>

#include "cairn/linalg/tiles/symmetric_tiles.hpp"
#include "cairn/store/hdf5/hdf5_read.hpp"
#include "cairn/store/hdf5/shared_table.hpp"

namespace cairn {

/// Deflated tiles are written in rounds of bounded memory, by every rank or by rank 0.
struct DeflatedRounds {
  Index bytes = Index{64} << 20;  ///< of tiles that a rank compresses at a time
  Index ranks_by_root = 4;        ///< as many ranks' bytes at a time where rank 0 writes them
  /// Rank 0 writes all; otherwise every rank its own. Nothing: rank 0 if there are several nodes whose file system is
  /// not known to let them write next to each other (is_coherent_between_nodes).
  std::optional<bool> by_root{};
};

/// The matrix as a table whose chunks are the tiles. Each rank writes its own tiles. With deflate, each rank compresses
/// its own tiles, rank 0 places them in their order, and each writes its own, or sends them to rank 0.
/// The table refers to `tiles`, which must live until it is written.
[[nodiscard]] SharedTable tiles_table(const Communicator& communicator, const std::string& name,
                                      const SymmetricTiles& tiles, Compression compression, int threads = 1,
                                      const DeflatedRounds& rounds = {});

/// Writes the attributes `size`, `order` and `number` of the table. One rank.
void write_tile_attributes(const hdf5::Handle& table, const SymmetricTiles& tiles);

/// Size, order and number type, checked against the attributes. @throws Error(input). Local.
struct StoredTiles {
  Index size = 0;
  Index order = 1;
  TileNumber number = TileNumber::float64;
  Compression compression = Compression::none;
};
[[nodiscard]] StoredTiles stored_tiles(const hdf5::InputFile& file, const std::string& name);

/// Every rank reads its tiles, whichever ranks wrote them. If they take more than `most_bytes` on a rank, they are read
/// and verified at each request, and nothing is kept.
/// @throws Error(input) for a missing chunk, a number that is not finite, a tile on the diagonal that is not symmetric;
/// Error(resource) if a rank has not enough memory. Collective.
[[nodiscard]] SymmetricTiles read_tiles(const Communicator& communicator, const hdf5::InputFile& file,
                                        const std::string& name, Index most_bytes = std::numeric_limits<Index>::max());

}  // namespace cairn
