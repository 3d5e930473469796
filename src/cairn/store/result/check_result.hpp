// Whether a result file has all its parts.
#pragma once

#include <string>

#include "cairn/base/mpi/communicator.hpp"

namespace cairn {

/// Reads everything but factors, joining matrix and texts, as a check of what checksums do not tell: whether a part is
/// missing that the others need. @throws Error(input) that names it. Collective.
void check_result(const Communicator& communicator, const std::string& path);

}  // namespace cairn
