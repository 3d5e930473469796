#include "cairn/run/keys/checkpointing.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cairn/data/io/same_files.hpp"
#include "cairn/parameters/settings.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/run/keys/key_names.hpp"
#include "cairn/store/checkpoint/checkpoint.hpp"
#include "cairn/store/checkpoint/checkpoint_lock.hpp"

namespace cairn {

namespace {

// Identity of a run, from its config.

// Keys with special treatment.
struct IdentityRules {
  bool (*may_change)(const std::string& key);  ///< true: a resumed run may have another value
  std::string program;                         ///< key that holds a command, whose words may name files
};

std::string fingerprint(const std::string& path) { return fmt::format("{:016x}", file_fingerprint(path)); }

// Fingerprints of the words of a command that name files; the program is found as a shell finds it. A script that was
// edited gives other scores.
std::string program_fingerprints(const std::string& command) {
  std::string text;
  std::istringstream words(command);
  bool first = true;
  for (std::string word; words >> word; first = false) {
    std::vector<std::string> places{word};
    if (first && word.find('/') == std::string::npos) {
      const char* path = std::getenv("PATH");
      std::istringstream folders(path == nullptr ? "" : path);
      for (std::string folder; std::getline(folders, folder, ':');) places.push_back(folder + "/" + word);
      places.erase(places.begin());
    }
    for (const std::string& place : places) {
      std::error_code unknown;
      if (!std::filesystem::is_regular_file(place, unknown)) continue;
      text += fmt::format(" ({} {})", word, fingerprint(place));
      break;
    }
  }
  return text;
}

// The version, the data digest, and the given keys that affect what is computed: files by their content, a command
// together with the programs that it names. Local.
RunIdentity identity_of(const Settings& settings, const IdentityRules& rules, const std::string& version,
                        std::uint64_t digest) {
  constexpr const char* tiling = "7";  // increase it if the same config is divided into other tiles
  RunIdentity identity{{"version", version}, {"tiling", tiling}, {"data digest", fmt::format("{:016x}", digest)}};
  for (const std::string& name : settings.known_names()) {
    if (!settings.given(name) || rules.may_change(name)) continue;
    const Parameter& option = settings.option(name);
    if (settings.text(name) == option.fallback) continue;  // same as not given
    if (option.type == ValueType::input_path)
      identity[name] = "a file of digest " + fingerprint(settings.text(name));  // independent of its name
    else if (name == rules.program)
      identity[name] = settings.text(name) + program_fingerprints(settings.text(name));
    else if (option.type == ValueType::number && !option.repeatable)
      identity[name] = fmt::format("{}", settings.number(name));
    else
      identity[name] = settings.text(name);
  }
  return identity;
}

// True for keys that may change when a run is resumed: they determine where it runs and what it writes, not what it
// computes.
bool may_change(const std::string& key) {
  static const std::vector<std::string> keys = {"run.checkpoint",
                                                "run.checkpoint-interval",
                                                "run.max-time",
                                                "run.memory",
                                                "run.stall-timeout",
                                                "run.threads",
                                                "max-iterations",
                                                "overwrite",
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
  const std::string landmark_error = "landmarks.error";
  const bool grows = settings.knows(landmark_error) && settings.given(landmark_error);
  for (const std::string key : {"restart", "run.checkpoint-interval", "run.max-time"}) {
    if (!settings.given(key) || (grows && key == "run.max-time")) continue;
    const bool limits = key == "run.max-time" && settings.knows(landmark_error);
    throw Error(ErrorKind::usage, fmt::format("{} has no effect without run.checkpoint{}", settings.where(key),
                                              limits ? " or " + landmark_error : ""));
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
