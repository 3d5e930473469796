// How many landmarks there may be.
#pragma once

#include "cairn/base/index.hpp"

namespace cairn {

/// @throws Error(usage) that names landmarks.count unless 1 <= count <= objects. Local, the same on every rank.
void require_landmark_count(Index count, Index objects);

}  // namespace cairn
