#include "cairn/task/regression/kernel_products.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/base/schedule/on_threads.hpp"
#include "cairn/linalg/dense/blas_threads.hpp"
#include "cairn/linalg/tiles/tile_times_vectors.hpp"

namespace cairn {

namespace {

constexpr Index least_order = 16, largest_order = 512, tiles_along = 64;
constexpr Index tiles_a_batch = 256;  // whose products are kept before they are added
constexpr Index rows_a_round = 1024;  // of a rank, of those that are multiplied by centers
constexpr Index rows_of_tile = 64;    // of them
constexpr const char* phase_name = "products";

// A tile of K in memory that its thread uses again.
template <class T>
MatrixView<T> tile_in(std::vector<Buffer<T>>& tiles, Index rows, Index columns) {
  Buffer<T>& own = tiles[static_cast<std::size_t>(omp_get_thread_num())];
  if (own.size() < rows * columns) own = Buffer<T>(rows * columns);
  return {own.data(), rows, columns};
}

// A row-major table column by column. Local.
std::vector<double> by_columns(MatrixView<const double> table) {
  std::vector<double> turned(static_cast<std::size_t>(table.rows * table.columns));
  for (Index c = 0; c < table.columns; ++c) {
    for (Index i = 0; i < table.rows; ++i) turned[static_cast<std::size_t>(c * table.rows + i)] = table(i, c);
  }
  return turned;
}

template <class T>
void require_kernel(const Similarity<T>& similarity) {
  const EntryTraits& traits = similarity.traits();
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorKind::usage, fmt::format("ridge regression on K itself needs a kernel: {} {}", traits.name, why));
  };
  if (traits.meaning == Meaning::distance) refuse("is a distance");
  if (traits.one_sided) refuse("is not symmetric");
  if (similarity.by_source() != nullptr) {
    refuse("is computed from one object to all others, so that no part of K can be evaluated alone");
  }
}

}  // namespace

ObjectBlocks gather_blocks(const Communicator& communicator, const ObjectSet& objects, std::span<const Index> rows,
                           Index order) {
  ObjectBlocks blocks;
  for (std::size_t begin = 0; begin < rows.size(); begin += static_cast<std::size_t>(order)) {
    const std::size_t here = std::min(static_cast<std::size_t>(order), rows.size() - begin);
    blocks.push_back(objects.gather(communicator, rows.subspan(begin, here)));
  }
  return blocks;
}

template <class T>
ObjectBlocks blocks_of_points(const PointBlock<T>& points) {
  const Index order = KernelMatrix<T>::order_for(points.size());
  ObjectBlocks blocks;
  for (Index begin = 0; begin < points.size(); begin += order) {
    const Index end = std::min(begin + order, points.size());
    auto block = std::make_unique<PointBlock<T>>(
        points.set, std::vector<Index>(points.ids.begin() + begin, points.ids.begin() + end));
    if (points.sparse) {
      std::vector<Index> starts = {0}, columns;
      std::vector<T> values;
      for (Index i = begin; i < end; ++i) {
        const SparseRow<T> row = points.sparse->row(i);
        columns.insert(columns.end(), row.columns.begin(), row.columns.end());
        values.insert(values.end(), row.values.begin(), row.values.end());
        starts.push_back(std::ssize(columns));
      }
      block->sparse = std::make_unique<const SparsePoints<T>>(points.sparse->columns(), std::move(starts),
                                                              std::move(columns), std::move(values));
    } else {
      const MatrixView<const T>& all = points.coordinates;
      block->coordinates = {all.row(begin), end - begin, all.columns, all.stride};
    }
    blocks.push_back(std::move(block));
  }
  return blocks;
}

template ObjectBlocks blocks_of_points(const PointBlock<float>&);
template ObjectBlocks blocks_of_points(const PointBlock<double>&);

template <class T>
KernelMatrix<T>::KernelMatrix(const Execution& execution, const Similarity<T>& similarity, const ObjectSet& objects,
                              std::span<const Index> rows)
    : execution_(execution), similarity_(similarity) {
  require_kernel(similarity);
  const Communicator& communicator = execution.communicator;
  const auto phase = execution.phases.enter("gather objects");
  const std::vector<Index> counts = communicator.all_gather_one(static_cast<Index>(rows.size()));
  for (int r = 0; r < communicator.rank(); ++r) own_.begin += counts[r];
  own_.end = own_.begin + static_cast<Index>(rows.size());
  rows_ = communicator.all_gather(rows);
  size_ = std::ssize(rows_);
  const double most = std::sqrt(static_cast<double>(similarity.traits().most_entries_in_tile));
  order_ = std::max<Index>(1, std::min(order_for(size_), static_cast<Index>(most)));
  blocks_ = gather_blocks(communicator, objects, rows_, order_);
}

template <class T>
Index KernelMatrix<T>::order_for(Index size) {
  const auto wanted = static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(size / tiles_along + 1)));
  return std::clamp(wanted, least_order, largest_order);
}

