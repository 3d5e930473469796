// The entries of a sparse K within blocks of an order. Private to this folder.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "cairn/approximation/distance_geometry/block_points.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/linalg/sparse/balanced_rows.hpp"
#include "cairn/linalg/sparse/row_messages.hpp"

namespace cairn {

/// The entries of a sparse K within blocks, sent to their holders; rows of block 0 are dealt to ranks by entries. Made
/// collectively, then local. Memory: 4 + sizeof(T) bytes an entry of this rank's blocks.
template <class T>
class SparseBlocks {
 public:
  SparseBlocks(const Communicator& communicator, const BalancedRows<T>& matrix, const std::vector<Range>& blocks,
               const std::vector<Index>& order)
      : communicator_(communicator),
        blocks_(blocks),
        own_(blocks_of(std::ssize(blocks), communicator.size(), communicator.rank())) {
    auto lengths = collectively(communicator, [&] {
      prepare(order);
      return own_lengths_of_first(matrix);
    });
    communicator.sum(std::span<Index>(lengths));
    collectively(communicator, [&] { prepare_first(lengths); });
    Messages messages(static_cast<std::size_t>(communicator.size()));
    Index next = matrix.rows.begin;
    for (bool last = false; !last;) {
      collectively(communicator, [&] {
        messages.clear();
        while (next < matrix.rows.end && messages.has_room(most_sent)) take_row(messages, matrix, next++);
      });
      last = communicator.minimum(next < matrix.rows.end ? Index{0} : Index{1}) == 1;
      if (communicator.size() > 1) receive(messages);
    }
  }

  // Block 0, which is then gone. Collective.
  template <class Number>
  [[nodiscard]] BalancedRows<Number> take_first() {
    return collectively(communicator_, [&] {
      BalancedRows<Number> taken{{first_.rows, std::move(first_.starts), std::move(first_.columns), {}},
                                 std::move(first_.ends)};
      if constexpr (std::is_same_v<Number, T>) {
        taken.values = std::move(first_.values);
      } else {
        taken.values = Buffer<Number>(taken.own_entries());
        std::ranges::transform(first_.values.span(), taken.values.data(),
                               [](T value) { return static_cast<Number>(value); });
        first_.values = {};
      }
      return taken;
    });
  }

  // Column-major, n x n, of a block of this rank that is not block 0.
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
  static constexpr Index most_sent = Index{1} << 18U;  // entries that a rank receives in one round, about

  // Rows of blocks for each rank: block, row, number of entries; the entries' columns and values.
  using Messages = RowMessages<T>;

  void prepare(const std::vector<Index>& order) {
    places_.resize(order.size());
    for (std::size_t p = 0; p < order.size(); ++p) {
      places_[static_cast<std::size_t>(order[p])] = static_cast<std::int32_t>(p);
    }
    Index rows = 0, largest = 0;
    for (Index b = own_.begin; b < own_.end; ++b) {
      block_rows_.push_back(rows);
      rows += blocks_[static_cast<std::size_t>(b)].size();
    }
    for (const Range block : blocks_) largest = std::max(largest, block.size());
    rows_.assign(static_cast<std::size_t>(rows), Range{});
    row_values_.resize(static_cast<std::size_t>(largest));
    marks_.assign(row_values_.size() / 64 + 1, 0);
    for (std::size_t b = 1; b < blocks_.size(); ++b) {
      for (int r = 0; r < communicator_.size(); ++r) {
        if (blocks_of(std::ssize(blocks_), communicator_.size(), r).contains(static_cast<Index>(b)))
          holders_.push_back(r);
      }
    }
  }

  // Entries of each row of block 0 that stand in this rank's rows of the matrix.
  [[nodiscard]] std::vector<Index> own_lengths_of_first(const BalancedRows<T>& matrix) const {
    const Range block = blocks_.front();
    std::vector<Index> lengths(static_cast<std::size_t>(block.size()), 0);
    for (Index i = matrix.rows.begin; i < matrix.rows.end; ++i) {
      const Index place = places_[static_cast<std::size_t>(i)];
      if (!block.contains(place)) continue;
      lengths[static_cast<std::size_t>(place)] = std::ranges::count_if(matrix.row(i).columns, [&](std::int32_t column) {
        return places_[static_cast<std::size_t>(column)] < block.end;
      });
    }
    return lengths;
  }

  void prepare_first(const std::vector<Index>& lengths) {
    first_.ends = balanced_ends(lengths, communicator_.size());
    first_.rows = rows_between(first_.ends, communicator_.rank());
    for (Index i = first_.rows.begin; i < first_.rows.end; ++i) {
      first_.starts.push_back(first_.starts.back() + lengths[static_cast<std::size_t>(i)]);
    }
    first_.columns = Buffer<std::int32_t>(first_.own_entries());
    first_.values = Buffer<T>(first_.own_entries());
  }

