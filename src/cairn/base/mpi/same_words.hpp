// Whether all ranks were told the same.
#pragma once

#include <string>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"

namespace cairn {

/// Compares what each rank was told with what rank 0 was; one small reduction where they are the same.
/// @param rule  begins the message, and says what has to be the same: "all ranks of a run need one command line"
/// @param advice  ends it; may be empty
/// @throws Error(usage) on every rank where one differs: names the first such rank, its host and the first word that
///   is another one. Collective.
void require_same_words(const Communicator& communicator, const std::vector<std::string>& words,
                        const std::string& rule, const std::string& advice = "");

/// The name of this machine, for messages. Local.
[[nodiscard]] std::string host_name();

}  // namespace cairn
