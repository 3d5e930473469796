// Numbers in files of either byte order. Private to this folder.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

#include "cairn/base/index.hpp"

namespace cairn {

/// The number at `from`.
template <class T>
[[nodiscard]] T number_at(const char* from, std::endian order) {
  std::array<char, sizeof(T)> bytes;
  std::copy_n(from, sizeof(T), bytes.begin());
  if (order != std::endian::native) std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<T>(bytes);
}

/// `value` if it is an integer below 2^53 in magnitude, which a double holds exactly; else nothing.
[[nodiscard]] inline std::optional<Index> whole_number(double value) {
  constexpr double largest = 9007199254740992.0;  // 2^53
  if (!(std::abs(value) < largest) || std::trunc(value) != value) return std::nullopt;
  return static_cast<Index>(value);
}

}  // namespace cairn
