#include "cairn/approximation/distance_geometry/sparse_operator.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace cairn {

namespace {

// y = sum of values[e] * x(columns[e], :); b numbers each, in registers where b is a multiple of the width.
template <class T>
void multiply_row(const SparseRow<T>& row, const T* x, Index b, T* y) {
  constexpr Index width = 32;
  Index first = 0;
  for (; first + width <= b; first += width) {
    T sums[width] = {};
    for (std::size_t e = 0; e < row.columns.size(); ++e) {
      const T value = row.values[e];
      const T* from = x + row.columns[e] * b + first;
      for (Index k = 0; k < width; ++k) sums[k] += value * from[k];
    }
    std::copy_n(sums, width, y + first);
  }
  if (first == b) return;
  std::fill(y + first, y + b, T(0));
  for (std::size_t e = 0; e < row.columns.size(); ++e) {
    const T value = row.values[e];
    const T* from = x + row.columns[e] * b;
    for (Index k = first; k < b; ++k) y[k] += value * from[k];
  }
}

}  // namespace

template <class T>
BlockOperator<T> sparse_operator(const Communicator& communicator, const SparseRows<T>& matrix, int threads) {
  return {matrix.partition(), [&communicator, &matrix, threads](MatrixView<const T> x, MatrixView<T> y) {
            const std::vector<T> all =
                communicator.all_gather(std::span<const T>(x.data, static_cast<std::size_t>(x.rows * x.columns)));
            const Range own = matrix.range();
#pragma omp parallel for num_threads(threads) schedule(dynamic, 64)
            for (Index i = own.begin; i < own.end; ++i) {
              multiply_row(matrix.row(i), all.data(), x.columns, y.row(i - own.begin));
            }
          }};
}

template BlockOperator<float> sparse_operator(const Communicator&, const SparseRows<float>&, int);
template BlockOperator<double> sparse_operator(const Communicator&, const SparseRows<double>&, int);

}  // namespace cairn
