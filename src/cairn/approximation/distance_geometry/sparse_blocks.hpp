// The entries of a sparse K within blocks of an order. Private to this folder.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "cairn/approximation/distance_geometry/block_points.hpp"
#include "cairn/base/mpi/collective_guard.hpp"

namespace cairn {

/// The entries of a sparse K within blocks, sent to their holders; of block 0 those of own rows. Made collectively,
/// then local. Memory: 4 + sizeof(T) bytes an entry of this rank's blocks.
template <class T>
class SparseBlocks {
 public:
  SparseBlocks(const Communicator& communicator, const SparseRows<T>& matrix, const std::vector<Range>& blocks,
               const std::vector<Index>& order)
      : communicator_(communicator),
        blocks_(blocks),
        first_(blocks.front().size(), communicator.size()),
        own_(blocks_of(std::ssize(blocks), communicator.size(), communicator.rank())) {
    collectively(communicator, [&] { prepare(order); });
    Messages messages(static_cast<std::size_t>(communicator.size()));
    Index next = matrix.range().begin;
    for (bool last = false; !last;) {
      collectively(communicator, [&] {
        messages.clear();
        while (next < matrix.range().end && messages.entries < most_sent) take_row(messages, matrix, next++);
      });
      last = communicator.minimum(next < matrix.range().end ? Index{0} : Index{1}) == 1;
      if (communicator.size() > 1) receive(messages);
    }
  }

  [[nodiscard]] SparseRows<T> first() const {
    std::vector<Index> starts{0}, indices;
    std::vector<T> values;
    const Range own = first_.range(communicator_.rank());
    for (Index i = own.begin; i < own.end; ++i) {
      const Range entries = rows_[static_cast<std::size_t>(i - own.begin)];
      for (auto e = static_cast<std::size_t>(entries.begin); e < static_cast<std::size_t>(entries.end); ++e) {
        indices.push_back(columns_[e]);
        values.push_back(values_[e]);
      }
      starts.push_back(std::ssize(indices));
    }
    return {first_, communicator_.rank(), first_.rows(), std::move(starts), std::move(indices), std::move(values)};
  }

  // Column-major, n x n, of a block of this rank.
  void fill(Index block, double* matrix) const {
    const Index n = blocks_[static_cast<std::size_t>(block)].size();
    std::fill_n(matrix, n * n, 0.0);
    for (Index i = 0; i < n; ++i) {
      const Range entries = rows_[place_of(block, i)];
      for (auto e = static_cast<std::size_t>(entries.begin); e < static_cast<std::size_t>(entries.end); ++e) {
        matrix[static_cast<Index>(columns_[e]) * n + i] = static_cast<double>(values_[e]);
      }
    }
  }

 private:
  static constexpr Index most_sent = Index{1} << 18U;  // entries of a rank in one round

  // Rows of blocks for each rank: block, row, number of entries; the entries' columns and values.
  struct Messages {
    explicit Messages(std::size_t ranks) : heads(ranks), columns(ranks), values(ranks) {}
    void clear() {
      for (auto& part : heads) part.clear();
      for (auto& part : columns) part.clear();
      for (auto& part : values) part.clear();
      entries = 0;
    }
    std::vector<std::vector<std::int32_t>> heads, columns;
    std::vector<std::vector<T>> values;
    ReusedArrays<std::int32_t> received_heads, received_columns;
    ReusedArrays<T> received_values;
    Index entries = 0;
  };

  void prepare(const std::vector<Index>& order) {
    places_.resize(order.size());
    for (std::size_t p = 0; p < order.size(); ++p) places_[static_cast<std::size_t>(order[p])] = static_cast<Index>(p);
    Index rows = first_.range(communicator_.rank()).size();
    for (Index b = own_.begin; b < own_.end; ++b) {
      block_rows_.push_back(rows);
      rows += blocks_[static_cast<std::size_t>(b)].size();
    }
    rows_.assign(static_cast<std::size_t>(rows), Range{});
    for (std::size_t b = 1; b < blocks_.size(); ++b) {
      for (int r = 0; r < communicator_.size(); ++r) {
        if (blocks_of(std::ssize(blocks_), communicator_.size(), r).contains(static_cast<Index>(b)))
          holders_.push_back(r);
      }
    }
  }

