// Bytes of an object on its way to another rank.
#pragma once

#include "cairn/data/object_set.hpp"

namespace cairn {

/// Bytes of an object, estimated from object 0; for sparse points, whose numbers of entries may vary widely, the
/// average. Collective.
[[nodiscard]] Index packed_bytes(const Communicator& communicator, const ObjectSet& objects);

}  // namespace cairn
