// Assignment of tiles to ranks, with redistribution while they run.
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

/// The work of a loop on its tiles. compute() and result() of different tiles run on several threads at once; no member
/// may communicate.
class TileWork {
 public:
  virtual ~TileWork() = default;

  /// The inputs of an own tile, for another rank that will compute it.
  [[nodiscard]] virtual std::vector<std::byte> pack(const Tile& tile) const = 0;
  /// Storage of the result of an own tile (bytes of the distributed result).
  [[nodiscard]] virtual std::span<std::byte> result(const Tile& tile) = 0;
  /// Size of the result of any tile, in bytes.
  [[nodiscard]] virtual Index result_bytes(const Tile& tile) const = 0;
  /// Most seconds that a tile may take without a message to other ranks; 0: negligible.
  [[nodiscard]] virtual double longest_seconds() const { return 0.0; }
  /// Computes a tile into `result`. `inputs` is empty for an own tile, otherwise what its owner packed.
  /// @throws Error, which then ends the loop on all ranks
  virtual void compute(const Tile& tile, std::span<const std::byte> inputs, std::span<std::byte> result) const = 0;
};

/// Statistics of a loop on this rank.
struct TileStatistics {
  Index computed = 0;         ///< tiles computed here
  Index taken_over = 0;       ///< of these, tiles of another rank
  Index restored = 0;         ///< own tiles that the ledger held
  Index restored_rows = 0;    ///< their rows
  double busy_seconds = 0.0;  ///< processor seconds inside compute(), summed over threads
};

/// Ranks that one rank asks for tiles in a loop: messages do not grow with the ranks.
inline constexpr std::size_t most_asked = 64;

/// Assigns the tiles of one loop. Every rank starts with the tiles of its own rows, longest job first. A rank without
/// tiles left asks others, at most `most_asked` (half of them began with most work, half are any), and receives tiles
/// (with their inputs) worth a part of what the asked rank has left. It uses messages between tiles, so it works within
/// a node and between nodes and needs no one-sided communication. Results return to the owner of the rows. On up to 65
/// ranks, no rank is idle while another has unassigned tiles whose results take less time to be sent back than to be
/// computed.
class Schedule {
 public:
  /// @param own    this rank's tiles: rows it owns, ids unique over all ranks
  /// @param total  number of tiles on all ranks
  Schedule(std::string name, std::vector<Tile> own, Index total);

  /// Runs the loop. Each own tile is in the ledger, and in work.result, when run() returns.
  /// @throws Error of the lowest failing rank, the same on every rank
  /// Collective over execution.communicator.
  TileStatistics run(const Execution& execution, TileWork& work) const;

 private:
  std::string name_;
  std::vector<Tile> own_;
  Index total_;
};

}  // namespace cairn
