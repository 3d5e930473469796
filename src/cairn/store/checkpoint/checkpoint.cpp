#include "cairn/store/checkpoint/checkpoint.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/log.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/interruption.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/data/digest.hpp"
#include "cairn/store/atomic_file.hpp"
#include "cairn/store/checkpoint/checkpoint_lock.hpp"
#include "cairn/store/checkpoint/checkpoint_manifest.hpp"
#include "cairn/store/checkpoint/checkpoint_segment.hpp"

namespace cairn {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// First difference of the two, as a sentence; nothing if they are equal.
std::optional<std::string> difference(const RunIdentity& stored, const RunIdentity& wanted) {
  std::set<std::string> names;
  for (const auto& [name, value] : stored) names.insert(name);
  for (const auto& [name, value] : wanted) names.insert(name);
  const auto text = [](const RunIdentity& identity, const std::string& name) {
    const auto at = identity.find(name);
    return at == identity.end() ? std::string("not given") : at->second;
  };
  for (const std::string& name : names) {
    const std::string before = text(stored, name), now = text(wanted, name);
    if (before != now) return fmt::format("{} was {} and is {}", name, before, now);
  }
  return std::nullopt;
}

// False for a damaged tile; a tile that cannot be read counts as damaged.
bool read_sound(const std::string& path, const SegmentTile& tile, std::span<std::byte> bytes) {
  try {
    return read_tile(path, tile, bytes);
  } catch (const Error&) {
    return false;
  }
}

// Manifest of a new run, on rank 0.
CheckpointManifest manifest_for(const Checkpoint::Options& options, const RunIdentity& identity) {
  std::optional<CheckpointManifest> manifest = read_manifest(options.path);
  if (!options.restart) refuse_existing_checkpoint(options.path);
  if (!manifest) return {new_checkpoint_id(), identity, {}};
  if (const auto differs = difference(manifest->identity, identity)) {
    throw Error(ErrorKind::input, fmt::format("{}: is the checkpoint of another run: {}", options.path, *differs));
  }
  return std::move(*manifest);
}

}  // namespace

class Checkpoint::State {
 public:
  State(const Communicator& communicator, Options options, const RunIdentity& identity);

  void begin(const char* name, Index tiles);
  bool get(Index tile, std::span<std::byte> bytes);
  void put(Index tile, std::span<const std::byte> bytes);
  bool due(double begun);
  void keep(Index tile, std::span<const std::byte> bytes);
  void settle();
  void flush();
  void remove();

  CheckpointMetrics metrics;
  Index runs = 0;

 private:
  struct Place {
    SegmentTile tile;
    std::int32_t segment = 0;
  };
  // The full key identifies a tile: hashes of two keys may be equal.
  struct Key {
    std::uint64_t loop;
    Index tile;
    bool operator==(const Key&) const = default;
  };
  struct HashKey {
    std::size_t operator()(const Key& key) const { return mix_bits(key.loop + static_cast<std::uint64_t>(key.tile)); }
  };

  void read_segments();
  [[nodiscard]] bool is_alone() const;
  [[nodiscard]] std::optional<std::string> stop_reason() const;
  void stop_where_asked();

  const Communicator& communicator_;
  Options options_;
  std::optional<CheckpointLock> lock_;  // on rank 0
  CheckpointManifest manifest_;
  std::vector<std::string> segments_;  // of earlier runs
  std::unordered_map<Key, Place, HashKey> tiles_;
  std::optional<SegmentWriter> writer_;
  std::string loop_;
  std::uint64_t loop_id_ = 0;
  Clock::time_point last_put_ = Clock::now(), last_flush_ = Clock::now();
  double longest_tile_ = 0.0, longest_flush_ = 0.0;
  Index unflushed_ = 0;  // bytes
  bool stopping_ = false;
};

Checkpoint::State::State(const Communicator& communicator, Options options, const RunIdentity& identity)
    : communicator_(communicator), options_(std::move(options)) {
  std::vector<Index> ranks;
  collectively(communicator, [&] {
    if (!communicator.is_root()) return;
    lock_.emplace(options_.path, options_.path_name());
    if (!lock_->note().empty()) log(LogLevel::warning, lock_->note());
    manifest_ = manifest_for(options_, identity);
    ranks.assign(manifest_.ranks.begin(), manifest_.ranks.end());
  });
  communicator.broadcast(ranks, 0);
  communicator.broadcast(manifest_.id, 0);
  manifest_.ranks.assign(ranks.begin(), ranks.end());
  segments_ = manifest_.segments(options_.path);
  metrics.notes = std::exchange(manifest_.notes, {});
  for (const std::string& note : metrics.notes) log(LogLevel::warning, note);
  runs = static_cast<Index>(ranks.size());
  read_segments();
  manifest_.ranks.push_back(communicator.size());
  const OutputPath path(options_.path, options_.path_name());
  write_manifest(communicator, path, manifest_);
  if (runs == 0) write_manifest(communicator, path, manifest_);  // so that two manifests exist from the start
  collectively(communicator, [&] {
    writer_.emplace(segment_path(options_.path, manifest_.id, runs, communicator.rank()), path.name);
  });
  collectively(communicator, [&] {
    if (communicator.is_root()) flush_folder_of(options_.path);  // a segment without a flushed name would be lost
  });
}

