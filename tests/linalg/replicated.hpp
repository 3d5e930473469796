// Small matrices held whole by every rank, and the plain loops that the distributed algorithms are compared with.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "cairn/base/random.hpp"
#include "cairn/linalg/dense/block_cyclic_matrix.hpp"
#include "test_communicator.hpp"

namespace cairn::test {

struct Replicated {
  Index rows = 0, columns = 0;
  std::vector<double> values;  ///< row-major

  Replicated(Index row_count, Index column_count)
      : rows(row_count), columns(column_count), values(static_cast<std::size_t>(row_count * column_count)) {}
  double& operator()(Index i, Index j) { return values[i * columns + j]; }
  double operator()(Index i, Index j) const { return values[i * columns + j]; }
};

inline std::shared_ptr<const ProcessGrid> world_grid() { return std::make_shared<ProcessGrid>(world()); }

inline Replicated random_matrix(Index rows, Index columns, std::uint64_t seed) {
  Replicated result(rows, columns);
  const Random random(seed, Stream::test);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < columns; ++j)
      result(i, j) = random.normal(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j));
  return result;
}

inline Replicated transposed(const Replicated& a) {
  Replicated result(a.columns, a.rows);
  for (Index i = 0; i < a.rows; ++i)
    for (Index j = 0; j < a.columns; ++j) result(j, i) = a(i, j);
  return result;
}

inline Replicated product(const Replicated& a, const Replicated& b) {
  Replicated result(a.rows, b.columns);
  for (Index i = 0; i < a.rows; ++i)
    for (Index k = 0; k < a.columns; ++k)
      for (Index j = 0; j < b.columns; ++j) result(i, j) += a(i, k) * b(k, j);
  return result;
}

/// a diag(scales)
inline Replicated with_scaled_columns(Replicated a, const std::vector<double>& scales) {
  for (Index i = 0; i < a.rows; ++i)
    for (Index j = 0; j < a.columns; ++j) a(i, j) *= scales[j];
  return a;
}

inline Replicated identity(Index size) {
  Replicated result(size, size);
  for (Index i = 0; i < size; ++i) result(i, i) = 1.0;
  return result;
}

/// Gram matrix of random rows plus `ridge` on the diagonal: positive definite where ridge > 0.
inline Replicated random_gram(Index size, Index rank, double ridge, std::uint64_t seed) {
  const Replicated factor = random_matrix(size, rank, seed);
  Replicated result = product(factor, transposed(factor));
  for (Index i = 0; i < size; ++i) result(i, i) += ridge;
  return result;
}

inline double largest_difference(const Replicated& a, const Replicated& b) {
  if (a.rows != b.rows || a.columns != b.columns) return INFINITY;
  double largest = 0.0;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    const double difference = std::abs(a.values[i] - b.values[i]);
    if (!(difference <= largest)) largest = difference;
  }
  return largest;
}

inline BlockCyclicMatrix distributed(std::shared_ptr<const ProcessGrid> grid, const Replicated& a) {
  BlockCyclicMatrix result(std::move(grid), a.rows, a.columns);
  result.fill([&](Index i, Index j) { return a(i, j); });
  return result;
}

/// Every rank gets every entry by a sum over ranks: independent of Cairn's own moves between layouts. Collective.
inline Replicated replicated(const BlockCyclicMatrix& a) {
  Replicated result(a.rows(), a.columns());
  for (Index j = 0; j < a.local_columns(); ++j)
    for (Index i = 0; i < a.local_rows(); ++i) result(a.global_row(i), a.global_column(j)) = a.local(i, j);
  world().sum(std::span(result.values));
  return result;
}

template <class T>
RowBlock<T> tall_matrix(const Replicated& a) {
  RowBlock<T> result(RowPartition(a.rows, world().size()), world().rank(), a.columns);
  for (Index i = result.range().begin; i < result.range().end; ++i)
    for (Index j = 0; j < a.columns; ++j) result.row(i)[j] = static_cast<T>(a(i, j));
  return result;
}

template <class T>
Replicated replicated(const RowBlock<T>& a) {
  Replicated result(a.rows(), a.columns());
  for (Index i = a.range().begin; i < a.range().end; ++i)
    for (Index j = 0; j < a.columns(); ++j) result(i, j) = static_cast<double>(a.row(i)[j]);
  world().sum(std::span(result.values));
  return result;
}

}  // namespace cairn::test
