#include "cairn/approximation/distance_geometry/sparse_operator.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "cairn/base/each_level.hpp"
#include "cairn/base/mpi/collective_guard.hpp"

namespace cairn {

namespace {

// Columns whose rows of x stay in the cache of a core: 256 kB of 32 numbers in single precision.
constexpr Index block_columns = 2048;

// Entries of a row in one block of columns, and what they are multiplied with: rows of b numbers.
template <class T>
struct RowProduct {
  std::span<const std::int32_t> columns;
  const T* values;
  const T* x;
  Index b;
  T* y;
};

// y += sum of values[e] * x(columns[e], :), in registers where b is a multiple of the width.
template <class T>
[[gnu::always_inline]] inline void add_product(const RowProduct<T>& row) {
  constexpr Index width = 32;
  Index first = 0;
  for (; first + width <= row.b; first += width) {
    T sums[width];
    std::copy_n(row.y + first, width, sums);
    for (std::size_t e = 0; e < row.columns.size(); ++e) {
      const T value = row.values[e];
      const T* from = row.x + row.columns[e] * row.b + first;
      for (Index k = 0; k < width; ++k) sums[k] += value * from[k];
    }
    std::copy_n(sums, width, row.y + first);
  }
  if (first == row.b) return;
  for (std::size_t e = 0; e < row.columns.size(); ++e) {
    const T value = row.values[e];
    const T* from = row.x + row.columns[e] * row.b;
    for (Index k = first; k < row.b; ++k) row.y[k] += value * from[k];
  }
}

// Once for each number type, which target_clones does not do for templates.
CAIRN_EACH_LEVEL void add_row(const RowProduct<float>& row) { add_product(row); }
CAIRN_EACH_LEVEL void add_row(const RowProduct<double>& row) { add_product(row); }

// A matrix as products need it: each rank has rows that follow each other, with about as many entries as any other
// rank, whoever owns them; by blocks of columns.
template <class T>
class BalancedRows {
 public:
  // Collective.
  BalancedRows(const Communicator& communicator, const SparseRows<T>& matrix)
      : communicator_(communicator),
        partition_(matrix.partition()),
        outgoing_(static_cast<std::size_t>(communicator.size())) {
    const std::vector<Index> ends = balanced_ends(matrix);
    const auto rank = static_cast<std::size_t>(communicator.rank());
    rows_ = {rank == 0 ? 0 : ends[rank - 1], ends[rank]};
    const std::vector<Rows> pieces = exchange_rows(matrix, ends);
    collectively(communicator, [&] { keep(pieces, matrix.columns()); });
  }

  // y = A x, both as the matrix is distributed. Collective.
  void multiply(MatrixView<const T> x, MatrixView<T> y, int threads) {
    const Index b = x.columns;
    const std::vector<T> all =
        communicator_.all_gather(std::span<const T>(x.data, static_cast<std::size_t>(x.rows * b)));
    if (product_.size() < rows_.size() * b) product_ = Buffer<T>(rows_.size() * b);
    std::fill_n(product_.data(), rows_.size() * b, T(0));
    const Index own = rows_.size(), blocks = own > 0 ? (std::ssize(starts_) - 1) / own : 0;
    for (Index block = 0; block < blocks; ++block) {
#pragma omp parallel for num_threads(threads) schedule(dynamic, 64)
      for (Index i = 0; i < own; ++i) {
        const auto at = static_cast<std::size_t>(block * own + i);
        const auto begin = static_cast<std::size_t>(starts_[at]), end = static_cast<std::size_t>(starts_[at + 1]);
        if (begin == end) continue;
        add_row(RowProduct<T>{std::span(columns_).subspan(begin, end - begin), values_.data() + begin, all.data(), b,
                              product_.data() + i * b});
      }
    }
    send_to_owners(y);
  }

 private:
  // Rows on their way: lengths, then columns and values of all of them.
  struct Rows {
    std::vector<std::int32_t> lengths, columns;
    std::vector<T> values;
  };

  // Where the rows of each rank end, with about the same number of entries before each end. Collective.
  [[nodiscard]] std::vector<Index> balanced_ends(const SparseRows<T>& matrix) const {
    const auto ranks = static_cast<Index>(communicator_.size());
    const std::vector<Index> entries = communicator_.all_gather_one(matrix.own_entries());
    Index before = 0, total = 0;
    for (std::size_t r = 0; r < entries.size(); ++r) {
      if (static_cast<int>(r) < communicator_.rank()) before += entries[r];
      total += entries[r];
    }
    std::vector<Index> ends(entries.size(), 0);  // first as numbers of rows
    for (Index i = matrix.range().begin; i < matrix.range().end; ++i) {
      const auto share = static_cast<double>(before) / static_cast<double>(std::max<Index>(1, total));
      ++ends[static_cast<std::size_t>(
          std::min<Index>(static_cast<Index>(share * static_cast<double>(ranks)), ranks - 1))];
      before += std::ssize(matrix.row(i).columns);
    }
    communicator_.sum(std::span<Index>(ends));
    for (std::size_t r = 1; r < ends.size(); ++r) ends[r] += ends[r - 1];
    return ends;
  }

