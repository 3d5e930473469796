// From settings to the request of a run.
#pragma once

#include "cairn/parameters/memory_limit.hpp"
#include "cairn/parameters/settings.hpp"
#include "cairn/run/request/run_request.hpp"

namespace cairn::app {

/// run.memory. Local.
[[nodiscard]] MemoryLimit memory_of(const Settings& settings);

/// The run that the settings describe, which outlive it. @throws Error(usage) if they choose no similarity, or parts
/// that are unknown. Local.
[[nodiscard]] RunRequest request_of(const Settings& settings);

}  // namespace cairn::app
