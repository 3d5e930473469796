// Tiles on disk for the time of a run.
#pragma once

#include <string>
#include <unordered_map>

#include "cairn/base/schedule/tile_ledger.hpp"

namespace cairn {

/// Keeps a rank's tiles in a file that has no name, so that nothing is left of it however the run ends. Main thread
/// only.
class ScratchTiles final : public TileLedger {
 public:
  /// Takes `bytes` of the disk at once where the file system can. @param folder  where the file is, "" for the working
  /// directory @param advice  what else than to free space a user can do, for messages @throws Error(resource) where
  /// there is no room, Error(usage) if the folder cannot be written. Local.
  ScratchTiles(const std::string& folder, Index bytes, std::string advice = "or use another folder");
  ~ScratchTiles() override;
  ScratchTiles(const ScratchTiles&) = delete;
  ScratchTiles& operator=(const ScratchTiles&) = delete;

  void begin(const char* /*name*/, Index /*tiles*/) override {}
  /// @throws Error(resource) if the disk fails
  bool get(Index tile, std::span<std::byte> bytes) override;
  void put(Index tile, std::span<const std::byte> bytes) override;

 private:
  int file_ = -1;
  std::string folder_, advice_;
  std::unordered_map<Index, Index> offsets_;  // by tile; the size of a tile never changes
  Index end_ = 0;
};

}  // namespace cairn
