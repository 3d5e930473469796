// Streaming (non-temporal) stores for large arrays that are not read soon: a cache line is written without being read.
#pragma once

#include <cstddef>
#include <cstring>

namespace cairn {

/// Writes `value` to `to`. @param to  aligned to 16 bytes @tparam T  its size is a multiple of 16 bytes
template <class T>
[[gnu::always_inline]] inline void store_past_caches(void* to, const T& value) {
#if defined(__x86_64__)
  static_assert(sizeof(T) % 16 == 0);
  typedef long long Pair __attribute__((vector_size(16), may_alias));
#pragma GCC unroll 4
  for (std::size_t k = 0; k < sizeof(T) / 16; ++k) {
    Pair part;
    std::memcpy(&part, reinterpret_cast<const char*>(&value) + 16 * k, sizeof part);
#if defined(__clang__)
    __builtin_nontemporal_store(part, static_cast<Pair*>(to) + k);
#else
    __builtin_ia32_movntdq(static_cast<Pair*>(to) + k, part);
#endif
  }
#else
  std::memcpy(to, &value, sizeof value);
#endif
}

/// Call this before notifying other threads or processes that streamed data is complete.
inline void finish_past_caches() {
#if defined(__x86_64__)
  __builtin_ia32_sfence();
#endif
}

}  // namespace cairn
