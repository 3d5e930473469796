#include "pipeline/checkpointing.hpp"

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "cairn/parameters/units.hpp"
#include "cairn/store/checkpoint/checkpoint_lock.hpp"
#include "cairn/store/checkpoint/run_identity.hpp"
#include "keys/key_names.hpp"
#include "report/report.hpp"
#include "report/version.hpp"

namespace cairn::app {

namespace {

// Keys that may be others when a run goes on: they decide where it runs and what it writes, not what it computes.
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
    if (!job.communicator.is_root()) return;
    require_unlocked(path);
    if (!settings.flag("restart")) refuse_existing_checkpoint(path);
  });
}

std::unique_ptr<Checkpoint> make_checkpoint(const Job& job, Context& context, std::uint64_t digest,
                                            const std::string& selection) {
  const Settings& settings = job.settings;
  if (settings.text("run.checkpoint").empty()) return nullptr;
  Checkpoint::Options options{.path = settings.text("run.checkpoint"),
                              .restart = settings.flag("restart"),
                              .interval = std::chrono::seconds(settings.integer("run.checkpoint-interval")),
                              .keys = run_keys};
  if (settings.given("run.max-time"))
    options.stop_at = context.start() + std::chrono::seconds(settings.integer("run.max-time"));
  RunIdentity identity = identity_of(settings, {may_change, "similarity.command"}, version(), digest);
  if (!selection.empty()) identity["landmarks.selection"] = selection;
  auto checkpoint = std::make_unique<Checkpoint>(job.communicator, options, std::move(identity));
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
