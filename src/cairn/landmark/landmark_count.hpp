// Check of the number of landmarks.
#pragma once

#include "cairn/base/index.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// @param keys  names the count @throws Error(usage) with that name unless 1 <= count <= objects. Local, the same on
/// every rank.
void require_landmark_count(Index count, Index objects, const KeyNames& keys = {});

}  // namespace cairn