  // Where a row of one of this rank's blocks but the first is in rows_.
  [[nodiscard]] std::size_t place_of(Index block, Index row) const {
    return static_cast<std::size_t>(block_rows_[static_cast<std::size_t>(block - own_.begin)] + row);
  }

  // A place is in one block, or in two neighbours (in more if blocks are hardly larger than what they have in common).
  void take_row(Messages& messages, const BalancedRows<T>& matrix, Index i) {
    const Index place = places_[static_cast<std::size_t>(i)];
    auto b = static_cast<Index>(std::ranges::upper_bound(blocks_, place, {}, &Range::end) - blocks_.begin());
    for (; b < std::ssize(blocks_) && blocks_[static_cast<std::size_t>(b)].begin <= place; ++b) {
      const Range range = blocks_[static_cast<std::size_t>(b)];
      take_entries(matrix.row(i), range);
      address(messages, b, place - range.begin);
    }
  }

  // Those of a row within a block, by ascending places.
  void take_entries(const typename BalancedRows<T>::Row& row, Range range) {
    row_columns_.clear();
    row_sorted_.clear();
    for (std::size_t e = 0; e < row.columns.size(); ++e) {
      const Index other = places_[static_cast<std::size_t>(row.columns[e])] - range.begin;
      if (other < 0 || other >= range.size()) continue;
      const auto place = static_cast<std::size_t>(other);
      row_values_[place] = row.values[e];
      marks_[place / 64] |= std::uint64_t{1} << (place % 64);
    }
    for (std::size_t w = 0; w <= static_cast<std::size_t>(range.size()) / 64; ++w) {
      for (std::uint64_t left = std::exchange(marks_[w], 0); left != 0; left &= left - 1) {
        const std::size_t place = w * 64 + static_cast<std::size_t>(std::countr_zero(left));
        row_columns_.push_back(static_cast<std::int32_t>(place));
        row_sorted_.push_back(row_values_[place]);
      }
    }
  }

  // The row in hand to the rank that has its block.
  void address(Messages& messages, Index block, Index row) {
    const int holder = block == 0 ? static_cast<int>(std::ranges::upper_bound(first_.ends, row) - first_.ends.begin())
                                  : holders_[static_cast<std::size_t>(block - 1)];
    if (holder == communicator_.rank()) {
      keep(block, row, row_columns_, row_sorted_.data());
      return;
    }
    const auto target = static_cast<std::size_t>(holder);
    for (const Index number : {block, row, std::ssize(row_columns_)}) {
      messages.heads[target].push_back(static_cast<std::int32_t>(number));
    }
    messages.columns[target].insert(messages.columns[target].end(), row_columns_.begin(), row_columns_.end());
    messages.values[target].insert(messages.values[target].end(), row_sorted_.begin(), row_sorted_.end());
    messages.entries += std::ssize(row_columns_);
  }

  void keep(Index block, Index row, std::span<const std::int32_t> columns, const T* values) {
    if (block == 0) {
      const Index at = first_.starts[static_cast<std::size_t>(row - first_.rows.begin)];
      std::ranges::copy(columns, first_.columns.data() + at);
      std::copy_n(values, columns.size(), first_.values.data() + at);
      return;
    }
    const Index begin = std::ssize(columns_);
    columns_.insert(columns_.end(), columns.begin(), columns.end());
    values_.insert(values_.end(), values, values + columns.size());
    rows_[place_of(block, row)] = {begin, std::ssize(columns_)};
  }

  // Collective.
  void receive(Messages& messages) {
    messages.exchange(communicator_);
    collectively(communicator_, [&] {
      for (std::size_t r = 0; r < messages.received_heads.size(); ++r) {
        const auto heads = messages.received_heads[r];
        std::size_t begin = 0;
        for (std::size_t k = 0; k < heads.size(); k += 3) {
          const auto length = static_cast<std::size_t>(heads[k + 2]);
          keep(heads[k], heads[k + 1], messages.received_columns[r].subspan(begin, length),
               messages.received_values[r].data() + begin);
          begin += length;
        }
      }
    });
  }

  const Communicator& communicator_;
  const std::vector<Range>& blocks_;
  Range own_;                          // blocks of this rank beside its part of block 0
  BalancedRows<T> first_;              // block 0
  std::vector<std::int32_t> places_;   // in the order, of each object
  std::vector<int> holders_;           // of each block but the first
  std::vector<Index> block_rows_;      // first row of each own block in rows_
  std::vector<Range> rows_;            // entries of each row of this rank's other blocks
  std::vector<std::int32_t> columns_;  // of those
  std::vector<T> values_;
  std::vector<std::int32_t> row_columns_;  // of the row in hand
  std::vector<T> row_sorted_, row_values_;
  std::vector<std::uint64_t> marks_;
};

}  // namespace cairn
