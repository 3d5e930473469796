// What a long loop has finished.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "cairn/base/index.hpp"

namespace cairn {

/// Remembers finished tiles of a loop by their global ids, which do not depend on the number of ranks. Each rank asks
/// and tells its own ledger about the tiles that it owns. Not collective, called from the main thread only.
class TileLedger {
 public:
  virtual ~TileLedger() = default;

  /// Opens the loop `name` (unique within a run) for tiles 0 .. tiles-1.
  virtual void begin(const char* name, Index tiles) = 0;
  /// Fills `bytes` with what was put for `tile` in this loop by an earlier run; false if it must be computed.
  virtual bool get(Index tile, std::span<std::byte> bytes) = 0;
  /// Tells that `tile` is finished, and its bytes.
  virtual void put(Index tile, std::span<const std::byte> bytes) = 0;

  /// For loops whose result grows everywhere at once, so that no tile of it is ever finished: they keep() all of it, as
  /// the tiles of a loop of its own, where due() says that it is time, and then settle(). @param begun  seconds ago
  [[nodiscard]] virtual bool due(double /*begun*/) { return false; }
  /// As put(), but the run goes on whatever was asked of it.
  virtual void keep(Index tile, std::span<const std::byte> bytes) { put(tile, bytes); }
  /// Makes lasting what was kept; ends the run where it is to stop.
  virtual void settle() {}
};

/// Keeps counts only: a run that is not checkpointed remembers nothing beyond its end.
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

/// Another ledger, whose loops carry a prefix: for what is computed several times in a run.
class PrefixedLedger final : public TileLedger {
 public:
  /// @param of  outlives this
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
