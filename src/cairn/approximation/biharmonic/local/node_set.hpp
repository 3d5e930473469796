// Sets of small integers, as bits.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "cairn/base/index.hpp"

namespace cairn {

/// A set of numbers 0 .. size-1, which it lists in order without sorting: time O(size / 64 + members).
class NodeSet {
 public:
  explicit NodeSet(Index size = 0) : words_(static_cast<std::size_t>(size) / 64 + 1, 0) {}

  [[nodiscard]] bool contains(std::int32_t k) const { return ((words_[word(k)] >> bit(k)) & 1U) != 0; }
  void insert(std::int32_t k) { words_[word(k)] |= std::uint64_t{1} << bit(k); }
  [[nodiscard]] const std::uint64_t* words() const { return words_.data(); }
  void clear() { words_.assign(words_.size(), 0); }

  /// The members, ascending.
  void ascending(std::vector<std::int32_t>& members) const {
    members.clear();
    for (std::size_t w = 0; w < words_.size(); ++w) {
      for (std::uint64_t left = words_[w]; left != 0; left &= left - 1) {
        members.push_back(static_cast<std::int32_t>(64 * w) + std::countr_zero(left));
      }
    }
  }
  [[nodiscard]] std::vector<std::int32_t> ascending() const {
    std::vector<std::int32_t> members;
    ascending(members);
    return members;
  }

 private:
  static std::size_t word(std::int32_t k) { return static_cast<std::size_t>(k) / 64; }
  static unsigned bit(std::int32_t k) { return static_cast<unsigned>(k) % 64; }
  std::vector<std::uint64_t> words_;
};

}  // namespace cairn
