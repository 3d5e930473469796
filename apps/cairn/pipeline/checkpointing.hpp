// run.checkpoint: what a run of `approximate` keeps, and goes on from.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/store/checkpoint/checkpoint.hpp"
#include "pipeline/context.hpp"
#include "report/figures.hpp"
#include "report/job.hpp"

namespace cairn::app {

/// The checkpoint that run.checkpoint names, handed to the context's ledger; nothing if the key is not given.
/// @param digest  of the data @param selection  of landmarks, which may be another default than that of the key; empty:
/// none @throws as Checkpoint's constructor. Collective.
[[nodiscard]] std::unique_ptr<Checkpoint> make_checkpoint(const Job& job, Context& context, std::uint64_t digest,
                                                          const std::string& selection = {});

/// @throws Error(usage) if keys of a checkpoint are given without one. Local.
void refuse_idle_checkpoint_keys(const Settings& settings);

/// @throws Error(usage) if a checkpoint is there that is not to be gone on with: before anything else is done.
/// Collective.
void require_usable_checkpoint(const Job& job);

/// What `work` returns. Where the run is to stop, each rank first flushes what it has finished. Collective.
template <class Work>
auto to_the_end_or_a_stop(const Communicator& communicator, Checkpoint* checkpoint, Work&& work) {
  try {
    return std::forward<Work>(work)();
  } catch (const Error& error) {
    if (checkpoint != nullptr && error.kind() == ErrorKind::interrupted)
      collectively(communicator, [&] { checkpoint->flush(); });
    throw;
  }
}

/// What the checkpoint gave and cost, over all ranks. Collective.
[[nodiscard]] CheckpointSummary checkpoint_summary(const Communicator& communicator, const Checkpoint& checkpoint);

/// What `cairn info` prints of one.
[[nodiscard]] std::string checkpoint_text(const std::string& path, const CheckpointContents& contents);

}  // namespace cairn::app
