// Generated points, so that everything runs without data.
#pragma once

#include <cstdint>
#include <string>

#include "cairn/linalg/tall/row_block.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// This rank's rows of `points` generated points. Point i is a function of (seed, i) alone.
///
/// gaussian-mixture: ten components of equal weight, centers normal with standard deviation 2, points around them with
/// 1; swiss-roll: (t cos t, h, t sin t), t uniform in [1.5 pi, 4.5 pi), h in [0, 21), three coordinates; uniform: [0,
/// 1) in each coordinate; normal: standard normal in each.
/// @param keys  names of generate, points and dimension, here and below
/// @throws Error(usage) for another kind, points < 1, dimension < 1 (swiss-roll: not 3; 0 stands for 3). Local.
template <class T>
[[nodiscard]] RowBlock<T> generate_points(const std::string& kind, const RowPartition& partition, int rank,
                                          Index dimension, std::uint64_t seed, const KeyNames& keys = {});

/// Dimension of points of this kind if `dimension` is requested (0: not given).
/// @throws Error(usage) as generate_points
[[nodiscard]] Index generated_dimension(const std::string& kind, Index dimension, const KeyNames& keys = {});

}  // namespace cairn