  // The rows of this rank, in pieces whose rows ascend. Collective.
  [[nodiscard]] std::vector<Rows> exchange_rows(const SparseRows<T>& matrix, const std::vector<Index>& ends) const {
    const auto ranks = static_cast<std::size_t>(communicator_.size());
    std::vector<std::vector<std::int32_t>> lengths(ranks), columns(ranks);
    std::vector<std::vector<T>> values(ranks);
    collectively(communicator_, [&] {
      std::size_t target = 0;
      for (Index i = matrix.range().begin; i < matrix.range().end; ++i) {
        while (i >= ends[target]) ++target;
        const SparseRow<T> row = matrix.row(i);
        lengths[target].push_back(static_cast<std::int32_t>(row.columns.size()));
        for (const Index column : row.columns) columns[target].push_back(static_cast<std::int32_t>(column));
        values[target].insert(values[target].end(), row.values.begin(), row.values.end());
      }
    });
    auto all_lengths = communicator_.exchange(lengths);
    auto all_columns = communicator_.exchange(columns);
    auto all_values = communicator_.exchange(values);
    std::vector<Rows> pieces(ranks);
    for (std::size_t r = 0; r < ranks; ++r) {
      pieces[r] = {std::move(all_lengths[r]), std::move(all_columns[r]), std::move(all_values[r])};
    }
    return pieces;
  }

  void keep(const std::vector<Rows>& pieces, Index columns) {
    const Index own = rows_.size(), blocks = std::max<Index>(1, (columns + block_columns - 1) / block_columns);
    // Calls use(row, entries' place in the piece, piece).
    const auto for_each = [&](auto use) {
      Index row = 0;
      for (const Rows& piece : pieces) {
        std::size_t entry = 0;
        for (const std::int32_t length : piece.lengths) {
          for (std::int32_t k = 0; k < length; ++k, ++entry) use(row, entry, piece);
          ++row;
        }
      }
    };
    const auto place = [&](Index row, std::int32_t column) {
      return static_cast<std::size_t>(column / block_columns * own + row);
    };
    starts_.assign(static_cast<std::size_t>(blocks * own) + 1, 0);
    for_each([&](Index row, std::size_t entry, const Rows& piece) { ++starts_[place(row, piece.columns[entry]) + 1]; });
    for (std::size_t k = 1; k < starts_.size(); ++k) starts_[k] += starts_[k - 1];
    columns_.resize(static_cast<std::size_t>(starts_.back()));
    values_.resize(columns_.size());
    std::vector<Index> next(starts_.begin(), starts_.end() - 1);
    for_each([&](Index row, std::size_t entry, const Rows& piece) {
      const auto at = static_cast<std::size_t>(next[place(row, piece.columns[entry])]++);
      columns_[at] = piece.columns[entry];
      values_[at] = piece.values[entry];
    });
  }

  // Collective.
  void send_to_owners(MatrixView<T> y) {
    const Index b = y.columns;
    for (int r = 0; r < communicator_.size(); ++r) {
      const Range theirs = partition_.range(r);
      const Range part{std::max(theirs.begin, rows_.begin), std::min(theirs.end, rows_.end)};
      auto& message = outgoing_[static_cast<std::size_t>(r)];
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
  Range rows_;                 // that this rank multiplies
  std::vector<Index> starts_;  // of the entries of each row in each block of columns, block by block
  std::vector<std::int32_t> columns_;
  std::vector<T> values_;
  Buffer<T> product_;
  std::vector<std::vector<T>> outgoing_;
  ReusedArrays<T> received_;
};

}  // namespace

template <class T>
BlockOperator<T> sparse_operator(const Communicator& communicator, const SparseRows<T>& matrix, int threads) {
  const auto rows = std::make_shared<BalancedRows<T>>(communicator, matrix);
  return {matrix.partition(),
          [rows, threads](MatrixView<const T> x, MatrixView<T> y) { rows->multiply(x, y, threads); }};
}

template BlockOperator<float> sparse_operator(const Communicator&, const SparseRows<float>&, int);
template BlockOperator<double> sparse_operator(const Communicator&, const SparseRows<double>&, int);

}  // namespace cairn
