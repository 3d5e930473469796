// The tiles that one rank finished in one run, one after the other in a file.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cairn/base/index.hpp"

namespace cairn {

/// Where a tile stands in a segment.
struct SegmentTile {
  std::uint64_t loop = 0;  ///< loop_id of its name
  Index tile = 0;
  Index offset = 0, bytes = 0;
  std::uint64_t checksum = 0;
};

/// A loop that was begun.
struct SegmentLoop {
  std::string name;
  Index tiles = 0;
};

/// What a segment holds, without the tiles' bytes.
struct SegmentIndex {
  std::vector<SegmentLoop> loops;
  std::vector<SegmentTile> tiles;
  std::vector<std::string> damages;  ///< "FILE, byte N": what stands there is no record
};

[[nodiscard]] std::uint64_t loop_id(const std::string& name);

/// Appends records to a new file. Local.
class SegmentWriter {
 public:
  /// @throws Error(usage) if the folder cannot be written or the file is there, Error(resource) if the disk is
  /// full; @param name  what messages say is to be changed
  SegmentWriter(std::string path, std::string name);
  ~SegmentWriter();
  SegmentWriter(const SegmentWriter&) = delete;
  SegmentWriter& operator=(const SegmentWriter&) = delete;

  /// @throws Error(resource) if the disk fails; what was written of the record then counts as torn
  void begin(const std::string& loop, Index tiles);
  void put(const std::string& loop, Index tile, std::span<const std::byte> bytes);
  /// Waits until all is on the disk. @throws Error(resource)
  void flush();
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  void append(std::uint32_t kind, const std::string& loop, Index number, std::span<const std::byte> bytes);

  std::string path_, name_;
  int file_ = -1;
  bool flushed_ = true;
};

/// Reads the records' headers, of which no size is believed that exceeds the file. A record that was cut off at the end
/// is skipped; if one is damaged, the next sound one is looked for. @throws Error(input) if the file cannot
/// be read
[[nodiscard]] SegmentIndex scan_segment(const std::string& path);

/// Reads a tile. False if its checksum is another one. @throws Error(input) if the file cannot be read
[[nodiscard]] bool read_tile(const std::string& path, const SegmentTile& tile, std::span<std::byte> bytes);

}  // namespace cairn
