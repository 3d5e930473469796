#include "cairn/approximation/distance_geometry/block_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <type_traits>
#include <utility>

#include "cairn/approximation/column_sampling/landmark_columns.hpp"
#include "cairn/approximation/distance_geometry/distance_geometry.hpp"
#include "cairn/approximation/distance_geometry/gram_points.hpp"
#include "cairn/approximation/distance_geometry/sparse_blocks.hpp"
#include "cairn/approximation/distance_geometry/sparse_operator.hpp"
#include "cairn/approximation/optimal.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/base/progress.hpp"
#include "cairn/linalg/blas_threads.hpp"
#include "cairn/linalg/dense/local_eigen.hpp"
#include "cairn/similarity/columns.hpp"

namespace cairn {

namespace {

// -1/2 J D² J in place, D n x n.
void center_whole(double* matrix, Index n) {
  std::vector<double> means(static_cast<std::size_t>(n), 0.0);
  double mean = 0;
  for (Index e = 0; e < n * n; ++e) {
    matrix[e] *= matrix[e];
    means[static_cast<std::size_t>(e % n)] += matrix[e] / static_cast<double>(n);
  }
  for (const double value : means) mean += value / static_cast<double>(n);
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) {
      double& value = matrix[j * n + i];
      value = -0.5 * (value - means[static_cast<std::size_t>(i)] - means[static_cast<std::size_t>(j)] + mean);
    }
  }
}

// Points of a block from its inner products, n x n, which are spoilt. Local.
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
    const double value = values[static_cast<std::size_t>(count - 1 - k)];
    if (value <= least) break;
    ++positive;
    const double root = std::sqrt(value);
    const double* vector = vectors.data() + (count - 1 - k) * n;
    for (Index i = 0; i < n; ++i) points.values[i * dimension + k] = root * vector[i];
  }
  return points;
}

// U_K (Λ_K^+)^(1/2), distributed as the vectors are.
template <class T>
RowBlock<double> scaled(const Communicator& communicator, const std::vector<double>& values, const RowBlock<T>& vectors,
                        Index dimension, double least) {
  auto points =
      collectively(communicator, [&] { return RowBlock<double>(vectors.partition(), communicator.rank(), dimension); });
  for (Index i = 0; i < points.local().rows; ++i) {
    for (Index k = 0; k < dimension; ++k) {
      const double value = k < std::ssize(values) ? values[static_cast<std::size_t>(k)] : 0.0;
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
  constexpr double single_residual = 1e-5;  // single precision resolves residuals above this, at twice the speed
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
    const Range range = blocks[static_cast<std::size_t>(b)];
    return std::span(order).subspan(static_cast<std::size_t>(range.begin), static_cast<std::size_t>(range.size()));
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
    std::unique_ptr<ObjectBlock> objects;  // of a K that is not sparse; another block on every rank
    if (!sparse) objects = problem.objects.gather(communicator, any ? places(b) : std::span<const Index>());
    collectively(communicator, [&] {
      if (!any) return;
      const Index n = blocks[static_cast<std::size_t>(b)].size();
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
