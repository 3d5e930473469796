// ScaLAPACK's layout of rows (or columns) along one dimension of the process grid: block b belongs to position b mod
// positions. [ScaLAPACK Users' Guide, section 4.3]
#pragma once

#include <algorithm>

#include "cairn/linalg/dense/block_cyclic_matrix.hpp"

namespace cairn::block_cyclic {

inline constexpr Index block = BlockCyclicMatrix::block;

/// Position that owns row `global`.
[[nodiscard]] constexpr int owner(Index global, int positions) { return static_cast<int>(global / block % positions); }

/// Local number of row `global` on its owner.
[[nodiscard]] constexpr Index to_local(Index global, int positions) {
  return global / block / positions * block + global % block;
}

[[nodiscard]] constexpr Index to_global(Index local, int position, int positions) {
  return (local / block * positions + position) * block + local % block;
}

/// Number of rows below `global` that `position` owns; with global = rows, of all that it owns.
[[nodiscard]] constexpr Index count_below(Index global, int position, int positions) {
  const Index blocks = global / block;
  const Index rest = blocks % positions;
  return blocks / positions * block + (position < rest ? block : position == rest ? global % block : 0);
}

/// Calls f(Range) for each contiguous run of rows within `range` that `position` owns, ascending.
template <class Function>
void for_each_run(Range range, int position, int positions, Function f) {
  const Index stride = block * positions;
  for (Index start = range.begin / stride * stride + position * block; start < range.end; start += stride) {
    const Range run{std::max(start, range.begin), std::min(start + block, range.end)};
    if (!run.empty()) f(run);
  }
}

}  // namespace cairn::block_cyclic
