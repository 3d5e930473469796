// Limits of the memory that approximate_entries uses at once; a plan counts them, too.
#pragma once

#include "cairn/base/index.hpp"

namespace cairn::entry_limits {

inline constexpr Index batch_bytes = Index{4} << 20;     ///< rows of L J per batch on a rank: they stay in cache
inline constexpr Index fetched_bytes = Index{32} << 20;  ///< rows of R for them
/// A core matrix up to this size is replicated during a call; of a larger one, this many columns at a time.
inline constexpr Index replicated_bytes = Index{64} << 20, panel_columns = 256;

}  // namespace cairn::entry_limits
