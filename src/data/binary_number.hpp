// Numbers in files of either byte order. Private to this folder.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace cairn {

/// The number at `from`.
template <class T>
[[nodiscard]] T number_at(const char* from, std::endian order) {
  std::array<char, sizeof(T)> bytes;
  std::copy_n(from, sizeof(T), bytes.begin());
  if (order != std::endian::native) std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<T>(bytes);
}

}  // namespace cairn
