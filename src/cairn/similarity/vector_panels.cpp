// Sums over coordinates for many points at once: manhattan_panel and dot_panel of vector_math.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "cairn/base/each_level.hpp"
#include "cairn/similarity/vector_math.hpp"

namespace cairn::vector_math {

namespace {

// Vectors are as wide as the registers of a level: wider ones go through memory, element by element.
// out[b] = sum over k of |x[k] - y_b[k]|, or of x[k] y_b[k]. Eight vectors of sums stay in registers over all
// coordinates: fewer would have to wait for their own additions.
template <class T, std::size_t bytes, bool dot>
[[gnu::always_inline]] inline void sum_panel(const T* __restrict x, const T* __restrict panel, Index dimension,
                                             T* __restrict out) {
  typedef T Vector __attribute__((vector_size(bytes)));
  typedef std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t> Word;
  typedef Word Bits __attribute__((vector_size(bytes)));
  constexpr Index lanes = static_cast<Index>(bytes / sizeof(T)), together = 8;
  static_assert(panel_width<T> % (together * lanes) == 0);
  const Bits without_sign = ~Bits{} >> Word{1};
  for (Index begin = 0; begin < panel_width<T>; begin += together * lanes) {
    Vector sums[together];
#pragma GCC unroll 8
    for (Index v = 0; v < together; ++v) sums[v] = Vector{};
    for (Index k = 0; k < dimension; ++k) {
      const T* const row = panel + k * panel_width<T> + begin;
#pragma GCC unroll 8
      for (Index v = 0; v < together; ++v) {
        Vector y;
        std::memcpy(&y, row + v * lanes, sizeof(y));
        if constexpr (dot) {
          sums[v] += x[k] * y;
        } else {
          sums[v] += reinterpret_cast<Vector>(reinterpret_cast<Bits>(x[k] - y) & without_sign);
        }
      }
    }
#pragma GCC unroll 8
    for (Index v = 0; v < together; ++v) std::memcpy(out + begin + v * lanes, &sums[v], sizeof(Vector));
  }
}

template <class T>
using Sum = void (*)(const T*, const T*, Index, T*);

#define CAIRN_PANELS(LEVEL, BYTES, TARGET)                                       \
  template <class T, bool dot>                                                   \
  TARGET void sum_##LEVEL(const T* x, const T* panel, Index dimension, T* out) { \
    sum_panel<T, BYTES, dot>(x, panel, dimension, out);                          \
  }
CAIRN_PANELS(any, 16, )
#ifdef CAIRN_LEVELS
CAIRN_PANELS(v3, 32, CAIRN_LEVEL_V3)
CAIRN_PANELS(v4, 64, CAIRN_LEVEL_V4)
#endif
#undef CAIRN_PANELS

template <class T, bool dot>
void sum(const T* x, const T* panel, Index dimension, T* out) {
  static const Sum<T> chosen = CAIRN_BEST_LEVEL((sum_any<T, dot>), (sum_v3<T, dot>), (sum_v4<T, dot>));
  chosen(x, panel, dimension, out);
}

}  // namespace

void manhattan_panel(const double* x, const double* panel, Index dimension, double* out) {
  sum<double, false>(x, panel, dimension, out);
}
void manhattan_panel(const float* x, const float* panel, Index dimension, float* out) {
  sum<float, false>(x, panel, dimension, out);
}
void dot_panel(const double* x, const double* panel, Index dimension, double* out) {
  sum<double, true>(x, panel, dimension, out);
}
void dot_panel(const float* x, const float* panel, Index dimension, float* out) {
  sum<float, true>(x, panel, dimension, out);
}

}  // namespace cairn::vector_math