template <class T>
Index KernelMatrix<T>::bytes(Index size, Index columns, int threads) {
  const Index order = order_for(size), number = sizeof(double);
  return columns * number * (3 * size + 2 * tiles_a_batch * order) + number * size +
         threads * order * order * Index{sizeof(T)};
}

template <class T>
Index KernelMatrix<T>::entries_a_product() const {
  Index entries = 0;
  for (const auto& rows : blocks_) {
    entries += rows->size() * rows->size();
  }
  return (size_ * size_ + entries) / 2;
}

template <class T>
Range KernelMatrix<T>::range_of(Index block) const {
  return {block * order_, std::min((block + 1) * order_, size_)};
}

template <class T>
std::vector<typename KernelMatrix<T>::Place> KernelMatrix<T>::own_tiles() const {
  const Index ranks = execution_.communicator.size(), rank = execution_.communicator.rank();
  std::vector<Place> own;
  Index tile = 0;
  for (Index row = 0; row < std::ssize(blocks_); ++row) {
    for (Index column = 0; column <= row; ++column, ++tile) {
      if (tile % ranks == rank) own.push_back({row, column});
    }
  }
  return own;
}

// Each tile fills its own slot; the slots are then added in their order, each row of K by one thread.
template <class T>
void KernelMatrix<T>::add_batch(std::span<const Place> tiles, const double* x, Index columns, std::span<double> slots,
                                double* y) const {
  std::vector<Buffer<T>> of_threads(static_cast<std::size_t>(execution_.threads));
  const Index half = order_ * columns;
  const auto slot = [&](Index place, bool of_columns) {
    return slots.data() + (2 * place + (of_columns ? 1 : 0)) * half;
  };
  on_threads(execution_.threads, std::ssize(tiles), [&](Index place) {
    const auto [row, column] = tiles[static_cast<std::size_t>(place)];
    const ObjectBlock &rows = *blocks_[row], &across = *blocks_[column];
    const MatrixView<T> tile = tile_in(of_threads, rows.size(), across.size());
    similarity_.tile(rows, across, tile);
    const auto part = [&](Index block) {
      return MatrixView<const double>(x + range_of(block).begin, columns, range_of(block).size(), size_);
    };
    TileVectors vectors{.x_of_columns = part(column), .y_of_rows = {slot(place, false), columns, tile.rows}};
    if (row != column) {
      vectors.x_of_rows = part(row);
      vectors.y_of_columns = {slot(place, true), columns, tile.columns};
    }
    std::fill_n(slot(place, false), 2 * half, 0.0);
    multiply_tile(MatrixView<const T>(tile.data, tile.rows, tile.columns), vectors);
  });
  const auto add = [&](Index block, const double* from) {
    const Range rows = range_of(block);
    for (Index c = 0; c < columns; ++c) {
      double* const to = y + c * size_ + rows.begin;
      for (Index i = 0; i < rows.size(); ++i) to[i] += from[c * rows.size() + i];
    }
  };
  for (Index place = 0; place < std::ssize(tiles); ++place) {
    const auto [row, column] = tiles[static_cast<std::size_t>(place)];
    add(row, slot(place, false));
    if (row != column) add(column, slot(place, true));
  }
}

template <class T>
void KernelMatrix<T>::multiply(MatrixView<const double> x, MatrixView<double> y) const {
  const Communicator& communicator = execution_.communicator;
  auto phase = execution_.phases.enter(phase_name);
  const BlasThreads one(1);  // tiles are assigned to threads
  const Index columns = x.columns, before = similarity_.evaluations();
  const std::vector<Place> tiles = own_tiles();
  const Watchdog::Patience patience(
      similarity_.longest_seconds(entries_a_product() / communicator.size() / execution_.threads + 1));
  std::vector<double> by_row = collectively(communicator, [&] {
    std::vector<double> mine(static_cast<std::size_t>(own_.size() * columns));
    for (Index i = 0; i < own_.size(); ++i) std::copy_n(x.row(i), columns, mine.data() + i * columns);
    return mine;
  });
  by_row = communicator.all_gather(by_row);
  Buffer<double> sums = collectively(communicator, [&] {
    const Index batch = std::min(tiles_a_batch, std::ssize(tiles));
    const std::vector<double> by_column = by_columns({by_row.data(), size_, columns});
    Buffer<double> products(size_ * columns), slots(2 * batch * order_ * columns);
    std::ranges::fill(products.span(), 0.0);
    for (Index begin = 0; begin < std::ssize(tiles); begin += tiles_a_batch) {
      const auto here = static_cast<std::size_t>(std::min(tiles_a_batch, std::ssize(tiles) - begin));
      add_batch(std::span(tiles).subspan(static_cast<std::size_t>(begin), here), by_column.data(), columns,
                slots.span(), products.data());
    }
    return products;
  });
  communicator.sum(sums.span());
  for (Index i = 0; i < own_.size(); ++i) {
    for (Index c = 0; c < columns; ++c) y(i, c) = sums[c * size_ + own_.begin + i];
  }
  phase.count_evaluations(similarity_.evaluations() - before);
}

