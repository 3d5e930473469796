#include "cairn/similarity/sequences/symbol_index.hpp"

#include <algorithm>
#include <numeric>

namespace cairn {

SymbolIndex::SymbolIndex(const SequenceBlock& block)
    : order_(static_cast<std::size_t>(block.size())), starts_(static_cast<std::size_t>(block.alphabet->size()) + 1, 0) {
  std::iota(order_.begin(), order_.end(), Index{0});
  std::ranges::stable_sort(order_, {}, [&](Index a) { return block.sequence(a).size(); });
  for (const Index a : order_) {
    for (const std::int32_t symbol : block.sequence(a)) ++starts_[static_cast<std::size_t>(symbol) + 1];
  }
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  places_.resize(static_cast<std::size_t>(starts_.back()));
  std::vector<Index> next(starts_.begin(), starts_.end() - 1);
  for (std::size_t rank = 0; rank < order_.size(); ++rank) {
    const auto sequence = block.sequence(order_[rank]);
    for (std::size_t place = 0; place < sequence.size(); ++place) {
      places_[static_cast<std::size_t>(next[static_cast<std::size_t>(sequence[place])]++)] = {
          static_cast<std::int32_t>(rank), static_cast<std::int32_t>(place)};
    }
  }
}

}  // namespace cairn
