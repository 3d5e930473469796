// The entries of a sparse K within blocks of an order. Private to this folder.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "cairn/approximation/distance_geometry/block_points.hpp"

namespace cairn {

/// An entry on its way to the rank that holds its block.
template <class T>
struct BlockEntry {
  std::int32_t block = 0;
  std::int32_t row = 0;  // in the block
  std::int32_t column = 0;
  T value{};
};

/// The entries of a sparse K within blocks, sent to their holders; of block 0 those of own rows. Made collectively,
/// then local. Memory: 24 bytes an entry of this rank's blocks.
template <class T>
class SparseBlocks {
 public:
  SparseBlocks(const Communicator& communicator, const SparseRows<T>& matrix, const std::vector<Range>& blocks,
               const std::vector<Index>& order)
      : communicator_(communicator), blocks_(blocks), first_(blocks.front().size(), communicator.size()) {
    std::vector<Index> places(order.size());
    for (std::size_t p = 0; p < order.size(); ++p) places[static_cast<std::size_t>(order[p])] = static_cast<Index>(p);
    std::vector<std::vector<BlockEntry<T>>> outgoing(static_cast<std::size_t>(communicator.size()));
    for (Index i = matrix.range().begin; i < matrix.range().end; ++i) {
      const SparseRow<T> row = matrix.row(i);
      const Index place = places[static_cast<std::size_t>(i)];
      for (Index b : blocks_with(place)) add(outgoing, b, place, row, places);
    }
    for (const auto& part : communicator.exchange(outgoing)) entries_.insert(entries_.end(), part.begin(), part.end());
    std::ranges::sort(entries_, [](const auto& a, const auto& b) {
      return std::tuple(a.block, a.row, a.column) < std::tuple(b.block, b.row, b.column);
    });
  }

  [[nodiscard]] SparseRows<T> first() const {
    std::vector<Index> starts{0}, indices;
    std::vector<T> values;
    auto entry = entries_.begin();
    const Range own = first_.range(communicator_.rank());
    for (Index i = own.begin; i < own.end; ++i) {
      for (; entry != entries_.end() && entry->block == 0 && entry->row == i; ++entry) {
        indices.push_back(entry->column);
        values.push_back(entry->value);
      }
      starts.push_back(std::ssize(indices));
    }
    return {first_, communicator_.rank(), first_.rows(), std::move(starts), std::move(indices), std::move(values)};
  }

  // Column-major, n x n.
  void fill(Index block, double* matrix) const {
    const Index n = blocks_[static_cast<std::size_t>(block)].size();
    std::fill_n(matrix, n * n, 0.0);
    auto entry = std::ranges::lower_bound(entries_, static_cast<std::int32_t>(block), {}, &BlockEntry<T>::block);
    for (; entry != entries_.end() && entry->block == block; ++entry) {
      matrix[static_cast<Index>(entry->column) * n + entry->row] = static_cast<double>(entry->value);
    }
  }

 private:
  // A place is in one block, or in two neighbours (in more if blocks are hardly larger than what they have in common).
  [[nodiscard]] std::vector<Index> blocks_with(Index place) const {
    std::vector<Index> all;
    auto b = static_cast<Index>(std::ranges::upper_bound(blocks_, place, {}, &Range::end) - blocks_.begin());
    for (; b < std::ssize(blocks_) && blocks_[static_cast<std::size_t>(b)].begin <= place; ++b) all.push_back(b);
    return all;
  }

  void add(std::vector<std::vector<BlockEntry<T>>>& outgoing, Index b, Index place, const SparseRow<T>& row,
           const std::vector<Index>& places) const {
    const Range range = blocks_[static_cast<std::size_t>(b)];
    const auto local = static_cast<std::int32_t>(place - range.begin);
    auto& target = outgoing[static_cast<std::size_t>(b == 0 ? first_.owner(place) : holder(b))];
    for (std::size_t e = 0; e < row.columns.size(); ++e) {
      const Index other = places[static_cast<std::size_t>(row.columns[e])];
      if (!range.contains(other)) continue;
      target.push_back(
          {static_cast<std::int32_t>(b), local, static_cast<std::int32_t>(other - range.begin), row.values[e]});
    }
  }

  [[nodiscard]] int holder(Index block) const {
    for (int r = 0; r < communicator_.size(); ++r) {
      if (blocks_of(std::ssize(blocks_), communicator_.size(), r).contains(block)) return r;
    }
    return 0;
  }

  const Communicator& communicator_;
  const std::vector<Range>& blocks_;
  RowPartition first_;
  std::vector<BlockEntry<T>> entries_;
};

}  // namespace cairn
