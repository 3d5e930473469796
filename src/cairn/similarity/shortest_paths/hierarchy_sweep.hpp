// Passes up and down a contraction hierarchy for many sources at once.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include "cairn/base/index.hpp"

namespace cairn {

/// Sources of one sweep: two vector registers of 64 bytes, so that one is loaded while the other is added.
template <class D>
inline constexpr Index sweep_lanes = 128 / static_cast<Index>(sizeof(D));

/// Value for "not reached"; adding any length to it does not wrap around.
template <class D>
inline constexpr D not_reached = std::is_floating_point_v<D> ? std::numeric_limits<D>::infinity()
                                                             : static_cast<D>(std::numeric_limits<D>::max() / 2);

/// An arc to the ancestor in `slot` of the stack.
template <class D>
struct SweepArc {
  std::conditional_t<sizeof(D) == 2, std::uint16_t, std::uint32_t> slot;
  D length;
};

/// Vertices of a hierarchy in preorder of its tree; the arcs of vertex r are starts[r] .. starts[r + 1].
///
/// Heads of arcs are ancestors, and only one of those at each depth is open at a time. Lengths are therefore held by
/// depth, in a stack that stays in the L1 cache however large the graph is.
template <class D>
struct SweepView {
  const Index* starts;
  const SweepArc<D>* arcs;
  const std::int32_t* slots;    ///< depth of vertex r
  const std::int32_t* outputs;  ///< row for the lengths of vertex r; negative: none
};

/// Data of a sweep; all but row_of have sweep_lanes<D> values per row and are aligned to 64 bytes.
template <class D>
struct SweepState {
  const D* rows;               ///< lengths delivered by sources; row 0: none
  const std::int32_t* row_of;  ///< by vertex
  D* stack;                    ///< by slot
  D* found;                    ///< lengths of vertices of the range that have an output, one after another
  D* placed = nullptr;         ///< if not null, these lengths go to its row outputs[r] instead
};

/// Computes lengths of the vertices `range`; those before them are done. A length is the minimum of what sources
/// delivered and of an ancestor's length plus the arc to it. D is uint16, uint32 or double.
template <class D>
void sweep_down(const SweepView<D>& view, Range range, const SweepState<D>& state);

/// Vertices with all their ancestors, by place.
template <class D>
struct RiseView {
  const Index* starts;
  const SweepArc<D>* arcs;
  const std::int32_t* heads;   ///< of arcs: places
  const std::int32_t* row_of;  ///< row of each place
};

/// Computes lengths from sources, which have 0 in their rows, to the ancestors of each, over upward arcs alone. `rows`
/// has sweep_lanes<D> values per row and is aligned to 64 bytes. @pre all its other values are not_reached
/// @param places  the sources and all their ancestors, ascending: a vertex comes after its ancestors
template <class D>
void sweep_up(const RiseView<D>& view, std::span<const std::int32_t> places, D* rows);

}  // namespace cairn
