#include "cairn/linalg/dense/redistribution.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/linalg/dense/block_cyclic_layout.hpp"

namespace cairn {

namespace {

using block_cyclic::for_each_run;
using block_cyclic::owner;
using block_cyclic::to_local;

/// Bytes that one round of messages may put into a rank's buffers, each way.
constexpr Index round_bytes = Index{64} << 20;

/// Rows of a tall matrix that every rank sends or receives in one round. The rows of a round may all belong to one row
/// of the grid, whose ranks then hold the share of all others: hence the division by the grid's rows.
Index rows_per_round(const ProcessGrid& grid, Index columns, Index value_bytes) {
  return std::max<Index>(1, round_bytes / grid.rows() / std::max<Index>(1, columns * value_bytes));
}

/// Copies tall rows into a block-cyclic matrix: row position(r, t) of the result is the t-th row that rank r sends,
/// which is row source(t) of `tall` on that rank; r sends count(r) rows.
template <class T, class Count, class Position, class Source>
void scatter_rows(const RowBlock<T>& tall, BlockCyclicMatrix& result, Count count, Position position, Source source) {
  const ProcessGrid& grid = result.grid();
  const Communicator& communicator = grid.communicator();
  const Index step = rows_per_round(grid, result.columns(), sizeof(T));
  Index most = 0;
  for (int r = 0; r < communicator.size(); ++r) most = std::max(most, count(r));
  for (Index begin = 0; begin < most; begin += step) {
    const auto end = [&](int r) { return std::min(begin + step, count(r)); };
    std::vector<std::vector<T>> send(communicator.size());
    for (Index t = begin; t < end(communicator.rank()); ++t) {
      const T* row = tall.row(source(t)).data();
      const int grid_row = owner(position(communicator.rank(), t), grid.rows());
      for (int c = 0; c < grid.columns(); ++c) {
        auto& message = send[grid.rank_at(grid_row, c)];
        for_each_run({0, result.columns()}, c, grid.columns(),
                     [&](Range run) { message.insert(message.end(), row + run.begin, row + run.end); });
      }
    }
    const auto received = communicator.exchange(send);
    for (int r = 0; r < communicator.size(); ++r) {
      const T* next = received[r].data();
      for (Index t = begin; t < end(r); ++t) {
        const Index global = position(r, t);
        if (owner(global, grid.rows()) != grid.row()) continue;
        const Index i = to_local(global, grid.rows());
        for (Index j = 0; j < result.local_columns(); ++j) result.local(i, j) = static_cast<double>(*next++);
      }
    }
    Watchdog::beat();
  }
}

/// Appends the local entries of one row of a block-cyclic matrix.
template <class T>
void append_row(const BlockCyclicMatrix& matrix, Index local_row, std::vector<T>& message) {
  for (Index j = 0; j < matrix.local_columns(); ++j) message.push_back(static_cast<T>(matrix.local(local_row, j)));
}

/// The rows of rank r's part of `partition` in the round that begins at its row `begin`.
Range round_of(const RowPartition& partition, int r, Index begin, Index step) {
  const Range range = partition.range(r);
  return {std::min(range.begin + begin, range.end), std::min(range.begin + begin + step, range.end)};
}

}  // namespace

template <class T>
BlockCyclicMatrix select_rows(std::shared_ptr<const ProcessGrid> grid, const RowBlock<T>& tall,
                              std::span<const Index> pick) {
  const Communicator& communicator = grid->communicator();
  BlockCyclicMatrix result(std::move(grid), static_cast<Index>(pick.size()), tall.columns());
  const auto positions = collectively(communicator, [&] {
    std::vector<std::vector<Index>> of_rank(communicator.size());
    for (std::size_t i = 0; i < pick.size(); ++i) {
      if (pick[i] < 0 || pick[i] >= tall.rows())
        throw Error(ErrorKind::internal, "row " + std::to_string(pick[i]) + " is chosen from a matrix of " +
                                             std::to_string(tall.rows()) + " rows");
      of_rank[tall.partition().owner(pick[i])].push_back(static_cast<Index>(i));
    }
    return of_rank;
  });
  const auto position = [&](int r, Index t) { return positions[r][t]; };
  scatter_rows(
      tall, result, [&](int r) { return static_cast<Index>(positions[r].size()); }, position,
      [&](Index t) { return pick[position(communicator.rank(), t)]; });
  return result;
}

template <class T>
BlockCyclicMatrix to_block_cyclic(std::shared_ptr<const ProcessGrid> grid, const RowBlock<T>& tall) {
  BlockCyclicMatrix result(std::move(grid), tall.rows(), tall.columns());
  const RowPartition& partition = tall.partition();
  scatter_rows(
      tall, result, [&](int r) { return partition.range(r).size(); },
      [&](int r, Index t) { return partition.range(r).begin + t; }, [&](Index t) { return tall.range().begin + t; });
  return result;
}

template <class T>
RowBlock<T> to_row_block(const BlockCyclicMatrix& matrix, const RowPartition& partition) {
  const ProcessGrid& grid = matrix.grid();
  const Communicator& communicator = grid.communicator();
  auto result = collectively(communicator, [&] {
    if (partition.rows() != matrix.rows() || partition.ranks() != communicator.size())
      throw Error(ErrorKind::internal, "a matrix of " + std::to_string(matrix.rows()) + " rows meets a partition of " +
                                           std::to_string(partition.rows()));
    return RowBlock<T>(partition, communicator.rank(), matrix.columns());
  });
  const Index step = rows_per_round(grid, matrix.columns(), sizeof(T));
  Index most = 0;
  for (int r = 0; r < communicator.size(); ++r) most = std::max(most, partition.range(r).size());
  for (Index begin = 0; begin < most; begin += step) {
    std::vector<std::vector<T>> send(communicator.size());
    for (int r = 0; r < communicator.size(); ++r)
      for_each_run(round_of(partition, r, begin, step), grid.row(), grid.rows(), [&](Range run) {
        for (Index i = run.begin; i < run.end; ++i) append_row(matrix, to_local(i, grid.rows()), send[r]);
      });
    const auto received = communicator.exchange(send);
    std::vector<const T*> next;
    for (const auto& message : received) next.push_back(message.data());
    const Range mine = round_of(partition, communicator.rank(), begin, step);
    for (Index i = mine.begin; i < mine.end; ++i)
      for (int c = 0; c < grid.columns(); ++c) {
        const T*& from = next[grid.rank_at(owner(i, grid.rows()), c)];
        for_each_run({0, matrix.columns()}, c, grid.columns(), [&](Range run) {
          std::copy_n(from, run.size(), result.row(i).data() + run.begin);
          from += run.size();
        });
      }
    Watchdog::beat();
  }
  return result;
}

Buffer<double> replicate_columns(const BlockCyclicMatrix& matrix, Range columns) {
  const ProcessGrid& grid = matrix.grid();
  std::vector<double> mine;
  for_each_run(columns, grid.column(), grid.columns(), [&](Range run) {
    for (Index j = run.begin; j < run.end; ++j) {
      const double* column = matrix.data() + to_local(j, grid.columns()) * matrix.leading();
      mine.insert(mine.end(), column, column + matrix.local_rows());
    }
  });
  const Index width = columns.size();
  auto result = collectively(grid.communicator(), [&] { return Buffer<double>(matrix.rows() * width); });
  const std::vector<double> all = grid.communicator().all_gather(mine);
  const double* next = all.data();
  for (int r = 0; r < grid.rows(); ++r)
    for (int c = 0; c < grid.columns(); ++c)
      for_each_run(columns, c, grid.columns(), [&](Range column_run) {
        for (Index j = column_run.begin; j < column_run.end; ++j)
          for_each_run({0, matrix.rows()}, r, grid.rows(), [&](Range run) {
            for (Index i = run.begin; i < run.end; ++i) result[i * width + j - columns.begin] = *next++;
          });
      });
  return result;
}

namespace detail {

namespace {

/// Calls f(first, length) for each run of entries, in the order in which rank (row, column) of the grid stores them;
/// `first` counts entries of the whole matrix, column-major.
template <class Function>
void for_each_local_run(const BlockCyclicMatrix& shape, int row, int column, Function f) {
  const ProcessGrid& grid = shape.grid();
  for_each_run({0, shape.columns()}, column, grid.columns(), [&](Range column_run) {
    for (Index j = column_run.begin; j < column_run.end; ++j)
      for_each_run({0, shape.rows()}, row, grid.rows(),
                   [&](Range run) { f(j * shape.rows() + run.begin, run.size()); });
  });
}

}  // namespace

Buffer<double> gather_on_root(const BlockCyclicMatrix& matrix) {
  const ProcessGrid& grid = matrix.grid();
  const Communicator& communicator = grid.communicator();
  auto whole = collectively(
      communicator, [&] { return Buffer<double>(communicator.is_root() ? matrix.rows() * matrix.columns() : 0); });
  std::vector<std::vector<double>> send(communicator.size());
  send[0].assign(matrix.data(), matrix.data() + matrix.local_rows() * matrix.local_columns());
  const auto received = communicator.exchange(send);
  if (communicator.is_root())
    for (int r = 0; r < grid.rows(); ++r)
      for (int c = 0; c < grid.columns(); ++c) {
        const double* next = received[grid.rank_at(r, c)].data();
        for_each_local_run(matrix, r, c, [&](Index first, Index length) {
          std::copy_n(next, length, whole.data() + first);
          next += length;
        });
      }
  return whole;
}

BlockCyclicMatrix scatter_from_root(std::shared_ptr<const ProcessGrid> grid, Index rows, Index columns,
                                    const Buffer<double>& whole) {
  BlockCyclicMatrix result(std::move(grid), rows, columns);
  const ProcessGrid& ranks = result.grid();
  const Communicator& communicator = ranks.communicator();
  std::vector<std::vector<double>> send(communicator.size());
  if (communicator.is_root())
    for (int r = 0; r < ranks.rows(); ++r)
      for (int c = 0; c < ranks.columns(); ++c) {
        auto& message = send[ranks.rank_at(r, c)];
        for_each_local_run(result, r, c, [&](Index first, Index length) {
          message.insert(message.end(), whole.data() + first, whole.data() + first + length);
        });
      }
  const auto received = communicator.exchange(send);
  std::copy(received[0].begin(), received[0].end(), result.data());
  return result;
}

}  // namespace detail

template BlockCyclicMatrix select_rows(std::shared_ptr<const ProcessGrid>, const RowBlock<float>&,
                                       std::span<const Index>);
template BlockCyclicMatrix select_rows(std::shared_ptr<const ProcessGrid>, const RowBlock<double>&,
                                       std::span<const Index>);
template BlockCyclicMatrix select_rows(std::shared_ptr<const ProcessGrid>, const RowBlock<std::uint16_t>&,
                                       std::span<const Index>);
template BlockCyclicMatrix select_rows(std::shared_ptr<const ProcessGrid>, const RowBlock<std::uint32_t>&,
                                       std::span<const Index>);
template BlockCyclicMatrix to_block_cyclic(std::shared_ptr<const ProcessGrid>, const RowBlock<float>&);
template BlockCyclicMatrix to_block_cyclic(std::shared_ptr<const ProcessGrid>, const RowBlock<double>&);
template RowBlock<float> to_row_block(const BlockCyclicMatrix&, const RowPartition&);
template RowBlock<double> to_row_block(const BlockCyclicMatrix&, const RowPartition&);

}  // namespace cairn
