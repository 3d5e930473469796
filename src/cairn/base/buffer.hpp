// Uninitialized, aligned memory for large arrays of numbers.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

#include "cairn/base/index.hpp"

namespace cairn {

namespace detail {
/// Memory aligned to 64 bytes. Large blocks are mapped from the system, in huge pages if available, and unmapped when
/// freed, whatever other libraries set in malloc.
/// @throws AllocationError(resource) with the size if memory is insufficient
void* allocate_aligned(std::size_t bytes);
/// `bytes` is the size that was passed to allocate_aligned.
void free_aligned(void* pointer, std::size_t bytes) noexcept;
}  // namespace detail

/// An owning, uninitialized array: no page is touched before its user writes it. Move-only.
template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  explicit Buffer(Index size)
      : data_(static_cast<T*>(detail::allocate_aligned(static_cast<std::size_t>(size) * sizeof(T))), Free{size}) {}

  [[nodiscard]] Index size() const { return data_ ? data_.get_deleter().size : 0; }
  [[nodiscard]] T* data() { return data_.get(); }
  [[nodiscard]] const T* data() const { return data_.get(); }
  [[nodiscard]] T& operator[](Index i) { return data_.get()[i]; }
  [[nodiscard]] const T& operator[](Index i) const { return data_.get()[i]; }
  [[nodiscard]] std::span<T> span() { return {data_.get(), static_cast<std::size_t>(size())}; }
  [[nodiscard]] std::span<const T> span() const { return {data_.get(), static_cast<std::size_t>(size())}; }

 private:
  struct Free {
    Index size = 0;
    void operator()(T* pointer) const noexcept {
      detail::free_aligned(pointer, static_cast<std::size_t>(size) * sizeof(T));
    }
  };
  std::unique_ptr<T, Free> data_;
};

}  // namespace cairn
