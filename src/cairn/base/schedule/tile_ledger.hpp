// Record of the finished tiles of a long loop.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "cairn/base/index.hpp"

namespace cairn {

/// Records finished tiles of a loop by their global ids, which do not depend on the number of ranks. Each rank uses its
/// own ledger for the tiles that it owns. Not collective, called from the main thread only.
class TileLedger {
 public:
  virtual ~TileLedger() = default;

  /// Opens the loop `name` (unique within a run) for tiles 0 .. tiles-1.
  virtual void begin(const char* name, Index tiles) = 0;
  /// Fills `bytes` with what an earlier run stored for `tile` in this loop; false if the tile must be computed.
  virtual bool get(Index tile, std::span<std::byte> bytes) = 0;
  /// Stores the bytes of the finished `tile`.
  virtual void put(Index tile, std::span<const std::byte> bytes) = 0;

  /// For loops whose result grows everywhere at once, so that none of its tiles is ever finished. When due() returns
  /// true, they keep() the whole result, as the tiles of a separate loop, and then settle(). @param begun  seconds
  /// since they began
  [[nodiscard]] virtual bool due(double /*begun*/) { return false; }
  /// Stores a tile like put(), but never stops the run.
  virtual void keep(Index tile, std::span<const std::byte> bytes) { put(tile, bytes); }
  /// Makes kept tiles permanent; ends the run if it must stop.
  virtual void settle() {}
};

/// Counts tiles only: a run without a checkpoint stores nothing beyond its end.
class MemoryLedger final : public TileLedger {
 public:
  void begin(const char* /*name*/, Index tiles) override { tiles_ = tiles, finished_ = 0; }
  bool get(Index /*tile*/, std::span<std::byte> /*bytes*/) override { return false; }
  void put(Index /*tile*/, std::span<const std::byte> /*bytes*/) override { ++finished_; }

  [[nodiscard]] Index tiles() const { return tiles_; }
  [[nodiscard]] Index finished() const { return finished_; }

 private:
  Index tiles_ = 0;
  Index finished_ = 0;
};

/// Forwards to another ledger with a prefix on loop names: for computations that occur several times in a run.
class PrefixedLedger final : public TileLedger {
 public:
  /// @param of  must outlive this
  PrefixedLedger(TileLedger& of, std::string prefix) : of_(of), prefix_(std::move(prefix)) {}

  void begin(const char* name, Index tiles) override { of_.begin((prefix_ + name).c_str(), tiles); }
  bool get(Index tile, std::span<std::byte> bytes) override { return of_.get(tile, bytes); }
  void put(Index tile, std::span<const std::byte> bytes) override { of_.put(tile, bytes); }
  bool due(double begun) override { return of_.due(begun); }
  void keep(Index tile, std::span<const std::byte> bytes) override { of_.keep(tile, bytes); }
  void settle() override { of_.settle(); }

 private:
  TileLedger& of_;
  std::string prefix_;
};

}  // namespace cairn