template class KernelMatrix<float>;
template class KernelMatrix<double>;

namespace {

// Rows of all ranks, shared out anew.
struct SharedRows {
  Index before = 0;        // rows of lower ranks
  std::vector<Index> all;  // numbers in the set
  Range part;              // of `all`, of this rank
  ObjectBlocks blocks;     // of the part, and empty ones: ranks have other numbers of blocks
};

// Collective.
SharedRows share_rows(const Communicator& communicator, const ObjectSet& objects, std::span<const Index> mine) {
  const std::vector<Index> counts = communicator.all_gather_one(static_cast<Index>(mine.size()));
  SharedRows shared{.all = communicator.all_gather(mine), .part = {}, .blocks = {}};
  for (int r = 0; r < communicator.rank(); ++r) shared.before += counts[r];
  const Index total = std::ssize(shared.all), rank = communicator.rank(), ranks = communicator.size();
  shared.part = {total * rank / ranks, total * (rank + 1) / ranks};
  const Index most = (total + ranks - 1) / ranks;
  for (Index begin = 0; begin < most; begin += rows_of_tile) {
    const Index from = std::min(shared.part.begin + begin, shared.part.end);
    const auto here = static_cast<std::size_t>(std::min(rows_of_tile, shared.part.end - from));
    shared.blocks.push_back(
        objects.gather(communicator, std::span(shared.all).subspan(static_cast<std::size_t>(from), here)));
  }
  return shared;
}

// Rows of K with the centers times x, rows x columns. @param x  column by column Local.
template <class T>
std::vector<double> multiply_part(const Execution& execution, const Similarity<T>& similarity, const SharedRows& rows,
                                  const ObjectBlocks& centers, const std::vector<double>& x, Index columns) {
  std::vector<double> sums(static_cast<std::size_t>(rows.part.size() * columns), 0.0);
  std::vector<Buffer<T>> of_threads(static_cast<std::size_t>(execution.threads));
  on_threads(execution.threads, std::ssize(rows.blocks), [&](Index piece) {
    const ObjectBlock& own = *rows.blocks[static_cast<std::size_t>(piece)];
    if (own.size() == 0) return;
    std::vector<double> product(static_cast<std::size_t>(own.size() * columns), 0.0);
    const MatrixView<double> y(product.data(), columns, own.size());
    Index first = 0;
    for (const auto& center : centers) {
      const MatrixView<T> tile = tile_in(of_threads, own.size(), center->size());
      similarity.tile(own, *center, tile);
      multiply_tile(
          MatrixView<const T>(tile.data, tile.rows, tile.columns),
          {.x_of_columns = {x.data() + first, columns, center->size(), std::ssize(x) / columns}, .y_of_rows = y});
      first += center->size();
    }
    for (Index i = 0; i < own.size(); ++i) {
      double* const to = sums.data() + (piece * rows_of_tile + i) * columns;
      for (Index c = 0; c < columns; ++c) to[c] = y(c, i);
    }
  });
  return sums;
}

}  // namespace

template <class T>
std::vector<double> multiply_by_centers(const Execution& execution, const Similarity<T>& similarity,
                                        const ObjectSet& objects, std::span<const Index> rows,
                                        const ObjectBlocks& centers, MatrixView<const double> coefficients) {
  const Communicator& communicator = execution.communicator;
  auto phase = execution.phases.enter(phase_name);
  const BlasThreads one(1);  // pieces are assigned to threads
  const Index columns = coefficients.columns, before = similarity.evaluations();
  const std::vector<double> x = collectively(communicator, [&] { return by_columns(coefficients); });
  const Watchdog::Patience patience(
      similarity.longest_seconds(rows_a_round * coefficients.rows / execution.threads + 1));
  const Index rounds = (communicator.maximum(static_cast<Index>(rows.size())) + rows_a_round - 1) / rows_a_round;
  std::vector<double> values;
  for (Index round = 0; round < rounds; ++round) {
    const std::size_t begin = std::min(rows.size(), static_cast<std::size_t>(round * rows_a_round));
    const auto mine = rows.subspan(begin, std::min(rows.size() - begin, static_cast<std::size_t>(rows_a_round)));
    const SharedRows shared = share_rows(communicator, objects, mine);
    const std::vector<double> found = communicator.all_gather(
        collectively(communicator, [&] { return multiply_part(execution, similarity, shared, centers, x, columns); }));
    const auto from = found.begin() + shared.before * columns;
    values.insert(values.end(), from, from + std::ssize(mine) * columns);
  }
  phase.count_evaluations(similarity.evaluations() - before);
  return values;
}

template std::vector<double> multiply_by_centers(const Execution&, const Similarity<float>&, const ObjectSet&,
                                                 std::span<const Index>, const ObjectBlocks&, MatrixView<const double>);
template std::vector<double> multiply_by_centers(const Execution&, const Similarity<double>&, const ObjectSet&,
                                                 std::span<const Index>, const ObjectBlocks&, MatrixView<const double>);

}  // namespace cairn
