// Receive buffers that are reused.
#pragma once

#include <span>
#include <type_traits>
#include <vector>

#include "cairn/base/buffer.hpp"

namespace cairn {

/// One array per rank. Their memory is kept, since large allocations are expensive.
template <class T>
class ReusedArrays {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  /// Number of ranks in the last exchange; 0 before the first.
  [[nodiscard]] std::size_t size() const { return sizes_.size(); }
  /// The values received from a rank.
  [[nodiscard]] std::span<const T> operator[](std::size_t rank) const { return {rooms_[rank].data(), sizes_[rank]}; }
  /// Storage for `size` elements from a rank; earlier contents are lost.
  T* prepare(std::size_t rank, Index size) {
    if (rank >= rooms_.size()) {
      rooms_.resize(rank + 1);
      sizes_.resize(rank + 1, 0);
    }
    if (rooms_[rank].size() < size) rooms_[rank] = Buffer<T>(size + size / 4);
    sizes_[rank] = static_cast<std::size_t>(size);
    return rooms_[rank].data();
  }

 private:
  std::vector<Buffer<T>> rooms_;
  std::vector<std::size_t> sizes_;
};

}  // namespace cairn
