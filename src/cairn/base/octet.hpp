// Eight numbers side by side, for loops over data that eight columns, right-hand sides or pairs share.
#pragma once

#include <cstdint>

namespace cairn {

/// Stored as two vectors of 32 bytes. Where registers have 32 bytes, GCC 12 keeps a 64-byte vector in memory, word by
/// word, which is two to five times slower; processors with wider registers lose little. All functions are local.
template <class T>
struct Octet {
  static_assert(sizeof(T) == 8);
  typedef T Half __attribute__((vector_size(32), aligned(32), may_alias));
  Half low{}, high{};

  /// @param values  aligned to 32 bytes
  [[gnu::always_inline]] static Octet load(const T* values) {
    const auto* const halves = reinterpret_cast<const Half*>(values);
    return {halves[0], halves[1]};
  }
  [[gnu::always_inline]] void store(T* values) const {
    auto* const halves = reinterpret_cast<Half*>(values);
    halves[0] = low, halves[1] = high;
  }
  [[gnu::always_inline]] static Octet all(T value) { return {Half{} + value, Half{} + value}; }
  [[gnu::always_inline]] T operator[](int lane) const { return lane < 4 ? low[lane] : high[lane - 4]; }

  [[gnu::always_inline]] friend Octet operator+(const Octet& a, const Octet& b) {
    return {a.low + b.low, a.high + b.high};
  }
  [[gnu::always_inline]] friend Octet operator-(const Octet& a, const Octet& b) {
    return {a.low - b.low, a.high - b.high};
  }
  [[gnu::always_inline]] friend Octet operator*(const Octet& a, const Octet& b) {
    return {a.low * b.low, a.high * b.high};
  }
  [[gnu::always_inline]] friend Octet operator*(T a, const Octet& b) { return {a * b.low, a * b.high}; }
  [[gnu::always_inline]] Octet& operator+=(const Octet& other) { return *this = *this + other; }
  [[gnu::always_inline]] Octet& operator-=(const Octet& other) { return *this = *this - other; }
};

/// Result of a comparison: all bits set where it holds, none elsewhere.
using OctetMask = Octet<std::int64_t>;

template <class T>
[[gnu::always_inline]] inline OctetMask operator<(const Octet<T>& a, const Octet<T>& b) {
  return {reinterpret_cast<OctetMask::Half>(a.low < b.low), reinterpret_cast<OctetMask::Half>(a.high < b.high)};
}
template <class T>
[[gnu::always_inline]] inline OctetMask operator==(const Octet<T>& a, const Octet<T>& b) {
  return {reinterpret_cast<OctetMask::Half>(a.low == b.low), reinterpret_cast<OctetMask::Half>(a.high == b.high)};
}
[[gnu::always_inline]] inline OctetMask operator&(const OctetMask& a, const OctetMask& b) {
  return {a.low & b.low, a.high & b.high};
}
[[gnu::always_inline]] inline OctetMask operator|(const OctetMask& a, const OctetMask& b) {
  return {a.low | b.low, a.high | b.high};
}
[[gnu::always_inline]] inline OctetMask operator~(const OctetMask& a) { return {~a.low, ~a.high}; }

/// x where the mask holds, y elsewhere.
template <class T>
[[gnu::always_inline]] inline Octet<T> select(const OctetMask& mask, const Octet<T>& x, const Octet<T>& y) {
  return {mask.low ? x.low : y.low, mask.high ? x.high : y.high};
}
/// select() with y = 0.
[[gnu::always_inline]] inline Octet<double> where(const OctetMask& mask, const Octet<double>& x) {
  using Numbers = Octet<double>::Half;
  return {reinterpret_cast<Numbers>(mask.low & reinterpret_cast<OctetMask::Half>(x.low)),
          reinterpret_cast<Numbers>(mask.high & reinterpret_cast<OctetMask::Half>(x.high))};
}

}  // namespace cairn