  // Where a row of one of this rank's blocks is in rows_.
  [[nodiscard]] std::size_t place_of(Index block, Index row) const {
    if (block == 0) return static_cast<std::size_t>(row - first_.range(communicator_.rank()).begin);
    return static_cast<std::size_t>(block_rows_[static_cast<std::size_t>(block - own_.begin)] + row);
  }

  // A place is in one block, or in two neighbours (in more if blocks are hardly larger than what they have in common).
  void take_row(Messages& messages, const SparseRows<T>& matrix, Index i) {
    const Index place = places_[static_cast<std::size_t>(i)];
    auto b = static_cast<Index>(std::ranges::upper_bound(blocks_, place, {}, &Range::end) - blocks_.begin());
    for (; b < std::ssize(blocks_) && blocks_[static_cast<std::size_t>(b)].begin <= place; ++b) {
      const Range range = blocks_[static_cast<std::size_t>(b)];
      row_.clear();
      const SparseRow<T> row = matrix.row(i);
      for (std::size_t e = 0; e < row.columns.size(); ++e) {
        const Index other = places_[static_cast<std::size_t>(row.columns[e])];
        if (range.contains(other)) row_.emplace_back(static_cast<std::int32_t>(other - range.begin), row.values[e]);
      }
      const auto by_column = [](const auto& a, const auto& c) { return a.first < c.first; };
      if (!std::ranges::is_sorted(row_, by_column)) std::ranges::sort(row_, by_column);
      address(messages, b, place - range.begin);
    }
  }

  // The row in row_ to the rank that has its block.
  void address(Messages& messages, Index block, Index row) {
    const int holder = block == 0 ? first_.owner(row) : holders_[static_cast<std::size_t>(block - 1)];
    if (holder == communicator_.rank()) {
      const Index begin = std::ssize(columns_);
      for (const auto& [column, value] : row_) {
        columns_.push_back(column);
        values_.push_back(value);
      }
      rows_[place_of(block, row)] = {begin, std::ssize(columns_)};
      return;
    }
    const auto target = static_cast<std::size_t>(holder);
    for (const Index number : {block, row, std::ssize(row_)}) {
      messages.heads[target].push_back(static_cast<std::int32_t>(number));
    }
    for (const auto& [column, value] : row_) {
      messages.columns[target].push_back(column);
      messages.values[target].push_back(value);
    }
    messages.entries += std::ssize(row_);
  }

  // Collective.
  void receive(Messages& messages) {
    communicator_.exchange(messages.heads, messages.received_heads);
    communicator_.exchange(messages.columns, messages.received_columns);
    communicator_.exchange(messages.values, messages.received_values);
    collectively(communicator_, [&] {
      for (std::size_t r = 0; r < messages.received_heads.size(); ++r) {
        const auto heads = messages.received_heads[r];
        const auto columns = messages.received_columns[r];
        const auto values = messages.received_values[r];
        Index begin = std::ssize(columns_);
        for (std::size_t k = 0; k < heads.size(); k += 3) {
          rows_[place_of(heads[k], heads[k + 1])] = {begin, begin + heads[k + 2]};
          begin += heads[k + 2];
        }
        columns_.insert(columns_.end(), columns.begin(), columns.end());
        values_.insert(values_.end(), values.begin(), values.end());
      }
    });
  }

  const Communicator& communicator_;
  const std::vector<Range>& blocks_;
  RowPartition first_;
  Range own_;                      // blocks of this rank beside its part of block 0
  std::vector<Index> places_;      // in the order, of each object
  std::vector<int> holders_;       // of each block but the first
  std::vector<Index> block_rows_;  // first row of each own block in rows_
  std::vector<Range> rows_;        // entries of each row of this rank's blocks
  std::vector<std::int32_t> columns_;
  std::vector<T> values_;
  std::vector<std::pair<std::int32_t, T>> row_;
};

}  // namespace cairn
