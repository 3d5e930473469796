// The request of a run, from settings.
#pragma once

#include "cairn/parameters/memory_limit.hpp"
#include "cairn/parameters/settings.hpp"
#include "cairn/run/request/run_request.hpp"

namespace cairn {

/// run.memory. Local.
[[nodiscard]] MemoryLimit memory_of(const Settings& settings);

/// The run that the settings describe, which must outlive it. @throws Error(usage) if they choose no similarity, or
/// unknown parts. Local.
[[nodiscard]] RunRequest request_of(const Settings& settings);

}  // namespace cairn