// Each rank scans some of the segments, then all ranks learn of all tiles. If a tile exists twice, the last one counts.
void Checkpoint::State::read_segments() {
  std::vector<SegmentTile> found;
  std::vector<std::int32_t> from;
  collectively(communicator_, [&] {
    for (std::size_t k = static_cast<std::size_t>(communicator_.rank()); k < segments_.size();
         k += static_cast<std::size_t>(communicator_.size())) {
      if (!fs::exists(segments_[k])) {
        metrics.notes.push_back(segments_[k] + " is not there");  // the rank may have been killed before it wrote
        log(LogLevel::warning, metrics.notes.back());
        continue;
      }
      SegmentIndex index;
      try {
        index = scan_segment(segments_[k]);
      } catch (const Error& error) {  // a bad disk: the tiles are computed again
        metrics.notes.push_back(error.what());
        log(LogLevel::warning, metrics.notes.back());
        continue;
      }
      for (const std::string& damage : index.damages) {
        metrics.notes.push_back("no record at " + damage);
        log(LogLevel::warning, metrics.notes.back());
      }
      found.insert(found.end(), index.tiles.begin(), index.tiles.end());
      from.resize(found.size(), static_cast<std::int32_t>(k));
      Watchdog::beat();
    }
  });
  found = communicator_.all_gather(found);
  from = communicator_.all_gather(from);
  for (std::size_t k = 0; k < found.size(); ++k) {
    Place& place = tiles_.try_emplace({found[k].loop, found[k].tile}, Place{found[k], -1}).first->second;
    if (from[k] >= place.segment) place = {found[k], from[k]};
  }
}

void Checkpoint::State::begin(const char* name, Index tiles) {
  loop_ = name;
  loop_id_ = loop_id(loop_);
  if (communicator_.is_root()) writer_->begin(loop_, tiles);
  last_put_ = Clock::now();
}

bool Checkpoint::State::get(Index tile, std::span<std::byte> bytes) {
  const auto at = tiles_.find({loop_id_, tile});
  if (at == tiles_.end()) return false;
  const auto start = Clock::now();
  const auto& [stored, segment] = at->second;
  const std::string& path = segments_[segment];
  const bool sound = stored.bytes == static_cast<Index>(bytes.size()) && read_sound(path, stored, bytes);
  metrics.seconds += seconds_since(start);
  last_put_ = Clock::now();  // time to read does not count as time to compute a tile
  Watchdog::beat();
  if (sound) {
    ++metrics.restored_tiles;
    metrics.restored_bytes += stored.bytes;
  } else {
    metrics.notes.push_back(
        fmt::format("{}, byte {}: tile {} of '{}' is damaged and computed again", path, stored.offset, tile, loop_));
    log(LogLevel::warning, metrics.notes.back());
  }
  return sound;
}

void Checkpoint::State::put(Index tile, std::span<const std::byte> bytes) {
  longest_tile_ = std::max(longest_tile_, seconds_since(last_put_));
  keep(tile, bytes);
  if (seconds_since(last_flush_) > options_.interval.count()) flush();
  last_put_ = Clock::now();
  expect_stop_within(1.0 + longest_tile_ + longest_flush_);
  stop_where_asked();
}

// Called once per round; a round takes as long as a tile.
bool Checkpoint::State::due(double begun) {
  longest_tile_ = std::max(longest_tile_, seconds_since(last_put_));
  last_put_ = Clock::now();
  expect_stop_within(1.0 + longest_tile_ + longest_flush_);
  return stop_reason() || seconds_since(last_flush_) > std::max(options_.interval.count(), begun / 4.0);
}

void Checkpoint::State::keep(Index tile, std::span<const std::byte> bytes) {
  const auto start = Clock::now();
  writer_->put(loop_, tile, bytes);
  ++metrics.written_tiles;
  metrics.written_bytes += static_cast<Index>(bytes.size());
  unflushed_ += static_cast<Index>(bytes.size());
  metrics.seconds += seconds_since(start);
  Watchdog::beat();
}

void Checkpoint::State::settle() {
  flush();
  longest_flush_ = std::max(longest_flush_, seconds_since(last_put_));
  last_put_ = Clock::now();
  stop_where_asked();
}

void Checkpoint::State::flush() {
  const auto start = Clock::now();
  const Watchdog::Patience patience(longest_flush_seconds(std::exchange(unflushed_, 0)));
  writer_->flush();
  last_flush_ = Clock::now();
  longest_flush_ = std::max(longest_flush_, seconds_since(start));
  metrics.seconds += seconds_since(start);
}

