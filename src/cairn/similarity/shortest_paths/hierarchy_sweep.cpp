#include "cairn/similarity/shortest_paths/hierarchy_sweep.hpp"

// One function for each level of the processor family, chosen when the program is loaded. Sanitizers run before that.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && !defined(CAIRN_SANITIZED)
#define CAIRN_EACH_LEVEL __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CAIRN_EACH_LEVEL
#endif

namespace cairn {

namespace {

template <class D>
struct Vector {
  typedef D Type __attribute__((vector_size(64)));
};

template <class D>
[[gnu::always_inline]] inline void sweep(const SweepView<D>& view, Range range, const SweepState<D>& state) {
  using V = typename Vector<D>::Type;
  constexpr Index vectors = 2;
  static_assert(vectors * sizeof(V) == sweep_lanes<D> * sizeof(D));
  const V* const rows = reinterpret_cast<const V*>(state.rows);
  V* const stack = reinterpret_cast<V*>(state.stack);
  V* found = reinterpret_cast<V*>(state.found);
  for (Index r = range.begin; r < range.end; ++r) {
    const V* const brought = rows + vectors * state.row_of[r];
    V best0 = brought[0], best1 = brought[1];
    const Index end = view.starts[r + 1];
    for (Index a = view.starts[r]; a < end; ++a) {
      const SweepArc<D> arc = view.arcs[a];
      const V* const head = stack + vectors * static_cast<Index>(arc.slot);
      const V over0 = head[0] + arc.length, over1 = head[1] + arc.length;
      best0 = over0 < best0 ? over0 : best0;
      best1 = over1 < best1 ? over1 : best1;
    }
    V* const own = stack + vectors * view.slots[r];
    own[0] = best0;
    own[1] = best1;
    if (view.outputs[r] >= 0) {
      found[0] = best0;
      found[1] = best1;
      found += vectors;
    }
  }
}

// Targets cannot be cloned as templates: one plain function for each type.
CAIRN_EACH_LEVEL void sweep_uint16(const SweepView<std::uint16_t>& view, Range range,
                                   const SweepState<std::uint16_t>& state) {
  sweep(view, range, state);
}
CAIRN_EACH_LEVEL void sweep_uint32(const SweepView<std::uint32_t>& view, Range range,
                                   const SweepState<std::uint32_t>& state) {
  sweep(view, range, state);
}
CAIRN_EACH_LEVEL void sweep_double(const SweepView<double>& view, Range range, const SweepState<double>& state) {
  sweep(view, range, state);
}

}  // namespace

template <class D>
void sweep_down(const SweepView<D>& view, Range range, const SweepState<D>& state) {
  if constexpr (std::is_same_v<D, std::uint16_t>)
    sweep_uint16(view, range, state);
  else if constexpr (std::is_same_v<D, std::uint32_t>)
    sweep_uint32(view, range, state);
  else
    sweep_double(view, range, state);
}

template void sweep_down(const SweepView<std::uint16_t>&, Range, const SweepState<std::uint16_t>&);
template void sweep_down(const SweepView<std::uint32_t>&, Range, const SweepState<std::uint32_t>&);
template void sweep_down(const SweepView<double>&, Range, const SweepState<double>&);

}  // namespace cairn
