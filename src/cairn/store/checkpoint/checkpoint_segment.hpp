// The tiles that one rank finished in one run, stored one after another in a file.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cairn/base/index.hpp"

namespace cairn {

/// Position of a tile in a segment.
struct SegmentTile {
  std::uint64_t loop = 0;  ///< loop_id of the loop's name
  Index tile = 0;
  Index offset = 0, bytes = 0;
  std::uint64_t checksum = 0;
};

/// A loop that has begun.
struct SegmentLoop {
  std::string name;
  Index tiles = 0;
};

/// Index of a segment, without the bytes of the tiles.
struct SegmentIndex {
  std::vector<SegmentLoop> loops;
  std::vector<SegmentTile> tiles;
  std::vector<std::string> damages;  ///< "FILE, byte N": positions without a valid record
};

[[nodiscard]] std::uint64_t loop_id(const std::string& name);

/// Appends records to a new file. Local.
class SegmentWriter {
 public:
  /// @throws Error(usage) if the folder is not writable or the file exists, Error(resource) if the disk is full
  /// @param name  parameter that messages ask to change
  SegmentWriter(std::string path, std::string name);
  ~SegmentWriter();
  SegmentWriter(const SegmentWriter&) = delete;
  SegmentWriter& operator=(const SegmentWriter&) = delete;

  /// @throws Error(resource) if the disk fails; the partial record then counts as torn
  void begin(const std::string& loop, Index tiles);
  void put(const std::string& loop, Index tile, std::span<const std::byte> bytes);
  /// Waits until everything is on the disk. @throws Error(resource)
  void flush();
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  void append(std::uint32_t kind, const std::string& loop, Index number, std::span<const std::byte> bytes);

  std::string path_, name_;
  int file_ = -1;
  bool flushed_ = true;
};

/// Reads the headers of the records. Sizes that exceed the file are rejected. A record that was cut off at the end is
/// skipped; after a damaged record the next sound one is searched. @throws Error(input) if the file cannot be read
[[nodiscard]] SegmentIndex scan_segment(const std::string& path);

/// Reads a tile. False if its checksum differs. @throws Error(input) if the file cannot be read
[[nodiscard]] bool read_tile(const std::string& path, const SegmentTile& tile, std::span<std::byte> bytes);

}  // namespace cairn
