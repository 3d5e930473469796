// Check that all ranks received the same words.
#pragma once

#include <string>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"

namespace cairn {

/// Compares the words of each rank with those of rank 0; one small reduction if they are the same.
/// @param rule  starts the message and states what must be the same: "all ranks of a run need one command line"
/// @param advice  ends it; may be empty
/// @throws Error(usage) on every rank if one differs: names the first such rank, its host and the first word that
///   differs. Collective.
void require_same_words(const Communicator& communicator, const std::vector<std::string>& words,
                        const std::string& rule, const std::string& advice = "");

/// The name of this machine, for messages. Local.
[[nodiscard]] std::string host_name();

}  // namespace cairn
