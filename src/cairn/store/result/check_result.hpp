// Checks that a result file has all its parts.
#pragma once

#include <string>

#include "cairn/base/mpi/communicator.hpp"

namespace cairn {

/// Reads everything except factors, core matrix and texts. Detects what checksums cannot: a missing part that others
/// need. @throws Error(input) that names it. Collective.
void check_result(const Communicator& communicator, const std::string& path);

}  // namespace cairn
