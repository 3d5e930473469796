// Requests that no run could serve, refused before any work.
#pragma once

#include "cairn/run/request/run_request.hpp"

namespace cairn {

/// Checks combinations of data, similarity, method and landmarks that are possible alone, but incompatible.
/// @throws Error(usage) that names the value and what it is incompatible with. Local.
void require_going_together(const RunRequest& request);

/// Rules of single values beyond their form and range. @throws Error(usage) that names the parameter. Local.
void require_in_range(const RunRequest& request);

/// Checks that a run has what it needs: data, a number of landmarks, their file. @throws Error(usage) that names the
/// parameter. Local.
void require_whole(const RunRequest& request);

/// Sizes that must be in proportion to the data. @throws Error(usage) that names the parameter. Local.
void require_fitting(const RunRequest& request, const DataSize& size);

}  // namespace cairn
