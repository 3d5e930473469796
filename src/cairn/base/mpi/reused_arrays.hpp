// Memory that messages are received into again and again.
#pragma once

#include <span>
#include <type_traits>
#include <vector>

#include "cairn/base/buffer.hpp"

namespace cairn {

/// Arrays by rank that keep their memory: large new arrays are expensive.
template <class T>
class ReusedArrays {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  /// Of how many ranks the last exchange was; 0 before the first.
  [[nodiscard]] std::size_t size() const { return sizes_.size(); }
  /// What came from a rank.
  [[nodiscard]] std::span<const T> operator[](std::size_t rank) const { return {rooms_[rank].data(), sizes_[rank]}; }
  /// Room for so many elements from a rank; what was there is lost.
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
