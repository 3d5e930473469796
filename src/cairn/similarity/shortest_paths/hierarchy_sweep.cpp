#include "cairn/similarity/shortest_paths/hierarchy_sweep.hpp"

#include <array>
#include <cstddef>

#include "cairn/base/each_level.hpp"
#include "cairn/base/past_caches.hpp"

namespace cairn {

namespace {

// Vectors as wide as the registers of a level: wider ones go through memory, element by element.
template <class D, std::size_t bytes>
struct Vector {
  typedef D Type __attribute__((vector_size(bytes)));
};

template <class D, std::size_t bytes>
[[gnu::always_inline]] inline void sweep(const SweepView<D>& view, Range range, const SweepState<D>& state) {
  using V = typename Vector<D, bytes>::Type;
  constexpr Index vectors = sweep_lanes<D> * static_cast<Index>(sizeof(D)) / static_cast<Index>(bytes);
  const V* const rows = reinterpret_cast<const V*>(state.rows);
  V* const stack = reinterpret_cast<V*>(state.stack);
  V* found = reinterpret_cast<V*>(state.found);
  V* const placed = reinterpret_cast<V*>(state.placed);
  for (Index r = range.begin; r < range.end; ++r) {
    const V* const brought = rows + vectors * state.row_of[r];
    std::array<V, vectors> best;
#pragma GCC unroll 8
    for (Index k = 0; k < vectors; ++k) best[k] = brought[k];
    const Index end = view.starts[r + 1];
    for (Index a = view.starts[r]; a < end; ++a) {
      const SweepArc<D> arc = view.arcs[a];
      const V* const head = stack + vectors * static_cast<Index>(arc.slot);
#pragma GCC unroll 8
      for (Index k = 0; k < vectors; ++k) {
        V& least = best[k];
        const V over = head[k] + arc.length;
        least = over < least ? over : least;
      }
    }
    V* const own = stack + vectors * view.slots[r];
#pragma GCC unroll 8
    for (Index k = 0; k < vectors; ++k) own[k] = best[k];
    if (view.outputs[r] < 0) continue;
    if (placed != nullptr) {
      V* const to = placed + vectors * static_cast<Index>(view.outputs[r]);
#pragma GCC unroll 8
      for (Index k = 0; k < vectors; ++k) store_past_caches(to + k, best[k]);
      continue;
    }
#pragma GCC unroll 8
    for (Index k = 0; k < vectors; ++k) found[k] = best[k];
    found += vectors;
  }
}

template <class D, std::size_t bytes>
[[gnu::always_inline]] inline void rise(const RiseView<D>& view, std::span<const std::int32_t> places, D* values) {
  using V = typename Vector<D, bytes>::Type;
  constexpr Index vectors = sweep_lanes<D> * static_cast<Index>(sizeof(D)) / static_cast<Index>(bytes);
  V* const rows = reinterpret_cast<V*>(values);
  for (std::size_t at = places.size(); at-- > 0;) {
    const std::int32_t p = places[at];
    const V* const own = rows + vectors * static_cast<Index>(view.row_of[p]);
    const Index end = view.starts[p + 1];
    for (Index a = view.starts[p]; a < end; ++a) {
      const D length = view.arcs[a].length;
      V* const head = rows + vectors * static_cast<Index>(view.row_of[view.heads[a]]);
#pragma GCC unroll 8
      for (Index k = 0; k < vectors; ++k) {
        const V over = own[k] + length;
        head[k] = over < head[k] ? over : head[k];
      }
    }
  }
}

template <class D>
struct Passes {
  void (*down)(const SweepView<D>&, Range, const SweepState<D>&);
  void (*up)(const RiseView<D>&, std::span<const std::int32_t>, D*);
};

#define CAIRN_PASSES(LEVEL, BYTES, TARGET)                                                           \
  template <class D>                                                                                 \
  TARGET void down_##LEVEL(const SweepView<D>& view, Range range, const SweepState<D>& state) {      \
    sweep<D, BYTES>(view, range, state);                                                             \
  }                                                                                                  \
  template <class D>                                                                                 \
  TARGET void up_##LEVEL(const RiseView<D>& view, std::span<const std::int32_t> places, D* values) { \
    rise<D, BYTES>(view, places, values);                                                            \
  }
CAIRN_PASSES(any, 16, )
#ifdef CAIRN_LEVELS
CAIRN_PASSES(v3, 32, CAIRN_LEVEL_V3)
CAIRN_PASSES(v4, 64, CAIRN_LEVEL_V4)
#endif
#undef CAIRN_PASSES

template <class D>
const Passes<D>& passes() {
  static const Passes<D> chosen = CAIRN_BEST_LEVEL(
      (Passes<D>{down_any<D>, up_any<D>}), (Passes<D>{down_v3<D>, up_v3<D>}), (Passes<D>{down_v4<D>, up_v4<D>}));
  return chosen;
}

}  // namespace

template <class D>
void sweep_down(const SweepView<D>& view, Range range, const SweepState<D>& state) {
  passes<D>().down(view, range, state);
}

template <class D>
void sweep_up(const RiseView<D>& view, std::span<const std::int32_t> places, D* rows) {
  passes<D>().up(view, places, rows);
}

template void sweep_down(const SweepView<std::uint16_t>&, Range, const SweepState<std::uint16_t>&);
template void sweep_down(const SweepView<std::uint32_t>&, Range, const SweepState<std::uint32_t>&);
template void sweep_down(const SweepView<double>&, Range, const SweepState<double>&);
template void sweep_up(const RiseView<std::uint16_t>&, std::span<const std::int32_t>, std::uint16_t*);
template void sweep_up(const RiseView<std::uint32_t>&, std::span<const std::int32_t>, std::uint32_t*);
template void sweep_up(const RiseView<double>&, std::span<const std::int32_t>, double*);

}  // namespace cairn
