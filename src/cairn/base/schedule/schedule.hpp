// Dealing tiles to ranks, and going on dealing while they run.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "cairn/base/index.hpp"

namespace cairn {

struct Execution;

/// One piece of a long loop: rows of a distributed result, with a predicted cost in any unit.
struct Tile {
  Index id = 0;
  Range rows;
  double cost = 1.0;
};

/// What a loop does with its tiles. compute() and result() of different tiles run on several threads at once; nothing
/// here may communicate.
class TileWork {
 public:
  virtual ~TileWork() = default;

  /// The inputs of an own tile, for a rank that is to compute it instead.
  [[nodiscard]] virtual std::vector<std::byte> pack(const Tile& tile) const = 0;
  /// Where the result of an own tile stands (bytes of the distributed result).
  [[nodiscard]] virtual std::span<std::byte> result(const Tile& tile) = 0;
  /// Bytes of the result of any tile.
  [[nodiscard]] virtual Index result_bytes(const Tile& tile) const = 0;
  /// How long a tile may take at most, in seconds, where no other rank hears of it meanwhile; 0: not worth speaking of.
  [[nodiscard]] virtual double longest_seconds() const { return 0.0; }
  /// Computes a tile into `result`. `inputs` is empty for an own tile, else what its owner packed.
  /// @throws Error; the loop then ends on all ranks with it
  virtual void compute(const Tile& tile, std::span<const std::byte> inputs, std::span<std::byte> result) const = 0;
};

/// What a loop took on this rank.
struct TileStatistics {
  Index computed = 0;         ///< tiles computed here
  Index taken_over = 0;       ///< of these, tiles that another rank owns
  Index restored = 0;         ///< own tiles that the ledger had
  Index restored_rows = 0;    ///< their rows
  double busy_seconds = 0.0;  ///< processor seconds inside compute(), summed over threads
};

/// Deals the tiles of one loop. Every rank starts with the tiles of its own rows, dearest first. A rank that has none
/// left asks the others, and is given tiles (with their inputs) worth a part of what the asked rank has left: by
/// message, between tiles, so that it works within a node and between nodes and needs no one-sided communication.
/// Results go back to the owner of the rows. No rank is idle while another has undealt tiles.
class Schedule {
 public:
  /// @param own    this rank's tiles: rows it owns, ids unique over all ranks
  /// @param total  number of tiles on all ranks
  Schedule(std::string name, std::vector<Tile> own, Index total);

  /// Runs the loop. Each own tile is in the ledger, and in work.result, when it returns.
  /// @throws Error of the lowest failing rank, the same on every rank
  /// Collective over execution.communicator.
  TileStatistics run(const Execution& execution, TileWork& work) const;

 private:
  std::string name_;
  std::vector<Tile> own_;
  Index total_;
};

}  // namespace cairn