// Keeps two tiles and two flushes, each as long as the longest so far, free before the time limit.
std::optional<std::string> Checkpoint::State::stop_reason() const {
  if (auto reason = stop_request()) return reason;
  if (options_.stop_at == Clock::time_point::max()) return std::nullopt;
  const double left = -seconds_since(options_.stop_at);
  return left < 2.0 * (longest_tile_ + longest_flush_) ? std::optional(options_.time_name()) : std::nullopt;
}

void Checkpoint::State::stop_where_asked() {
  const std::optional<std::string> reason = stop_reason();
  if (!reason) return;
  if (!std::exchange(stopping_, true)) flush();  // later tiles are flushed when the run ends
  throw Error(
      ErrorKind::interrupted,
      fmt::format(
          "stopped by {} during '{}'; the finished tiles are in {}. Run the same command with --restart to resume",
          *reason, loop_, options_.path));
}

// True if the files are still those of this run: the lock was not removed, and no run has begun since.
bool Checkpoint::State::is_alone() const {
  if (!lock_->is_own()) return false;
  try {
    const auto there = read_manifest(options_.path);
    return there && there->id == manifest_.id && std::ssize(there->ranks) <= runs + 1;
  } catch (const Error&) {
    return false;
  }
}

void Checkpoint::State::remove() {
  manifest_.ranks.resize(static_cast<std::size_t>(runs) + 1, communicator_.size());
  writer_.reset();
  collectively(communicator_, [] {});  // no rank writes any more
  if (!communicator_.is_root()) return;
  if (!is_alone()) {
    log(LogLevel::warning, options_.path + " is another run's by now, and stays");
    return;
  }
  // The manifest is removed last: segments that no manifest names would block the next run.
  std::error_code failed;  // a remaining file does no harm
  for (const std::string& segment : manifest_.segments(options_.path)) fs::remove(segment, failed);
  try {
    flush_folder_of(options_.path);
  } catch (const Error&) {
    return;  // the result exists; the checkpoint remains without segments
  }
  fs::remove(previous_manifest(options_.path), failed);
  fs::remove(options_.path, failed);
}

Checkpoint::Checkpoint(const Communicator& communicator, Options options, const RunIdentity& identity)
    : state_(std::make_unique<State>(communicator, std::move(options), identity)) {}
Checkpoint::~Checkpoint() = default;

void Checkpoint::begin(const char* name, Index tiles) { state_->begin(name, tiles); }
bool Checkpoint::get(Index tile, std::span<std::byte> bytes) { return state_->get(tile, bytes); }
void Checkpoint::put(Index tile, std::span<const std::byte> bytes) { state_->put(tile, bytes); }
bool Checkpoint::due(double begun) { return state_->due(begun); }
void Checkpoint::keep(Index tile, std::span<const std::byte> bytes) { state_->keep(tile, bytes); }
void Checkpoint::settle() { state_->settle(); }
void Checkpoint::flush() { state_->flush(); }
void Checkpoint::remove() { state_->remove(); }
Index Checkpoint::earlier_runs() const { return state_->runs; }
const CheckpointMetrics& Checkpoint::metrics() const { return state_->metrics; }

void refuse_existing_checkpoint(const std::string& path) {
  if (read_manifest(path)) {
    throw Error(ErrorKind::usage, fmt::format("{0} is the checkpoint of a stopped run; give --restart to resume it, or "
                                              "remove {0}, {0}.previous and {0}.segment-*",
                                              path));
  }
}

bool is_checkpoint(const std::string& path) {
  try {
    return read_manifest(path).has_value();
  } catch (const Error&) {
    return begins_as_manifest(path);
  }
}

CheckpointContents read_checkpoint(const std::string& path) {
  const std::optional<CheckpointManifest> manifest = read_manifest(path);
  if (!manifest) throw Error(ErrorKind::input, path + ": is not there");
  CheckpointContents contents;
  contents.identity = manifest->identity;
  contents.runs = static_cast<Index>(manifest->ranks.size());
  contents.notes = manifest->notes;
  std::unordered_map<std::uint64_t, std::set<Index>> finished;
  for (const std::string& segment : manifest->segments(path)) {
    if (!fs::exists(segment)) continue;
    contents.bytes += static_cast<Index>(fs::file_size(segment));
    const SegmentIndex index = scan_segment(segment);
    for (const std::string& damage : index.damages) contents.notes.push_back("no record at " + damage);
    for (const SegmentTile& tile : index.tiles) finished[tile.loop].insert(tile.tile);
    for (const SegmentLoop& loop : index.loops) {
      const bool known =
          std::ranges::any_of(contents.loops, [&](const LoopProgress& other) { return other.name == loop.name; });
      if (!known) contents.loops.push_back({loop.name, loop.tiles});
    }
  }
  for (LoopProgress& loop : contents.loops) loop.finished = static_cast<Index>(finished[loop_id(loop.name)].size());
  return contents;
}

}  // namespace cairn
