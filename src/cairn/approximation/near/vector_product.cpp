#include "cairn/approximation/near/vector_product.hpp"

#include <algorithm>

#include "cairn/linalg/dense/blas_threads.hpp"
#include "cairn/linalg/tall/vector_products.hpp"

namespace cairn {

namespace {

// sums += value * row, and row · vector, for dense and sparse rows.
template <class T>
void add_row(SparseRow<T> row, double value, double* sums) {
  for (std::size_t e = 0; e < row.columns.size(); ++e)
    sums[row.columns[e]] += value * static_cast<double>(row.values[e]);
}
template <class T>
void add_row(std::span<const T> row, double value, double* sums) {
#pragma omp simd
  for (std::size_t j = 0; j < row.size(); ++j) sums[j] += value * static_cast<double>(row[j]);
}
template <class T>
double dot(SparseRow<T> row, const double* vector) {
  double sum = 0.0;
  for (std::size_t e = 0; e < row.columns.size(); ++e)
    sum += static_cast<double>(row.values[e]) * vector[row.columns[e]];
  return sum;
}
template <class T>
double dot(std::span<const T> row, const double* vector) {
  double sum = 0.0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t j = 0; j < row.size(); ++j) sum += static_cast<double>(row[j]) * vector[j];
  return sum;
}

template <class Rows>
std::vector<double> transposed_product(const Rows& rows, const double* x, int threads) {
  const auto width = static_cast<std::size_t>(rows.columns());
  const Range own = rows.range();
  std::vector<std::vector<double>> sums(threads, std::vector<double>(width));
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int thread = 0; thread < threads; ++thread) {
    double* own_sums = sums[thread].data();
    const Index begin = own.begin + own.size() * thread / threads;
    const Index end = own.begin + own.size() * (thread + 1) / threads;
    for (Index i = begin; i < end; ++i) add_row(rows.row(i), x[i - own.begin], own_sums);
  }
  for (std::size_t thread = 1; thread < sums.size(); ++thread) {
    for (std::size_t j = 0; j < width; ++j) sums[0][j] += sums[thread][j];
  }
  return std::move(sums[0]);
}

template <class Rows>
void product(const Rows& rows, const double* vector, double* y, int threads) {
  const Range own = rows.range();
#pragma omp parallel for num_threads(threads) schedule(static)
  for (Index i = own.begin; i < own.end; ++i) y[i - own.begin] = dot(rows.row(i), vector);
}

// Calls use(rows) with the rows of a factor, dense or sparse.
template <class T, class Use>
auto with_rows(const Factor<T>& factor, Use&& use) {
  return factor.is_sparse() ? use(factor.sparse()) : factor.tall().visit(use);
}

// J x or Jᵀ x. Collective.
std::vector<double> join(const Execution& execution, const CoreMatrix& core_matrix, bool transpose,
                         std::vector<double> x) {
  if (const auto* dense = std::get_if<DenseCore>(&core_matrix)) return multiply_vector(dense->matrix, transpose, x);
  if (const auto* tiles = std::get_if<TiledCore>(&core_matrix)) {
    return multiply_vector(execution.communicator, tiles->matrix, x, execution.threads);
  }
  if (const auto* diagonal = std::get_if<DiagonalCore>(&core_matrix)) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] *= diagonal->values[i];
  }
  return x;
}

}  // namespace

template <class T>
void VectorProduct<T>::multiply(const double* x, double* y, bool transpose) const {
  const int threads = execution_.threads;
  const BlasThreads scope(threads);
  const Factor<T>& right = transpose ? approximation_.left : approximation_.right_factor();
  const Factor<T>& left = transpose ? approximation_.right_factor() : approximation_.left;
  std::vector<double> sums = with_rows(right, [&](const auto& rows) { return transposed_product(rows, x, threads); });
  execution_.communicator.sum(std::span(sums));
  const std::vector<double> joined = join(execution_, approximation_.core_matrix, transpose, std::move(sums));
  with_rows(left, [&](const auto& rows) { product(rows, joined.data(), y, threads); });
  if (near_ != nullptr) add_near_product(execution_.communicator, *near_, x, y, transpose);
}

template class VectorProduct<float>;
template class VectorProduct<double>;

}  // namespace cairn
