// 64-bit sizes and half-open ranges of them.
#pragma once

#include <cstdint>

namespace cairn {

/// Counts and positions of rows, columns, entries and bytes: always 64 bits.
using Index = std::int64_t;

/// The half-open range [begin, end).
struct Range {
  Index begin = 0;
  Index end = 0;

  [[nodiscard]] constexpr Index size() const { return end - begin; }
  [[nodiscard]] constexpr bool empty() const { return end <= begin; }
  [[nodiscard]] constexpr bool contains(Index i) const { return begin <= i && i < end; }
  friend constexpr bool operator==(const Range&, const Range&) = default;
};

}  // namespace cairn
