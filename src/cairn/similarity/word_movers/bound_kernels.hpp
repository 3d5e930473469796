// Loops of the lower bounds of word mover's distances, at the rate of the vector unit.
#pragma once

#include <cstdint>

#include "cairn/base/index.hpp"

namespace cairn::bound_kernels {

/// Documents that are processed side by side.
inline constexpr Index lanes = 16;

/// values[b] = -2 x.y_b becomes a number that is no larger than |x - y_b|: sqrt(max(0, share (row_norm + norms[b]) +
/// values[b])), rounded down; 0 where the sum of the norms is so small or so large that products leave the range of
/// single precision. Local.
/// @param norms  squared norms @param share  1 - the relative error of the square, relative to the sum of the norms
void lower_distances(float row_norm, const float* norms, float share, float* values, Index n);

/// out[d * lanes + l] = min over the words w of document d, starts[d] <= w < starts[d + 1], of table[words[w] * lanes +
/// l], for d < documents, which have words. Local.
void lane_minima(const float* table, const Index* starts, const std::int32_t* words, Index documents, float* out);

/// Likewise the sums of weights[w] * table[words[w] * lanes + l]. Local.
void lane_sums(const float* table, const Index* starts, const std::int32_t* words, const float* weights,
               Index documents, float* out);

/// values = max(values, others), both rows of `lanes` numbers, `others` with a stride. `hits` receives the rows in
/// which some values[l] <= limits[l]. @return their number. Local.
Index raise(float* values, const float* others, Index stride, const float* limits, Index rows, std::int32_t* hits);

}  // namespace cairn::bound_kernels
