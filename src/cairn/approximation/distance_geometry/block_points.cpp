#include "cairn/approximation/distance_geometry/block_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "cairn/approximation/column_sampling/landmark_columns.hpp"
#include "cairn/approximation/column_sampling/optimal.hpp"
#include "cairn/approximation/distance_geometry/distance_geometry.hpp"
#include "cairn/approximation/distance_geometry/gram_points.hpp"
#include "cairn/approximation/distance_geometry/sparse_operator.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/base/progress.hpp"
#include "cairn/linalg/dense/blas_threads.hpp"
#include "cairn/linalg/dense/local_eigen.hpp"
#include "cairn/linalg/sparse/balanced_rows.hpp"
#include "cairn/linalg/sparse/row_messages.hpp"
#include "cairn/similarity/columns.hpp"

namespace cairn {

namespace {

// The entries of a sparse K within blocks of an order.

// The entries of a sparse K within blocks, sent to the ranks that hold the blocks; rows of block 0 are distributed by
// numbers of entries. Constructed collectively, then local. Memory: 4 + sizeof(T) bytes per entry of this rank's
// blocks.
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

  // Moves block 0 out. Collective.
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

  // Fills a column-major n x n matrix with a block of this rank other than block 0.
  void fill(Index block, double* matrix) const {
    const Index n = blocks_[block].size();
    std::fill_n(matrix, n * n, 0.0);
    for (Index i = 0; i < n; ++i) {
      const Range entries = rows_[place_of(block, i)];
      for (auto e = static_cast<std::size_t>(entries.begin); e < static_cast<std::size_t>(entries.end); ++e) {
        matrix[static_cast<Index>(columns_[e]) * n + i] = static_cast<double>(values_[e]);
      }
    }
  }

 private:
  static constexpr Index most_sent = Index{1} << 18U;  // entries that a rank receives per round, about

  // Rows of blocks for each rank: block, row, number of entries; then columns and values of the entries.
  using Messages = RowMessages<T>;

  void prepare(const std::vector<Index>& order) {
    places_.resize(order.size());
    for (std::size_t p = 0; p < order.size(); ++p) {
      places_[order[p]] = static_cast<std::int32_t>(p);
    }
    Index rows = 0, largest = 0;
    for (Index b = own_.begin; b < own_.end; ++b) {
      block_rows_.push_back(rows);
      rows += blocks_[b].size();
    }
    for (const Range block : blocks_) largest = std::max(largest, block.size());
    rows_.assign(rows, Range{});
    row_values_.resize(largest);
    marks_.assign(row_values_.size() / 64 + 1, 0);
    for (std::size_t b = 1; b < blocks_.size(); ++b) {
      for (int r = 0; r < communicator_.size(); ++r) {
        if (blocks_of(std::ssize(blocks_), communicator_.size(), r).contains(static_cast<Index>(b)))
          holders_.push_back(r);
      }
    }
  }

  // Number of entries of each row of block 0 that are in this rank's rows of the matrix.
  [[nodiscard]] std::vector<Index> own_lengths_of_first(const BalancedRows<T>& matrix) const {
    const Range block = blocks_.front();
    std::vector<Index> lengths(block.size(), 0);
    for (Index i = matrix.rows.begin; i < matrix.rows.end; ++i) {
      const Index place = places_[i];
      if (!block.contains(place)) continue;
      lengths[place] = std::ranges::count_if(matrix.row(i).columns,
                                             [&](std::int32_t column) { return places_[column] < block.end; });
    }
    return lengths;
  }

  void prepare_first(const std::vector<Index>& lengths) {
    first_.ends = balanced_ends(lengths, communicator_.size());
    first_.rows = rows_between(first_.ends, communicator_.rank());
    for (Index i = first_.rows.begin; i < first_.rows.end; ++i) {
      first_.starts.push_back(first_.starts.back() + lengths[i]);
    }
    first_.columns = Buffer<std::int32_t>(first_.own_entries());
    first_.values = Buffer<T>(first_.own_entries());
  }

  // Position in rows_ of a row of one of this rank's blocks, except block 0.
  [[nodiscard]] std::size_t place_of(Index block, Index row) const {
    return static_cast<std::size_t>(block_rows_[block - own_.begin] + row);
  }

  // A place is in one block, or in two adjacent ones (in more if blocks are hardly larger than their overlap).
  void take_row(Messages& messages, const BalancedRows<T>& matrix, Index i) {
    const Index place = places_[i];
    auto b = static_cast<Index>(std::ranges::upper_bound(blocks_, place, {}, &Range::end) - blocks_.begin());
    for (; b < std::ssize(blocks_) && blocks_[b].begin <= place; ++b) {
      const Range range = blocks_[b];
      take_entries(matrix.row(i), range);
      address(messages, b, place - range.begin);
    }
  }

