#include "pipeline/checkpointing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <span>
#include <sstream>
#include <vector>

#include "cairn/data/digest.hpp"
#include "cairn/parameters/units.hpp"
#include "keys/key_names.hpp"
#include "report/report.hpp"
#include "report/version.hpp"

namespace cairn::app {

namespace {

// Keys that may be others when a run goes on: they decide where it runs and what it writes, not what it computes.
bool may_change(const std::string& key) {
  static const std::set<std::string> keys{"run.checkpoint",
                                          "run.checkpoint-interval",
                                          "run.max-time",
                                          "run.memory",
                                          "run.stall-timeout",
                                          "run.threads",
                                          "similarity.processes",
                                          "similarity.time-limit",
                                          "similarity.retries",
                                          "json",
                                          "restart",
                                          "config"};
  return keys.contains(key) || key.starts_with("output.");
}

// Of the size, and of the first and the last MiB: a file may have some GB.
std::string fingerprint(const std::string& path) {
  constexpr std::streamoff piece = std::streamoff{1} << 20;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = file ? static_cast<std::streamoff>(file.tellg()) : 0;
  std::vector<char> bytes(static_cast<std::size_t>(std::min(size, piece)));
  std::uint64_t digest = static_cast<std::uint64_t>(size);
  for (const std::streamoff begin : {std::streamoff{0}, std::max(size - piece, std::streamoff{0})}) {
    file.seekg(begin);
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    digest = hash_bytes(std::as_bytes(std::span(bytes)), digest);
  }
  return fmt::format("{:016x}", digest);
}

// Words of a command that name files, the program found as a shell finds it: a script that was edited scores otherwise.
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

RunIdentity identity_of(const Settings& settings, std::uint64_t digest) {
  constexpr const char* tiling = "3";  // grows where a run of the same config is cut into other tiles than before
  RunIdentity identity{{"version", version()}, {"tiling", tiling}, {"data digest", fmt::format("{:016x}", digest)}};
  for (const std::string& name : settings.known_names()) {
    if (!settings.given(name) || may_change(name)) continue;
    const Parameter& option = settings.option(name);
    if (settings.text(name) == option.fallback) continue;  // as if it had not been given
    if (option.type == ValueType::input_path)
      identity[name] = "a file of digest " + fingerprint(settings.text(name));  // whatever its name
    else if (name == "similarity.command")
      identity[name] = settings.text(name) + program_fingerprints(settings.text(name));
    else if (option.type == ValueType::number && !option.repeatable)
      identity[name] = fmt::format("{}", settings.number(name));
    else
      identity[name] = settings.text(name);
  }
  return identity;
}

}  // namespace

void refuse_idle_checkpoint_keys(const Settings& settings) {
  if (!settings.text("run.checkpoint").empty()) return;
  for (const char* key : {"restart", "run.checkpoint-interval", "run.max-time"}) {
    if (settings.given(key))
      throw Error(ErrorKind::usage, fmt::format("{} has no effect without run.checkpoint", settings.where(key)));
  }
}

void require_usable_checkpoint(const Job& job) {
  const Settings& settings = job.settings;
  const std::string& path = settings.text("run.checkpoint");
  if (path.empty()) return;
  collectively(job.communicator, [&] {
    if (job.communicator.is_root() && !settings.flag("restart")) refuse_existing_checkpoint(path);
  });
}

std::unique_ptr<Checkpoint> make_checkpoint(const Job& job, Context& context, std::uint64_t digest) {
  const Settings& settings = job.settings;
  if (settings.text("run.checkpoint").empty()) return nullptr;
  Checkpoint::Options options{.path = settings.text("run.checkpoint"),
                              .restart = settings.flag("restart"),
                              .interval = std::chrono::seconds(settings.integer("run.checkpoint-interval")),
                              .keys = run_keys};
  if (settings.given("run.max-time"))
    options.stop_at = context.start() + std::chrono::seconds(settings.integer("run.max-time"));
  auto checkpoint = std::make_unique<Checkpoint>(job.communicator, options, identity_of(settings, digest));
  context.ledger().keep_in(*checkpoint);
  if (options.restart && checkpoint->earlier_runs() == 0)
    print(job.communicator, fmt::format("{} is not there: the run starts from the beginning\n", options.path));
  return checkpoint;
}

CheckpointSummary checkpoint_summary(const Communicator& communicator, const Checkpoint& checkpoint) {
  const CheckpointFigures& own = checkpoint.figures();
  CheckpointSummary summary;
  summary.earlier_runs = checkpoint.earlier_runs();
  summary.restored_tiles = communicator.sum(own.restored_tiles);
  summary.written_tiles = communicator.sum(own.written_tiles);
  summary.written_bytes = communicator.sum(own.written_bytes);
  summary.seconds = communicator.maximum(own.seconds);
  summary.damages = communicator.sum(static_cast<Index>(own.notes.size()));
  return summary;
}

std::string checkpoint_text(const std::string& path, const CheckpointContents& contents) {
  std::string text =
      fmt::format("{}: a checkpoint of cairn, {} {}, {}\n", path, contents.runs,
                  contents.runs == 1 ? "run so far" : "runs so far", format_bytes(static_cast<double>(contents.bytes)));
  for (const LoopProgress& loop : contents.loops) {
    text += fmt::format("  {:<26}  {} of {} tiles\n", loop.name, grouped(loop.finished), grouped(loop.tiles));
  }
  if (contents.loops.empty()) text += contents.notes.empty() ? "  no loop was begun\n" : "  no loop is known\n";
  for (const std::string& note : contents.notes) text += fmt::format("  note: {}\n", note);
  text += "\nOf\n";
  for (const auto& [name, value] : contents.identity) text += fmt::format("  {:<26}  {}\n", name, value);
  return text;
}

}  // namespace cairn::app
