#include "cairn/approximation/distance_geometry/sparse_operator.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "cairn/base/each_level.hpp"
#include "cairn/base/mpi/collective_guard.hpp"

namespace cairn {

namespace {

// Number of columns whose rows of x, of 32 numbers, stay in the cache of a core: 256 kB.
template <class T>
constexpr Index block_columns = 256 * 1024 / (32 * sizeof(T));

// Entries of a row in one block of columns, and the rows of x (b numbers each) that they are multiplied by.
template <class T>
struct RowProduct {
  std::span<const std::int32_t> columns;
  const T* values;
  const T* x;
  Index b;
  T* y;
};

// y += sum of values[e] * x(columns[e], :), in registers if b is a multiple of the width. Vectors are explicit: with
// arrays GCC 12 exchanges the two inner loops, and the product is four times slower.
template <class T>
[[gnu::always_inline]] inline void add_product(const RowProduct<T>& row) {
  typedef T Lanes __attribute__((vector_size(32)));
  constexpr Index width = 32, lanes = 32 / sizeof(T), parts = width / lanes;
  Index first = 0;
  for (; first + width <= row.b; first += width) {
    Lanes sums[parts];
    std::memcpy(&sums, row.y + first, sizeof sums);
    for (std::size_t e = 0; e < row.columns.size(); ++e) {
      const T value = row.values[e];
      const T* from = row.x + row.columns[e] * row.b + first;
#pragma GCC unroll 8
      for (Index k = 0; k < parts; ++k) {
        Lanes factor;
        std::memcpy(&factor, from + k * lanes, sizeof factor);
        sums[k] += value * factor;
      }
    }
    std::memcpy(row.y + first, &sums, sizeof sums);
  }
  if (first == row.b) return;
  for (std::size_t e = 0; e < row.columns.size(); ++e) {
    const T value = row.values[e];
    const T* from = row.x + row.columns[e] * row.b;
    for (Index k = first; k < row.b; ++k) row.y[k] += value * from[k];
  }
}

// One overload per number type, because target_clones does not support templates.
CAIRN_EACH_LEVEL void add_row(const RowProduct<float>& row) { add_product(row); }
CAIRN_EACH_LEVEL void add_row(const RowProduct<double>& row) { add_product(row); }

// Rows of a matrix, stored by blocks of columns for products.
template <class T>
class ColumnBlocks {
 public:
  // Collective.
  ColumnBlocks(const Communicator& communicator, const RowPartition& partition, const BalancedRows<T>& matrix)
      : communicator_(communicator),
        partition_(partition),
        rows_(matrix.rows),
        outgoing_(static_cast<std::size_t>(communicator.size())) {
    collectively(communicator, [&] { keep(matrix); });
  }

  // y = A x, both distributed like the matrix. Collective.
  void multiply(MatrixView<const T> x, MatrixView<T> y, int threads) {
    const Index b = x.columns;
    const std::vector<T> all =
        communicator_.all_gather(std::span<const T>(x.data, static_cast<std::size_t>(x.rows * b)));
    if (communicator_.maximum(product_.size() < rows_.size() * b ? 1 : 0) > 0) {  // in the first call
      collectively(communicator_, [&] { product_ = Buffer<T>(rows_.size() * b); });
    }
    std::fill_n(product_.data(), rows_.size() * b, T(0));
    const Index own = rows_.size(), blocks = own > 0 ? (std::ssize(starts_) - 1) / own : 0;
    for (Index block = 0; block < blocks; ++block) {
#pragma omp parallel for num_threads(threads) schedule(dynamic, 64)
      for (Index i = 0; i < own; ++i) {
        const auto at = static_cast<std::size_t>(block * own + i);
        const auto begin = static_cast<std::size_t>(starts_[at]), end = static_cast<std::size_t>(starts_[at + 1]);
        if (begin == end) continue;
        add_row(RowProduct<T>{columns_.span().subspan(begin, end - begin), values_.data() + begin, all.data(), b,
                              product_.data() + i * b});
      }
    }
    send_to_owners(y);
  }

