// Solves with a patch's factor that visit only a neighborhood.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "cairn/approximation/biharmonic/local/patch.hpp"
#include "cairn/base/buffer.hpp"
#include "cairn/base/index.hpp"

namespace cairn {

/// A set of numbers 0 .. size-1 that lists its members in order without sorting: time O(size / 64 + members).
class NodeSet {
 public:
  explicit NodeSet(Index size = 0) : words_(static_cast<std::size_t>(size) / 64 + 1, 0) {}

  [[nodiscard]] bool contains(std::int32_t k) const { return ((words_[word(k)] >> bit(k)) & 1U) != 0; }
  void insert(std::int32_t k) { words_[word(k)] |= std::uint64_t{1} << bit(k); }
  [[nodiscard]] const std::uint64_t* words() const { return words_.data(); }
  void clear() { words_.assign(words_.size(), 0); }

  /// The members, ascending.
  void ascending(std::vector<std::int32_t>& members) const {
    members.clear();
    for (std::size_t w = 0; w < words_.size(); ++w) {
      for (std::uint64_t left = words_[w]; left != 0; left &= left - 1) {
        members.push_back(static_cast<std::int32_t>(64 * w) + std::countr_zero(left));
      }
    }
  }
  [[nodiscard]] std::vector<std::int32_t> ascending() const {
    std::vector<std::int32_t> members;
    ascending(members);
    return members;
  }

 private:
  static std::size_t word(std::int32_t k) { return static_cast<std::size_t>(k) / 64; }
  static unsigned bit(std::int32_t k) { return static_cast<unsigned>(k) % 64; }
  std::vector<std::uint64_t> words_;
};

/// Number of right-hand sides that are solved together: one cache line per node, one vector instruction per entry of L.
inline constexpr int lanes = 8;

/// Solves M_uu x = -(V-A)_uᵀ D⁻¹ (V-A)_b z_b on a patch for `lanes` vectors at once, for the wanted unknowns only.
///
/// The forward solve follows the paths of the elimination tree from the nonzeros of the right-hand side, the backward
/// solve visits the wanted unknowns and their ancestors (the closure): these values equal those of a solve on the whole
/// patch, and no others are computed. One correction follows, with its residual formed through V - A at those vertices
/// of the closure where all required values are known.   [Sparse right-hand sides: Gilbert and Peierls 1988; parts of
/// the solution: Yamazaki, Li, Ng 2010]
/// Not thread-safe; local. Memory: 3 x 64 bytes per node, touched only where a solve visits.
class PartialSolver {
 public:
  explicit PartialSolver(const Patch& patch);

  /// A value at a node of the patch in one of the lanes.
  struct Source {
    std::int32_t node;
    int lane;
    double value;
  };
  /// Starts with new right-hand sides. @param ends  z: values at landmarks of the patch @param loads  further
  /// right-hand sides at unknowns
  void begin(std::span<const Source> ends, std::span<const Source> loads);
  /// Computes the solution at more unknowns; each costs its own column of L.
  void extend(std::span<const std::int32_t> wanted);
  /// Applies the correction, after all wanted values are computed.
  void correct();

  /// The values of each lane at unknowns that were wanted.
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
  std::vector<std::int32_t> once_, twice_;             // nodes where V - A can be applied to z once, and twice
  std::vector<Source> ends_;
  std::vector<Entry> entries_;  // of the right-hand side: loads first
  std::size_t loads_ = 0;
};

}  // namespace cairn
