// Temporary tiles on disk, for the duration of a run.
#pragma once

#include <string>
#include <unordered_map>

#include "cairn/base/schedule/tile_ledger.hpp"

namespace cairn {

/// Keeps the tiles of a rank in a file without a name, so that nothing remains however the run ends. Main thread only.
class ScratchTiles final : public TileLedger {
 public:
  /// Allocates `bytes` on the disk at once if the file system can. @param folder  folder of the file, "" for the
  /// working directory @param advice  what a user can do besides freeing space, for messages @throws Error(resource) if
  /// there is not enough space, Error(usage) if the folder is not writable. Local.
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
