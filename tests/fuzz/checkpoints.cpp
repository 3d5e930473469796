// The two kinds of files of a checkpoint: its manifest and its segments.
//
// Both carry checksums, which no change by chance would get right: where an input asks for it, they are put right
// before the file is read, so that what lies behind them is reached.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cairn/data/digest.hpp"
#include "cairn/data/io/byte_stream.hpp"
#include "cairn/store/checkpoint/checkpoint_manifest.hpp"
#include "cairn/store/checkpoint/checkpoint_segment.hpp"
#include "readers.hpp"
#include "scratch_file.hpp"

namespace cairn::fuzz {

namespace {

std::uint64_t hash(std::string_view bytes, std::uint64_t start) {
  return hash_bytes(std::as_bytes(std::span(bytes)), start);
}

// The header of a record as it stands in a segment.
struct Record {
  std::uint32_t magic, kind;
  std::uint64_t name_bytes;
  std::int64_t number, bytes;
  std::uint64_t checksum, header_checksum;
};
constexpr std::uint32_t magic = 0x4b434e43;

// Puts the checksums of all records right, from the first place where one may begin.
void put_right(std::string& segment) {
  for (std::size_t at = 0, next = 0; at + sizeof(Record) <= segment.size(); at = next) {
    next = at + 1;
    Record record;
    std::memcpy(&record, segment.data() + at, sizeof record);
    const std::size_t budget = segment.size() - at - sizeof record;
    if (record.magic != magic || record.name_bytes > budget) continue;
    const std::string_view name = std::string_view(segment).substr(at + sizeof record, record.name_bytes);
    const std::string_view rest = std::string_view(segment).substr(at + sizeof record + record.name_bytes);
    if (record.bytes >= 0 && static_cast<std::uint64_t>(record.bytes) <= rest.size()) {
      record.checksum = hash(rest.substr(0, static_cast<std::size_t>(record.bytes)), magic);
      next = at + sizeof record + name.size() + static_cast<std::size_t>(record.bytes);
    }
    const std::string fields(reinterpret_cast<const char*>(&record), offsetof(Record, header_checksum));
    record.header_checksum = hash(name, hash(fields, magic));
    std::memcpy(segment.data() + at, &record, sizeof record);
  }
}

}  // namespace

// r: with the right checksum behind the text; else as it stands.
void read_manifest_file(std::string_view input) {
  const char choice = take_choice(input);
  std::string text(input);
  if (choice == 'r') text += fmt::format("checksum = {:016x}\n", hash(text, 2));
  const std::string& path = file_of(text);
  const std::optional<CheckpointManifest> manifest = read_manifest(path);
  if (!manifest) return;
  constexpr Index few = 1000;  // more names take long to make
  Index segments = 0;
  for (const int ranks : manifest->ranks) {
    require(ranks >= 1, "a run of no ranks");
    segments += ranks;
  }
  if (segments < few) require(std::ssize(manifest->segments(path)) == segments, "not one segment a rank and run");
}

// r: with right checksums; else as it stands.
void read_segment_file(std::string_view input) {
  const char choice = take_choice(input);
  std::string segment(input);
  if (choice == 'r') put_right(segment);
  const std::string& path = file_of(segment);
  const SegmentIndex index = scan_segment(path);
  for (const SegmentTile& tile : index.tiles) {
    require(tile.offset >= 0 && tile.bytes >= 0 && tile.bytes <= std::ssize(segment) - tile.offset,
            "a tile lies outside its file");
    std::vector<std::byte> bytes(tile.bytes);
    const bool sound = read_tile(path, tile, bytes);
    require(sound || choice != 'r', "a tile with the right checksum is not read");
  }
}

}  // namespace cairn::fuzz
