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

/// Histogram of magnitudes, by exponent and four bits of the fraction: it gives the k-th largest within 1/16. Range
/// 2^-96 to 2^32; values outside are counted at the ends.
class MagnitudeCounts {
 public:
  void add(double value) { ++counts_[bin_of(value)]; }
  /// Sums the counts over all ranks. Collective.
  void sum(const Communicator& communicator) { communicator.sum(std::span<std::int32_t>(counts_)); }
  /// A magnitude that at least `kept` values reach, at most 1/16 below the kept-th largest; 0 if there are fewer
  /// values.
  [[nodiscard]] double at_least(Index kept) const;

  /// The bin of the kept-th largest value, and the number of values in larger bins. 0 < kept <= number of values.
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

/// The `kept` entries of largest magnitude (among equal ones those of the lowest vertices), or all nonzero entries if
/// kept is 0, with the norms of the kept and dropped parts. O(size). Local.
/// @param vertices  ascending @param values  one per vertex
[[nodiscard]] ColumnSolver::Column select_largest(Index landmark, std::span<const std::int32_t> vertices,
                                                  std::span<const double> values, Index kept);

}  // namespace cairn
