// Limits of the memory that approximate_entries uses at once; a plan counts them, too.
#pragma once

#include "cairn/base/index.hpp"

namespace cairn::entry_limits {

inline constexpr Index batch_bytes = Index{4} << 20;     ///< rows of L J per batch on a rank: they stay in cache
inline constexpr Index fetched_bytes = Index{32} << 20;  ///< rows of R for them
/// Columns of a panel, in which a large core matrix is replicated.
inline constexpr Index panel_columns = 256;

/// Bytes of a rank for a dense core matrix J, p x q.
struct CoreLimits {
  Index replicated = Index{64} << 20;  ///< J comes to every rank up to this size
  Index on_grid = Index{8} << 20;      ///< rows of L that a larger one multiplies at a time where it stays spread

  /// Rows of L that J multiplies at a time where it stays spread over the ranks. Local.
  [[nodiscard]] Index grid_rows(Index p, Index q, int ranks) const;
  /// True if J multiplies `products` rows of L in fewer bytes a rank where it stays than where it comes to every rank
  /// in panels: a product on a grid of ranks moves what a rank holds √ranks times. Local.
  [[nodiscard]] bool grid_pays(Index p, Index q, Index products, int ranks) const;
};

}  // namespace cairn::entry_limits
