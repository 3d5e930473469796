#include "cairn/similarity/word_movers/bound_kernels.hpp"

#include <cmath>
#include <cstring>

#include "cairn/base/each_level.hpp"

namespace cairn::bound_kernels {

namespace {

// A variable of this type stays in registers from word to word; an array of 16 numbers does not.
using Lanes __attribute__((vector_size(lanes * sizeof(float)))) = float;

[[gnu::always_inline]] inline void load(Lanes& row, const float* table, std::int32_t word) {
  std::memcpy(&row, table + word * lanes, sizeof row);
}

}  // namespace

CAIRN_EACH_LEVEL void lower_distances(float row_norm, const float* norms, float share, float* values, Index n) {
  constexpr float least = 1e-30F, largest = 1e37F, down = 1.0F - 0x1p-22F;
#pragma omp simd
  for (Index b = 0; b < n; ++b) {
    const float scale = row_norm + norms[b];
    const float square = share * scale + values[b];
    const float positive = square > 0.0F ? square : 0.0F;
    values[b] = scale > least && scale < largest ? std::sqrt(positive) * down : 0.0F;
  }
}

CAIRN_EACH_LEVEL void lane_minima(const float* table, const Index* starts, const std::int32_t* words, Index documents,
                                  float* out) {
  for (Index d = 0; d < documents; ++d) {
    Lanes least, row;
    load(least, table, words[starts[d]]);
    for (Index w = starts[d] + 1; w < starts[d + 1]; ++w) {
      load(row, table, words[w]);
      least = row < least ? row : least;
    }
    std::memcpy(out + d * lanes, &least, sizeof least);
  }
}

CAIRN_EACH_LEVEL void lane_sums(const float* table, const Index* starts, const std::int32_t* words,
                                const float* weights, Index documents, float* out) {
  for (Index d = 0; d < documents; ++d) {
    Lanes sums{}, row;
    for (Index w = starts[d]; w < starts[d + 1]; ++w) {
      load(row, table, words[w]);
      sums += weights[w] * row;
    }
    std::memcpy(out + d * lanes, &sums, sizeof sums);
  }
}

CAIRN_EACH_LEVEL Index raise(float* values, const float* others, Index stride, const float* limits, Index rows,
                             std::int32_t* hits) {
  Index found = 0;
  for (Index r = 0; r < rows; ++r) {
    float* const own = values + r * lanes;
    const float* const other = others + r * stride;
    int below = 0;
#pragma omp simd reduction(+ : below)
    for (Index l = 0; l < lanes; ++l) {
      own[l] = own[l] < other[l] ? other[l] : own[l];
      below += own[l] <= limits[l] ? 1 : 0;
    }
    hits[found] = static_cast<std::int32_t>(r);
    found += below > 0 ? 1 : 0;
  }
  return found;
}

}  // namespace cairn::bound_kernels
