#include "approximation/column_tiles.hpp"

#include <algorithm>
#include <mutex>
#include <string>
#include <utility>

#include "base/collective_guard.hpp"
#include "base/progress.hpp"
#include "linalg/blas_threads.hpp"

namespace cairn {

namespace {

// Tiles that their ranks compute.
class ScheduledTiles final : public TileWork {
 public:
  ScheduledTiles(const ColumnSolver& solver, ColumnStore& store) : solver_(solver), store_(store) {}

  [[nodiscard]] std::vector<std::byte> pack(const Tile& /*tile*/) const override { return {}; }
  [[nodiscard]] std::span<std::byte> result(const Tile& tile) override { return store_.bytes(tile.id); }
  [[nodiscard]] Index result_bytes(const Tile& tile) const override { return store_.size(tile.id); }
  void compute(const Tile& tile, std::span<const std::byte> /*inputs*/, std::span<std::byte> result) const override {
    ColumnTiling::TileColumns columns = solver_.solve(tile.id, store_.kept());
    store_.write(tile.id, columns, result);
    if (columns.sums.empty()) return;
    const std::lock_guard lock(mutex_);
    sums_.push_back({std::move(columns.sum_vertices), std::move(columns.sums)});
  }
  // Of the tiles that this rank computed, whosever they are.
  [[nodiscard]] std::vector<PartialRowSums>& sums() { return sums_; }

 private:
  const ColumnSolver& solver_;
  ColumnStore& store_;
  mutable std::mutex mutex_;
  mutable std::vector<PartialRowSums> sums_;
};

constexpr const char* loop_name = "interpolation";

}  // namespace

void ColumnSummary::check_sums(const Communicator& communicator, const std::vector<Index>& unit_rows, Index vertices,
                               const std::vector<PartialRowSums>& sums) {
  if (restored > 0 || communicator.maximum(sums.empty() ? 0 : 1) == 0) return;
  row_sum_error = std::max(row_sum_error, cairn::row_sum_error(communicator, unit_rows, vertices, sums));
}

void ColumnSummary::add(const ColumnTiling::Quality& quality) {
  row_sum_error = std::max(row_sum_error, quality.row_sum_error);
  condition = std::max(condition, quality.condition);
  edge_bound = std::max(edge_bound, quality.edge_bound);
  factor_entries = std::max(factor_entries, quality.factor_entries);
}

void ColumnSummary::combine(const Communicator& communicator) {
  double largest[] = {row_sum_error, condition, edge_bound, factor_entries};
  communicator.maximum(std::span<double>(largest));
  row_sum_error = largest[0], condition = largest[1], edge_bound = largest[2], factor_entries = largest[3];
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
      own_.push_back({.id = id, .rows = {id, id + 1}, .cost = static_cast<double>(landmarks)});
      results_[t] = Buffer<std::byte>(size(id));
    }
    before += landmarks;
  }
}

std::span<std::byte> ColumnStore::bytes(Index tile) {
  Buffer<std::byte>& buffer = results_[static_cast<std::size_t>(tile)];
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
    summary.add(columns.quality());
    for (std::size_t k = 0; k < landmarks.size(); ++k) {
      views.push_back(columns.column(k, landmarks[k]));
      summary.dropped_shares += columns.dropped_share(k);
    }
  }
  std::ranges::sort(views, {}, &ColumnView::landmark);
  return views;
}

void solve_tiles(const Execution& execution, const ColumnSolver& solver, ColumnStore& store, ColumnSummary& summary,
                 std::vector<PartialRowSums>& sums) {
  auto phase = execution.phases.enter("interpolation");
  const BlasThreads one(1);  // tiles are dealt to threads
  ScheduledTiles work(solver, store);
  const Schedule schedule(loop_name, store.own(), static_cast<Index>(solver.tiles().size()));
  const TileStatistics statistics = schedule.run(execution, work);
  phase.count_busy(statistics.busy_seconds);
  summary.restored = execution.communicator.sum(statistics.restored);
  sums = std::move(work.sums());
}

void solve_tiles(const Execution& execution, JointColumnSolver& solver, ColumnStore& store, ColumnSummary& summary,
                 std::vector<PartialRowSums>& sums) {
  const Communicator& communicator = execution.communicator;
  const auto phase = execution.phases.enter("interpolation");
  const auto tiles = static_cast<Index>(solver.tiles().size());
  std::vector<char> restored(solver.tiles().size(), 0);
  collectively(communicator, [&] {
    execution.ledger.begin(loop_name, tiles);
    for (const Tile& tile : store.own()) {
      restored[static_cast<std::size_t>(tile.id)] = execution.ledger.get(tile.id, store.bytes(tile.id)) ? 1 : 0;
    }
  });
  Progress progress(loop_name, tiles, communicator.is_root());
  for (Index tile = 0; tile < tiles; ++tile) {
    const int owner = store.owner(tile);
    communicator.broadcast(std::span(&restored[static_cast<std::size_t>(tile)], 1), owner);
    if (restored[static_cast<std::size_t>(tile)] != 0) {
      ++summary.restored;
    } else {
      ColumnTiling::TileColumns columns = solver.solve(tile, store.kept(), owner);
      collectively(communicator, [&] {
        if (communicator.rank() != owner) return;
        store.write(tile, columns, store.bytes(tile));
        execution.ledger.put(tile, store.bytes(tile));
      });
      merge_sums(std::move(columns), sums);
    }
    progress.advance(1);
  }
}

void merge_sums(ColumnTiling::TileColumns&& tile, std::vector<PartialRowSums>& sums) {
  if (sums.empty()) {
    sums.push_back({std::move(tile.sum_vertices), std::move(tile.sums)});
    return;
  }
  for (std::size_t k = 0; k < tile.sums.size(); ++k) sums.front().sums[k] += tile.sums[k];
}

}  // namespace cairn
