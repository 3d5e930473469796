#include "cairn/run/keys/checkpointing.hpp"

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "cairn/parameters/units.hpp"
#include "cairn/run/keys/key_names.hpp"
#include "cairn/store/checkpoint/checkpoint_lock.hpp"
#include "cairn/store/checkpoint/run_identity.hpp"

namespace cairn {

namespace {

// True for keys that may change when a run is resumed: they determine where it runs and what it writes, not what it
// computes.
bool may_change(const std::string& key) {
  static const std::vector<std::string> keys = {"run.checkpoint",
                                                "run.checkpoint-interval",
                                                "run.max-time",
                                                "run.memory",
                                                "run.stall-timeout",
                                                "run.threads",
                                                "similarity.processes",
                                                "similarity.time-limit",
                                                "similarity.retries",
                                                "json",
                                                "quiet",
                                                "restart",
                                                "config"};
  return contains(keys, key) || key.starts_with("output.");
}

Checkpoint::Options options_of(const Settings& settings, std::chrono::steady_clock::time_point start) {
  Checkpoint::Options options{.path = settings.text("run.checkpoint"),
                              .restart = settings.flag("restart"),
                              .interval = std::chrono::seconds(settings.integer("run.checkpoint-interval")),
                              .keys = run_keys};
  if (settings.given("run.max-time")) options.stop_at = start + std::chrono::seconds(settings.integer("run.max-time"));
  return options;
}

RunIdentity identity_of_run(const Settings& settings, const std::string& version, std::uint64_t digest,
                            const std::string& selection) {
  RunIdentity identity = identity_of(settings, {may_change, "similarity.command"}, version, digest);
  if (!selection.empty()) identity["landmarks.selection"] = selection;
  return identity;
}

}  // namespace

void refuse_unused_checkpoint_keys(const Settings& settings) {
  if (!settings.text("run.checkpoint").empty()) return;
  for (const char* key : {"restart", "run.checkpoint-interval", "run.max-time"}) {
    if (settings.given(key))
      throw Error(ErrorKind::usage, fmt::format("{} has no effect without run.checkpoint", settings.where(key)));
  }
}

void require_usable_checkpoint(const Communicator& communicator, const Settings& settings) {
  const std::string& path = settings.text("run.checkpoint");
  if (path.empty()) return;
  collectively(communicator, [&] {
    if (!communicator.is_root()) return;
    require_unlocked(path);
    if (!settings.flag("restart")) refuse_existing_checkpoint(path);
  });
}

std::string no_checkpoint(const Settings& settings) {
  return fmt::format("{} is not there: the run starts from the beginning\n", settings.text("run.checkpoint"));
}

RunCheckpoint::RunCheckpoint(const Communicator& communicator, const Settings& settings, RunLedger& ledger,
                             const std::string& version, std::chrono::steady_clock::time_point start,
                             std::uint64_t digest, const std::string& selection)
    : ledger_(ledger),
      restart_(settings.flag("restart")),
      checkpoint_(communicator, options_of(settings, start), identity_of_run(settings, version, digest, selection)) {
  ledger.keep_in(checkpoint_);
}

CheckpointSummary RunCheckpoint::summary(const Communicator& communicator) const {
  const CheckpointMetrics& own = checkpoint_.metrics();
  CheckpointSummary summary;
  summary.earlier_runs = checkpoint_.earlier_runs();
  summary.restored_tiles = communicator.sum(own.restored_tiles);
  summary.written_tiles = communicator.sum(own.written_tiles);
  summary.written_bytes = communicator.sum(own.written_bytes);
  summary.seconds = communicator.maximum(own.seconds);
  summary.damages = communicator.sum(static_cast<Index>(own.notes.size()));
  return summary;
}

std::unique_ptr<RunCheckpoint> make_checkpoint(const Communicator& communicator, const Settings& settings,
                                               RunLedger& ledger, const std::string& version,
                                               std::chrono::steady_clock::time_point start, std::uint64_t digest,
                                               const std::string& selection) {
  if (settings.text("run.checkpoint").empty()) return nullptr;
  return std::make_unique<RunCheckpoint>(communicator, settings, ledger, version, start, digest, selection);
}

}  // namespace cairn
