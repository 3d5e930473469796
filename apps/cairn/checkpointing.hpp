// run.checkpoint: what a run of `approximate` keeps, and goes on from.
#pragma once

#include <cstdint>
#include <memory>

#include "command.hpp"
#include "context.hpp"
#include "figures.hpp"
#include "store/checkpoint.hpp"

namespace cairn::app {

/// The checkpoint that run.checkpoint names, handed to the context's ledger; nothing where the key is not given.
/// @param digest  of the data
/// @throws as Checkpoint's constructor. Collective.
[[nodiscard]] std::unique_ptr<Checkpoint> make_checkpoint(const Job& job, Context& context, std::uint64_t digest);

/// What the checkpoint gave and cost, over all ranks. Collective.
[[nodiscard]] CheckpointSummary checkpoint_summary(const Communicator& communicator, const Checkpoint& checkpoint);

/// What `cairn info` prints of one.
[[nodiscard]] std::string checkpoint_text(const std::string& path, const CheckpointContents& contents);

}  // namespace cairn::app
