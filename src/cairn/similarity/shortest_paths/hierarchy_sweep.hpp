// Passes up and down a contraction hierarchy for many sources at once.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include "cairn/base/index.hpp"

namespace cairn {

/// Sources that one sweep serves: two vector registers of 64 bytes, so that one is loaded while the other is added.
template <class D>
inline constexpr Index sweep_lanes = 128 / static_cast<Index>(sizeof(D));

/// Stands for "not reached": with any length added it does not wrap round.
template <class D>
inline constexpr D not_reached = std::is_floating_point_v<D> ? std::numeric_limits<D>::infinity()
                                                             : static_cast<D>(std::numeric_limits<D>::max() / 2);

/// An arc to the ancestor that is held in `slot` of the stack.
template <class D>
struct SweepArc {
  std::conditional_t<sizeof(D) == 2, std::uint16_t, std::uint32_t> slot;
  D length;
};

/// Vertices of a hierarchy in preorder of its tree, the arcs of vertex r being starts[r] .. starts[r + 1].
///
/// Heads of arcs are ancestors, and of those only one at each depth is open at a time: lengths are held by depth, in a
/// stack that stays in the nearest cache however large the graph is.
template <class D>
struct SweepView {
  const Index* starts;
  const SweepArc<D>* arcs;
  const std::int32_t* slots;    ///< depth of vertex r
  const std::int32_t* outputs;  ///< where the lengths of vertex r go, negative: nowhere
};

/// What a sweep reads and writes; all but row_of have sweep_lanes<D> values a row and are aligned to 64 bytes.
template <class D>
struct SweepState {
  const D* rows;               ///< lengths that sources have brought; row 0: none
  const std::int32_t* row_of;  ///< by vertex
  D* stack;                    ///< by slot
  D* found;                    ///< of vertices of the range that have an output, one after another
  D* placed = nullptr;         ///< where those lengths go instead: row outputs[r] of it
};

/// Lengths of the vertices `range`, those before them having been swept: the least of what sources brought and of an
/// ancestor's length plus that of the arc to it. D is uint16, uint32 or double.
template <class D>
void sweep_down(const SweepView<D>& view, Range range, const SweepState<D>& state);

/// Vertices with all their ancestors, by place.
template <class D>
struct RiseView {
  const Index* starts;
  const SweepArc<D>* arcs;
  const std::int32_t* heads;   ///< of arcs: places
  const std::int32_t* row_of;  ///< by place: its row
};

/// Lengths from sources, 0 in their rows, to the ancestors of each, by arcs upward alone. All other values of `rows`,
/// which have sweep_lanes<D> each and are aligned to 64 bytes, are not_reached before.
/// @param places  the sources and all their ancestors, ascending: a vertex comes behind its ancestors
template <class D>
void sweep_up(const RiseView<D>& view, std::span<const std::int32_t> places, D* rows);

}  // namespace cairn
