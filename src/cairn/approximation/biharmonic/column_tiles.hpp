// Computed columns of P on the ranks that keep them until they become rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cairn/approximation/biharmonic/interpolation.hpp"
#include "cairn/approximation/biharmonic/interpolation_rows.hpp"
#include "cairn/base/buffer.hpp"
#include "cairn/base/schedule/schedule.hpp"

namespace cairn {

/// Summary of all columns of P.
struct ColumnSummary {
  std::optional<double> row_sum_error;  ///< empty if a ledger had some of the columns already
  ColumnTiling::Quality quality;        ///< the largest over tiles
  double dropped_shares = 0.0;          ///< sum over columns of (dropped / all)² in 2-norm

  /// Combines the summaries of all ranks. Collective.
  void combine(const Communicator& communicator);
};

/// A tile's columns as bytes, in the form stored in a ledger; the length is known before the columns are computed. Per
/// landmark: norms and number of entries; then the tile's quality, all values, all vertices.
class TileBytes {
 public:
  TileBytes(std::span<std::byte> bytes, std::size_t columns, std::size_t kept)
      : heads_(reinterpret_cast<Head*>(bytes.data())),
        quality_(reinterpret_cast<ColumnTiling::Quality*>(heads_ + columns)),
        values_(reinterpret_cast<double*>(quality_ + 1)),
        vertices_(reinterpret_cast<std::int32_t*>(values_ + columns * kept)),
        kept_(kept) {}
  [[nodiscard]] static Index size(std::size_t columns, std::size_t kept) {
    return static_cast<Index>(columns * (sizeof(Head) + kept * (sizeof(double) + sizeof(std::int32_t))) +
                              sizeof(ColumnTiling::Quality));
  }

  void write(const std::vector<Index>& members, const ColumnTiling::TileColumns& tile) {
    *quality_ = tile.quality;
    for (const auto& column : tile.columns) {
      const auto k = static_cast<std::size_t>(std::ranges::find(members, column.landmark) - members.begin());
      heads_[k] = {column.dropped, column.all, static_cast<Index>(column.values.size())};
      std::ranges::copy(column.values, values_ + k * kept_);
      std::ranges::copy(column.vertices, vertices_ + k * kept_);
    }
  }
  [[nodiscard]] const ColumnTiling::Quality& quality() const { return *quality_; }
  [[nodiscard]] double dropped_share(std::size_t k) const {
    return heads_[k].all > 0.0 ? heads_[k].dropped / heads_[k].all : 0.0;
  }
  [[nodiscard]] ColumnView column(std::size_t k, Index landmark) const {
    const auto entries = static_cast<std::size_t>(heads_[k].entries);
    return {landmark, std::span(vertices_ + k * kept_, entries), std::span(values_ + k * kept_, entries)};
  }

 private:
  struct Head {
    double dropped, all;
    Index entries;
  };
  Head* heads_;
  ColumnTiling::Quality* quality_;
  double* values_;
  std::int32_t* vertices_;
  std::size_t kept_;
};

/// The columns of tiles of landmarks, at most `kept` entries per column. Each tile belongs to one rank: tiles are split
/// in their order, into shares of equal numbers of landmarks, so that adjacent tiles are on one rank.
class ColumnStore {
 public:
  /// Memory: 12 bytes per entry, and 24 per landmark. Local.
  ColumnStore(const Communicator& communicator, const ColumnTiling& tiling, Index kept);

  [[nodiscard]] const std::vector<Tile>& own() const { return own_; }
  [[nodiscard]] int owner(Index tile) const { return owners_[tile]; }
  [[nodiscard]] Index kept() const { return kept_; }
  [[nodiscard]] const std::vector<Index>& members(Index tile) const { return tiling_.tiles()[tile]; }
  /// Bytes of an own tile.
  [[nodiscard]] std::span<std::byte> bytes(Index tile);
  /// Size in bytes of any tile.
  [[nodiscard]] Index size(Index tile) const;
  /// Writes computed columns into bytes of that size.
  void write(Index tile, const ColumnTiling::TileColumns& columns, std::span<std::byte> bytes) const;
  /// This rank's columns, tile by tile, after all are computed.
  [[nodiscard]] std::vector<ColumnView> columns(ColumnSummary& summary);

 private:
  const ColumnTiling& tiling_;
  Index kept_;
  std::vector<int> owners_;
  std::vector<Tile> own_;
  std::vector<Buffer<std::byte>> results_;
};

/// Fills the store: tiles are assigned to the ranks, each of which computes its own. @return number of tiles found in a
/// ledger; nothing was added to `sums` for those. @param loop  name in the ledger, with the solver and its tiles.
/// Collective.
Index solve_tiles(const Execution& execution, const std::string& loop, const ColumnSolver& solver, ColumnStore& store,
                  RowSums& sums);
/// Fills the store: tiles one after another, all ranks on each. @return as above. Collective.
Index solve_tiles(const Execution& execution, const std::string& loop, JointColumnSolver& solver, ColumnStore& store,
                  RowSums& sums);

}  // namespace cairn
