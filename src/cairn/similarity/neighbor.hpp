// A neighbor of an object.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "cairn/similarity/entry_traits.hpp"

namespace cairn {

/// An object, and its value in a row of K or of K~.
struct Neighbor {
  Index object = 0;
  double value = 0;
};

/// Keeps the `k` nearest, in order: with the largest values, or the smallest if these are distances; ties go to the
/// lowest number. Local.
inline void keep_nearest(std::vector<Neighbor>& found, std::size_t k, Meaning meaning) {
  const auto nearer = [meaning](const Neighbor& a, const Neighbor& b) {
    if (a.value != b.value) return meaning == Meaning::similarity ? a.value > b.value : a.value < b.value;
    return a.object < b.object;
  };
  const std::size_t kept = std::min(found.size(), k);
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(kept), found.end(), nearer);
  found.resize(kept);
}

}  // namespace cairn