 private:
  void keep(const BalancedRows<T>& matrix) {
    // At most a quarter as many blocks as a row has entries on average, which bounds the overhead of a row per block.
    const Index own = rows_.size(), most = matrix.own_entries() / (4 * std::max<Index>(1, own));
    const Index narrow = std::max<Index>(1, (matrix.size() + block_columns<T> - 1) / block_columns<T>);
    const Index blocks = std::clamp<Index>(narrow, 1, std::max<Index>(1, most));
    const Index width = blocks == narrow ? block_columns<T> : (matrix.size() + blocks - 1) / blocks;
    // Calls use(block, row, entries of both) with the positions of the entries in the row.
    const auto for_each = [&](auto use) {
      for (Index i = 0; i < own; ++i) {
        const auto columns = matrix.row(rows_.begin + i).columns;
        for (std::size_t begin = 0; begin < columns.size();) {
          const Index block = columns[begin] / width;
          const auto end = static_cast<std::size_t>(
              std::ranges::lower_bound(columns.subspan(begin), (block + 1) * width) - columns.begin());
          use(block, i, Range{static_cast<Index>(begin), static_cast<Index>(end)});
          begin = end;
        }
      }
    };
    starts_.assign(static_cast<std::size_t>(blocks * own) + 1, 0);
    for_each([&](Index block, Index i, Range entries) {
      starts_[static_cast<std::size_t>(block * own + i) + 1] = entries.size();
    });
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
    columns_ = Buffer<std::int32_t>(starts_.back());
    values_ = Buffer<T>(starts_.back());
    for_each([&](Index block, Index i, Range entries) {
      const auto row = matrix.row(rows_.begin + i);
      const Index at = starts_[block * own + i];
      std::copy_n(row.columns.begin() + entries.begin, entries.size(), columns_.data() + at);
      std::copy_n(row.values.begin() + entries.begin, entries.size(), values_.data() + at);
    });
  }

  // Collective.
  void send_to_owners(MatrixView<T> y) {
    const Index b = y.columns;
    for (int r = 0; r < communicator_.size(); ++r) {
      const Range theirs = partition_.range(r);
      const Range part{std::max(theirs.begin, rows_.begin), std::min(theirs.end, rows_.end)};
      auto& message = outgoing_[r];
      message.clear();
      if (part.begin >= part.end) continue;
      const T* begin = product_.data() + (part.begin - rows_.begin) * b;
      message.assign(begin, begin + part.size() * b);
    }
    communicator_.exchange(outgoing_, received_);
    T* target = y.data;  // rows of rank r come before those of rank r + 1
    for (std::size_t r = 0; r < received_.size(); ++r) target = std::ranges::copy(received_[r], target).out;
  }

  const Communicator& communicator_;
  RowPartition partition_;
  Range rows_;                 // rows that this rank multiplies
  std::vector<Index> starts_;  // start of the entries of each row in each block of columns, block by block
  Buffer<std::int32_t> columns_;
  Buffer<T> values_;
  Buffer<T> product_;
  std::vector<std::vector<T>> outgoing_;
  ReusedArrays<T> received_;
};

}  // namespace

template <class T>
BlockOperator<T> sparse_operator(const Communicator& communicator, const RowPartition& partition,
                                 const BalancedRows<T>& matrix, int threads) {
  const auto rows = std::make_shared<ColumnBlocks<T>>(communicator, partition, matrix);
  return {partition, [rows, threads](MatrixView<const T> x, MatrixView<T> y) { rows->multiply(x, y, threads); }};
}

template <class T>
void add_row_product(const typename CompressedRows<T>::Row& row, MatrixView<const T> x, T* y) {
  add_row(RowProduct<T>{row.columns, row.values.data(), x.data, x.columns, y});
}

template void add_row_product<float>(const CompressedRows<float>::Row&, MatrixView<const float>, float*);
template void add_row_product<double>(const CompressedRows<double>::Row&, MatrixView<const double>, double*);
template BlockOperator<float> sparse_operator(const Communicator&, const RowPartition&, const BalancedRows<float>&,
                                              int);
template BlockOperator<double> sparse_operator(const Communicator&, const RowPartition&, const BalancedRows<double>&,
                                               int);

}  // namespace cairn