  // Takes the entries of a row within a block, by ascending places.
  void take_entries(const typename BalancedRows<T>::Row& row, Range range) {
    row_columns_.clear();
    row_sorted_.clear();
    for (std::size_t e = 0; e < row.columns.size(); ++e) {
      const Index other = places_[row.columns[e]] - range.begin;
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

  // Sends the current row to the rank that has its block.
  void address(Messages& messages, Index block, Index row) {
    const int holder = block == 0 ? static_cast<int>(std::ranges::upper_bound(first_.ends, row) - first_.ends.begin())
                                  : holders_[block - 1];
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
      const Index at = first_.starts[row - first_.rows.begin];
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
  Range own_;                          // blocks of this rank besides its part of block 0
  BalancedRows<T> first_;              // block 0
  std::vector<std::int32_t> places_;   // position of each object in the order
  std::vector<int> holders_;           // of each block except the first
  std::vector<Index> block_rows_;      // first row of each own block in rows_
  std::vector<Range> rows_;            // entries of each row of this rank's other blocks
  std::vector<std::int32_t> columns_;  // of these entries
  std::vector<T> values_;
  std::vector<std::int32_t> row_columns_;  // of the current row
  std::vector<T> row_sorted_, row_values_;
  std::vector<std::uint64_t> marks_;
};

// -1/2 J D² J in place, D n x n.
void center_whole(double* matrix, Index n) {
  std::vector<double> means(n, 0.0);
  double mean = 0;
  for (Index e = 0; e < n * n; ++e) {
    matrix[e] *= matrix[e];
    means[e % n] += matrix[e] / static_cast<double>(n);
  }
  for (const double value : means) mean += value / static_cast<double>(n);
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) {
      double& value = matrix[j * n + i];
      value = -0.5 * (value - means[i] - means[j] + mean);
    }
  }
}

// Points of a block from its inner products, n x n, which are overwritten. Local.
LocalPoints points_of(double* matrix, Index n, Index dimension, bool single, Index& positive) {
  const Index count = std::min(n, dimension);
  Buffer<double> vectors(n * count);
  const std::vector<double> values = largest_eigen_in_place(n, count, matrix, vectors.data());
  const double unit =
      single ? static_cast<double>(std::numeric_limits<float>::epsilon()) : std::numeric_limits<double>::epsilon();
  const double least = static_cast<double>(n) * unit * std::max(values.back(), 0.0);
  LocalPoints points{n, dimension, Buffer<double>(n * dimension)};
  std::fill_n(points.values.data(), n * dimension, 0.0);
  positive = 0;
  for (Index k = 0; k < count; ++k) {
    const double value = values[count - 1 - k];
    if (value <= least) break;
    ++positive;
    const double root = std::sqrt(value);
    const double* vector = vectors.data() + (count - 1 - k) * n;
    for (Index i = 0; i < n; ++i) points.values[i * dimension + k] = root * vector[i];
  }
  return points;
}

// U_K (Λ_K^+)^(1/2), distributed like the vectors.
template <class T>
RowBlock<double> scaled(const Communicator& communicator, const std::vector<double>& values, const RowBlock<T>& vectors,
                        Index dimension, double least) {
  auto points =
      collectively(communicator, [&] { return RowBlock<double>(vectors.partition(), communicator.rank(), dimension); });
  for (Index i = 0; i < points.local().rows; ++i) {
    for (Index k = 0; k < dimension; ++k) {
      const double value = k < std::ssize(values) ? values[k] : 0.0;
      points.local()(i, k) = value > least ? std::sqrt(value) * static_cast<double>(vectors.local()(i, k)) : 0.0;
    }
  }
  return points;
}

template <class T>
RowBlock<double> first_of_sparse(const Execution& execution, const BalancedRows<T>& matrix, Index dimension,
                                 double residual, Index& deficient) {
  const RowPartition partition(matrix.size(), execution.communicator.size());
  const BlockEigenRequest request{.count = std::min(dimension, matrix.size()),
                                  .tolerance = residual,
                                  .seed = execution.seed,
                                  .threads = execution.threads};
  const BlockEigenPairs<T> pairs = largest_eigenpairs(
      execution.communicator, sparse_operator(execution.communicator, partition, matrix, execution.threads), request,
      "eigenvectors");
  const double least = static_cast<double>(std::numeric_limits<T>::epsilon()) * static_cast<double>(matrix.size()) *
                       std::max(pairs.values.front(), 0.0);
  deficient += std::ranges::any_of(pairs.values, [&](double value) { return value <= least; }) ? 1 : 0;
  return scaled(execution.communicator, pairs.values, pairs.vectors, dimension, least);
}

template <class T>
RowBlock<double> first_of_dense(const Problem<T>& problem, std::span<const Index> sample, Index dimension,
                                double residual, Index& deficient) {
  const Execution& execution = problem.execution;
  require_few_in_block(std::ssize(sample), "first-block", problem.parameters);
  RowBlock<T> rows = evaluate_principal_submatrix(execution, problem.similarity, problem.objects, sample,
                                                  similarities_phase, "first block");
  std::vector<Index> all(sample.size());
  std::iota(all.begin(), all.end(), Index{0});
  gram_points::center(execution.communicator, rows, all, problem.similarity.traits().meaning);
  const auto grid = std::make_shared<const ProcessGrid>(execution.communicator);
  const gram_points::TopPairs pairs =
      gram_points::top_pairs(execution, to_block_cyclic(grid, rows), std::min(dimension, std::ssize(sample)), residual,
                             std::is_same_v<T, float>);
  deficient += pairs.positive < dimension ? 1 : 0;
  return scaled(execution.communicator, pairs.values, pairs.vectors, dimension, pairs.least);
}

template <class T>
RowBlock<double> first_points(const Problem<T>& problem, SparseBlocks<T>* sparse, std::span<const Index> sample,
                              Index dimension, Index& deficient) {
  constexpr double single_residual = 1e-5;  // single precision can reach residuals above this, at twice the speed
  const double residual = problem.parameters.number("residual");
  if (sparse == nullptr) return first_of_dense(problem, sample, dimension, residual, deficient);
  if (residual < single_residual) {
    return first_of_sparse(problem.execution, sparse->template take_first<T>(), dimension, residual, deficient);
  }
  return first_of_sparse(problem.execution, sparse->template take_first<float>(), dimension, residual, deficient);
}

}  // namespace

void require_few_in_block(Index objects, const char* name, const Values& values) {
  if (objects <= most_optimal_objects) return;
  throw Error(ErrorKind::resource,
              fmt::format("{} = {} is above {} objects, the most of a block of a matrix that is not sparse",
                          values.where(name), objects, most_optimal_objects));
}

std::vector<Range> consecutive_blocks(Index objects, Index first, Index size, Index common) {
  std::vector<Range> blocks;
  Index end = std::min(first, objects), begin = 0;
  for (;;) {
    if (objects - (end - common) < 2 * common) end = objects;
    blocks.push_back({begin, end});
    if (end == objects) return blocks;
    begin = end - common;
    end = std::min(begin + size, objects);
  }
}

Range blocks_of(Index blocks, int ranks, int rank) {
  return {1 + (blocks - 1) * rank / ranks, 1 + (blocks - 1) * (rank + 1) / ranks};
}

template <class T>
BlockPoints block_points(const Problem<T>& problem, const std::vector<Range>& blocks, const std::vector<Index>& order,
                         Index dimension) {
  const Execution& execution = problem.execution;
  const Communicator& communicator = execution.communicator;
  const auto places = [&](Index b) {
    const Range range = blocks[b];
    return std::span(order).subspan(range.begin, range.size());
  };
  std::unique_ptr<SparseBlocks<T>> sparse;
  if (const auto nonzeros = problem.similarity.nonzeros(communicator)) {
    sparse = std::make_unique<SparseBlocks<T>>(communicator, *nonzeros, blocks, order);
  }
  BlockPoints result;
  result.first = first_points(problem, sparse.get(), places(0), dimension, result.deficient);
  result.own = blocks_of(std::ssize(blocks), communicator.size(), communicator.rank());
  const Index rounds = communicator.maximum(result.own.size());
  const BlasThreads threads(execution.threads);
  Progress progress("blocks", rounds, communicator.is_root(), "blocks/s a rank");
  Index deficient = 0;
  for (Index round = 0; round < rounds; ++round) {
    const Index b = result.own.begin + round;
    const bool any = b < result.own.end;
    std::unique_ptr<ObjectBlock> objects;  // for a K that is not sparse; a different block on every rank
    if (!sparse) objects = problem.objects.gather(communicator, any ? places(b) : std::span<const Index>());
    collectively(communicator, [&] {
      if (!any) return;
      const Index n = blocks[b].size();
      Buffer<double> matrix(n * n);
      if (sparse) {
        sparse->fill(b, matrix.data());
      } else {
        Buffer<T> tile(n * n);
        problem.similarity.tile(*objects, *objects, {tile.data(), n, n});
        std::copy_n(tile.data(), n * n, matrix.data());
        if (problem.similarity.traits().meaning == Meaning::distance) center_whole(matrix.data(), n);
      }
      Index positive = 0;
      result.others.push_back(points_of(matrix.data(), n, dimension, std::is_same_v<T, float>, positive));
      deficient += positive < dimension ? 1 : 0;
    });
    progress.advance(1);
    Watchdog::beat();
  }
  result.deficient += communicator.sum(deficient);
  return result;
}

template BlockPoints block_points(const Problem<float>&, const std::vector<Range>&, const std::vector<Index>&, Index);
template BlockPoints block_points(const Problem<double>&, const std::vector<Range>&, const std::vector<Index>&, Index);

}  // namespace cairn
