// The largest entries of a column of P.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "cairn/approximation/biharmonic/interpolation.hpp"
#include "cairn/base/mpi/communicator.hpp"

namespace cairn {

/// How many values of which magnitude there are, by exponent and four bits of fraction: it tells within 1/16 how large
/// the k-th largest is. From 2^-96 to 2^32; what is beyond is counted at the ends.
class MagnitudeCounts {
 public:
  void add(double value) { ++counts_[bin_of(value)]; }
  /// Those of all ranks together. Collective.
  void sum(const Communicator& communicator) { communicator.sum(std::span<std::int32_t>(counts_)); }
  /// A magnitude that at least `kept` values have, at most 1/16 below the kept-th largest; 0 if there are fewer.
  [[nodiscard]] double at_least(Index kept) const;

  /// The bin that the kept-th largest is in, and how many values are in larger ones. 0 < kept <= number of values.
  struct Place {
    std::size_t bin;
    Index above;
  };
  [[nodiscard]] Place place(Index kept) const;
  [[nodiscard]] static std::size_t bin_of(double value) {
    const std::uint64_t key = (std::bit_cast<std::uint64_t>(value) & ~(std::uint64_t{1} << 63)) >> 48;
    return static_cast<std::size_t>(std::clamp(key, first_bin, first_bin + bins - 1) - first_bin);
  }

 private:
  static constexpr std::uint64_t first_bin = (1023 - 96) << 4, bins = 128 << 4;
  std::array<std::int32_t, bins> counts_{};
};

/// The `kept` entries of largest magnitude (of equal ones those of the lowest vertex), or all that are not zero where
/// kept is 0, with the norms of what is kept and dropped. O(size). Local.
/// @param vertices  ascending @param values  one a vertex
[[nodiscard]] ColumnSolver::Column select_largest(Index landmark, std::span<const std::int32_t> vertices,
                                                  std::span<const double> values, Index kept);

}  // namespace cairn
