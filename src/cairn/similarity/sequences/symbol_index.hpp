// Where the symbols of a block of sequences are. Private to this folder.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/data/sequences/sequence_set.hpp"

namespace cairn {

/// Of each symbol: in which sequences of a block it is, and where. Memory: 8 bytes a symbol of the alphabet, 8 a symbol
/// of the sequences.
class SymbolIndex {
 public:
  struct Place {
    std::int32_t rank = 0;   ///< of the sequence, in order()
    std::int32_t place = 0;  ///< in it
  };

  explicit SymbolIndex(const SequenceBlock& block);

  /// The sequences, the shortest first: positions in the block.
  [[nodiscard]] const std::vector<Index>& order() const { return order_; }
  /// Ascending by rank, then place.
  [[nodiscard]] std::span<const Place> places(std::int32_t symbol) const {
    const auto begin = static_cast<std::size_t>(starts_[static_cast<std::size_t>(symbol)]);
    return std::span(places_).subspan(begin,
                                      static_cast<std::size_t>(starts_[static_cast<std::size_t>(symbol) + 1]) - begin);
  }
  /// Symbols of all sequences.
  [[nodiscard]] Index symbols() const { return std::ssize(places_); }

 private:
  std::vector<Index> order_;
  std::vector<Index> starts_;  // of each symbol's places
  std::vector<Place> places_;
};

}  // namespace cairn
