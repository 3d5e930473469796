// Entries of K that were evaluated before, by pairs of objects.
#pragma once

#include <functional>
#include <span>
#include <unordered_map>
#include <utility>

#include "cairn/base/index.hpp"

namespace cairn {

/// The values of pairs of numbered objects: candidates are compared on one probe, whose entries are evaluated once.
/// Memory: some 50 bytes per pair. Each rank has its own; all functions are local.
template <class T>
class KnownPairs {
 public:
  /// The values of all pairs of first[a] and second[a]. @return false if one of them is unknown; `out` may then be
  /// partly filled
  [[nodiscard]] bool find(std::span<const Index> first, std::span<const Index> second, std::span<T> out) const {
    for (std::size_t a = 0; a < out.size(); ++a) {
      const auto found = values_.find({first[a], second[a]});
      if (found == values_.end()) return false;
      out[a] = found->second;
    }
    return true;
  }
  /// Stores the values of these pairs. @return how many of them were unknown
  Index add(std::span<const Index> first, std::span<const Index> second, std::span<const T> values) {
    Index unknown = 0;
    for (std::size_t a = 0; a < values.size(); ++a)
      unknown += values_.insert_or_assign({first[a], second[a]}, values[a]).second ? 1 : 0;
    return unknown;
  }

 private:
  struct Hash {
    std::size_t operator()(const std::pair<Index, Index>& pair) const {
      return std::hash<Index>{}(pair.first) * 0x9E3779B97F4A7C15U ^ std::hash<Index>{}(pair.second);
    }
  };
  std::unordered_map<std::pair<Index, Index>, T, Hash> values_;
};

}  // namespace cairn
