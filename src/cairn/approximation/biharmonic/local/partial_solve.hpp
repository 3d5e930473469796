// Solves with a patch's factor that touch a neighbourhood alone.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "cairn/approximation/biharmonic/local/node_set.hpp"
#include "cairn/approximation/biharmonic/local/patch.hpp"
#include "cairn/base/buffer.hpp"

namespace cairn {

/// Right-hand sides that are solved together: one cache line a node, one vector instruction an entry of L.
inline constexpr int lanes = 8;

/// Solves M_uu x = -(V-A)_uᵀ D⁻¹ (V-A)_b z_b on a patch for `lanes` vectors at once, on the unknowns that are wanted.
///
/// The forward solve runs along the paths of the elimination tree from where the right-hand side is not zero, the
/// backward solve over the wanted unknowns and their ancestors (the closure): these values are those of the whole
/// patch, without any other being computed. Then one correction, its residual formed through V - A at the vertices of
/// the closure where all that it takes is known.   [Sparse right-hand sides: Gilbert and Peierls 1988; parts of the
/// solution: Yamazaki, Li, Ng 2010]
/// Not thread-safe; local. Memory: 3 x 64 bytes a node, touched where a solve goes.
class PartialSolver {
 public:
  explicit PartialSolver(const Patch& patch);

  /// A value at a node of the patch in one of the lanes.
  struct Source {
    std::int32_t node;
    int lane;
    double value;
  };
  /// Begins with new right-hand sides. @param ends  z: values at landmarks of the patch @param loads  further
  /// right-hand sides at unknowns
  void begin(std::span<const Source> ends, std::span<const Source> loads);
  /// Computes the solution at more unknowns; each costs its own column of L.
  void extend(std::span<const std::int32_t> wanted);
  /// The correction, once all that is wanted is there.
  void correct();

  /// Of each lane the values at unknowns that were wanted.
  [[nodiscard]] std::array<std::vector<double>, lanes> values(std::span<const std::int32_t> unknowns) const;
  /// The lanes at a node.
  [[nodiscard]] const double* at(std::int32_t node) const { return z_.data() + std::int64_t{lanes} * node; }

 private:
  /// An entry of a sparse right-hand side.
  struct Entry {
    std::int32_t node;
    int lane;
    double value;
  };
  void scatter_ends();
  void solve_forward_along(const std::vector<std::int32_t>& columns);
  void solve_backward_along(const std::vector<std::int32_t>& columns);
  void form_residual();
  void add_entries(std::span<const Entry> entries);

  const Patch& patch_;
  Buffer<double> z_, y_, r_;  // nodes x lanes: solution; D⁻¹ (V-A) z; right-hand side and increment
  NodeSet in_closure_, in_reach_, in_once_, in_added_;
  std::vector<std::int32_t> closure_, reach_, added_;  // unknowns, ascending
  std::vector<std::int32_t> once_, twice_;             // nodes to which V - A can be applied to z once, and twice
  std::vector<Source> ends_;
  std::vector<Entry> entries_;  // of the right-hand side: loads first
  std::size_t loads_ = 0;
};

}  // namespace cairn
