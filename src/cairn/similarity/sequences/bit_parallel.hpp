// Levenshtein's distance with 64 places of a sequence in a word. Private to this folder.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/base/index.hpp"

namespace cairn {

/// Distances of one sequence to others: the least number of symbols to insert, delete or replace. The differences of
/// neighbouring entries of the table of distances are -1, 0 or 1, and 64 of a column are computed at once.
/// [Myers 1999; Hyyrö 2003]. O(|y| ceil(|x| / 64)) a distance. Memory: 4 bytes a symbol of the alphabet, 8 bytes a
/// different symbol of x and 64 places of it. Not thread-safe.
class BitParallel {
 public:
  /// Takes x, until the next one. @param symbols  of the alphabet
  void prepare(std::span<const std::int32_t> x, Index symbols);
  /// Of x and y.
  [[nodiscard]] Index distance(std::span<const std::int32_t> y);

 private:
  [[nodiscard]] Index in_one_word(std::span<const std::int32_t> y) const;
  [[nodiscard]] Index in_words(std::span<const std::int32_t> y);

  std::vector<std::int32_t> slots_;       // of each symbol of the alphabet: where its masks are; 0: x has it not
  std::vector<std::uint64_t> masks_;      // of slot 0, which are 0, and of the symbols of x
  std::vector<std::uint64_t> up_, down_;  // where the column in hand rises and falls by 1
  std::vector<std::int32_t> x_;
  std::size_t words_ = 0;
};

}  // namespace cairn
