// What approximate_entries takes at once, which a plan counts, too.
#pragma once

#include "cairn/base/index.hpp"

namespace cairn::entry_limits {

inline constexpr Index batch_bytes = Index{4} << 20;     ///< rows of L J that a rank works on: they stay in cache
inline constexpr Index fetched_bytes = Index{32} << 20;  ///< rows of R for them
/// A joining matrix up to this size is held whole during a call; of a larger one so many columns.
inline constexpr Index replicated_bytes = Index{64} << 20, panel_columns = 256;

}  // namespace cairn::entry_limits
