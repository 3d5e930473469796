#include "cairn/linalg/tiles/tile_redistribution.hpp"

#include <algorithm>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/linalg/dense/block_cyclic_layout.hpp"

namespace cairn {

namespace {

constexpr Index round_bytes = Index{32} << 20;

struct PlacedEntry {
  std::int32_t row, column;  // within 32 bits: a BlockCyclicMatrix of this size exists
  double value;
};

// Appends the entries of an own tile, and of its mirror image unless it is on the diagonal, to the messages for their
// owners.
void pack_tile(const ProcessGrid& grid, const SymmetricTiles& tiles, Index tile,
               std::vector<std::vector<PlacedEntry>>& send) {
  const SymmetricTiles::Place at = tiles.place(tile);
  Buffer<double> values(at.rows.size() * at.columns.size());
  const MatrixView<double> view(values.data(), at.rows.size(), at.columns.size());
  tiles.load(tile, view);
  const auto add = [&](Index row, Index column, double value) {
    const int rank = grid.rank_at(block_cyclic::owner(row, grid.rows()), block_cyclic::owner(column, grid.columns()));
    send[rank].push_back({static_cast<std::int32_t>(row), static_cast<std::int32_t>(column), value});
  };
  const bool diagonal = at.rows.begin == at.columns.begin;
  for (Index i = 0; i < view.rows; ++i) {
    for (Index j = 0; j < view.columns; ++j) {
      add(at.rows.begin + i, at.columns.begin + j, view(i, j));
      if (!diagonal) add(at.columns.begin + j, at.rows.begin + i, view(i, j));
    }
  }
}

}  // namespace

BlockCyclicMatrix to_block_cyclic(std::shared_ptr<const ProcessGrid> grid, const SymmetricTiles& tiles) {
  BlockCyclicMatrix result(std::move(grid), tiles.size(), tiles.size());
  const ProcessGrid& ranks = result.grid();
  const Communicator& communicator = ranks.communicator();
  const Index order = std::min(tiles.order(), tiles.size());  // the part of a tile that lies in the matrix
  const Index tile_bytes = std::max<Index>(1, 2 * order * order * static_cast<Index>(sizeof(PlacedEntry)));
  const Index step = std::max<Index>(1, round_bytes / tile_bytes) * communicator.size();
  for (Index begin = 0; begin < tiles.tiles(); begin += step) {
    const auto send = collectively(communicator, [&] {
      std::vector<std::vector<PlacedEntry>> messages(communicator.size());
      for (Index tile = begin; tile < std::min(begin + step, tiles.tiles()); ++tile) {
        if (tiles.mine(tile)) pack_tile(ranks, tiles, tile, messages);
      }
      return messages;
    });
    for (const auto& message : communicator.exchange(send)) {
      for (const PlacedEntry& entry : message) {
        result.local(block_cyclic::to_local(entry.row, ranks.rows()),
                     block_cyclic::to_local(entry.column, ranks.columns())) = entry.value;
      }
    }
    Watchdog::beat();
  }
  return result;
}

}  // namespace cairn
