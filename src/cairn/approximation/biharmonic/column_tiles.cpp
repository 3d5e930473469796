#include "cairn/approximation/biharmonic/column_tiles.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/progress.hpp"
#include "cairn/linalg/dense/blas_threads.hpp"

namespace cairn {

namespace {

// Tiles that their own ranks compute.
class ScheduledTiles final : public TileWork {
 public:
  ScheduledTiles(const ColumnSolver& solver, ColumnStore& store, RowSums& sums)
      : solver_(solver), store_(store), sums_(sums) {}

  [[nodiscard]] std::vector<std::byte> pack(const Tile& /*tile*/) const override { return {}; }
  [[nodiscard]] std::span<std::byte> result(const Tile& tile) override { return store_.bytes(tile.id); }
  [[nodiscard]] Index result_bytes(const Tile& tile) const override { return store_.size(tile.id); }
  void compute(const Tile& tile, std::span<const std::byte> /*inputs*/, std::span<std::byte> result) const override {
    const ColumnTiling::TileColumns columns = solver_.solve(tile.id, store_.kept());
    store_.write(tile.id, columns, result);
    sums_.add(columns.sum_vertices, columns.sums);
  }

 private:
  const ColumnSolver& solver_;
  ColumnStore& store_;
  RowSums& sums_;  // of the tiles that this rank computes, whoever owns them
};

}  // namespace

void ColumnTiling::Quality::include(const Quality& other) {
  condition = std::max(condition, other.condition);
  edge_bound = std::max(edge_bound, other.edge_bound);
  factor_entries = std::max(factor_entries, other.factor_entries);
}

void ColumnSummary::combine(const Communicator& communicator) {
  double largest[] = {quality.condition, quality.edge_bound, quality.factor_entries};
  communicator.maximum(std::span<double>(largest));
  quality = {largest[0], largest[1], largest[2]};
  dropped_shares = communicator.sum(dropped_shares);
}

ColumnStore::ColumnStore(const Communicator& communicator, const ColumnTiling& tiling, Index kept)
    : tiling_(tiling), kept_(kept), results_(tiling.tiles().size()) {
  Index total = 0, before = 0;
  for (const auto& tile : tiling.tiles()) total += static_cast<Index>(tile.size());
  for (std::size_t t = 0; t < results_.size(); ++t) {
    const auto landmarks = static_cast<Index>(tiling.tiles()[t].size());
    owners_.push_back(static_cast<int>((before + landmarks / 2) * communicator.size() / total));
    if (owners_.back() == communicator.rank()) {
      const auto id = static_cast<Index>(t);
      own_.push_back({.id = id, .rows = {id, id + 1}});  // of equal cost: they keep their order
      results_[t] = Buffer<std::byte>(size(id));
    }
    before += landmarks;
  }
}

std::span<std::byte> ColumnStore::bytes(Index tile) {
  Buffer<std::byte>& buffer = results_[tile];
  return {buffer.data(), static_cast<std::size_t>(buffer.size())};
}

Index ColumnStore::size(Index tile) const {
  return TileBytes::size(members(tile).size(), static_cast<std::size_t>(kept_));
}

void ColumnStore::write(Index tile, const ColumnTiling::TileColumns& columns, std::span<std::byte> bytes) const {
  TileBytes(bytes, members(tile).size(), static_cast<std::size_t>(kept_)).write(members(tile), columns);
}

std::vector<ColumnView> ColumnStore::columns(ColumnSummary& summary) {
  std::vector<ColumnView> views;
  for (const Tile& tile : own_) {
    const std::vector<Index>& landmarks = members(tile.id);
    const TileBytes columns(bytes(tile.id), landmarks.size(), static_cast<std::size_t>(kept_));
    summary.quality.include(columns.quality());
    for (std::size_t k = 0; k < landmarks.size(); ++k) {
      views.push_back(columns.column(k, landmarks[k]));
      summary.dropped_shares += columns.dropped_share(k);
    }
  }
  return views;
}

Index solve_tiles(const Execution& execution, const std::string& loop, const ColumnSolver& solver, ColumnStore& store,
                  RowSums& sums) {
  auto phase = execution.phases.enter("interpolation");
  const BlasThreads one(1);  // tiles are assigned to threads
  ScheduledTiles work(solver, store, sums);
  const Schedule schedule(loop, store.own(), static_cast<Index>(solver.tiles().size()));
  const TileStatistics statistics = schedule.run(execution, work);
  phase.count_busy(statistics.busy_seconds);
  return execution.communicator.sum(statistics.restored);
}

Index solve_tiles(const Execution& execution, const std::string& loop, JointColumnSolver& solver, ColumnStore& store,
                  RowSums& sums) {
  const Communicator& communicator = execution.communicator;
  const auto phase = execution.phases.enter("interpolation");
  const auto tiles = static_cast<Index>(solver.tiles().size());
  std::vector<char> restored(solver.tiles().size(), 0);
  Index known = 0;
  collectively(communicator, [&] {
    execution.ledger.begin(loop.c_str(), tiles);
    for (const Tile& tile : store.own()) {
      restored[tile.id] = execution.ledger.get(tile.id, store.bytes(tile.id)) ? 1 : 0;
    }
  });
  for (Index tile = 0; tile < tiles; ++tile) communicator.broadcast(std::span(&restored[tile], 1), store.owner(tile));
  if (std::ranges::find(restored, 0) != restored.end()) {
    solver.prepare();
    collectively(communicator, [&] { execution.ledger.begin(loop.c_str(), tiles); });
  }
  Progress progress("interpolation", tiles, communicator.is_root(), "tiles/s");
  for (Index tile = 0; tile < tiles; ++tile) {
    const int owner = store.owner(tile);
    if (restored[tile] != 0) {
      ++known;
    } else {
      const ColumnTiling::TileColumns columns = solver.solve(tile, store.kept(), owner);
      collectively(communicator, [&] {
        if (communicator.rank() != owner) return;
        store.write(tile, columns, store.bytes(tile));
        execution.ledger.put(tile, store.bytes(tile));
      });
      sums.add(columns.sum_vertices, columns.sums);
    }
    progress.advance(1);
  }
  return known;
}

}  // namespace cairn
