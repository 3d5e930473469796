#include "cairn/approximation/landmark_products.hpp"

#include <algorithm>
#include <variant>

#include "cairn/approximation/entry_limits.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/linalg/dense/row_product.hpp"

namespace cairn {

namespace {

constexpr Index held_bytes = Index{32} << 20;  // of rows of L in double precision

template <class T>
Buffer<double> widened(const Buffer<T>& values) {
  Buffer<double> wide(values.size());
  std::ranges::copy(values.span(), wide.data());
  return wide;
}

// rows J, row-major. @param core  as entries_by_landmarks. Collective.
Buffer<double> times_core(const Communicator& communicator, MatrixView<const double> rows, const CoreMatrix& matrix,
                          const Buffer<double>& core) {
  const auto& dense = std::get<DenseCore>(matrix).matrix;
  const Index width = dense.columns(), step = core.size() > 0 ? width : entry_limits::panel_columns;
  auto product = collectively(communicator, [&] { return Buffer<double>(rows.rows * width); });
  for (Index begin = 0; begin < width; begin += step) {
    const Index count = std::min(step, width - begin);
    const Buffer<double> fetched =
        core.size() > 0 ? Buffer<double>() : replicate_columns(dense, {begin, begin + count});
    const double* const panel = core.size() > 0 ? core.data() : fetched.data();
    multiply<double>(rows, MatrixView<const double>(panel, dense.rows(), count),
                     MatrixView<double>(product.data() + begin, rows.rows, count, width));
  }
  return product;
}

std::vector<Index> distinct(std::span<const Index> numbers) {
  std::vector<Index> sorted(numbers.begin(), numbers.end());
  std::ranges::sort(sorted);
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  return sorted;
}

Index place_of(const std::vector<Index>& sorted, Index number) {
  return std::ranges::lower_bound(sorted, number) - sorted.begin();
}

}  // namespace

template <class T>
std::vector<double> entries_by_landmarks(const Execution& execution, const Approximation<T>& approximation,
                                         const Buffer<double>& core, std::span<const Index> rows,
                                         std::span<const Index> columns) {
  const Communicator& communicator = execution.communicator;
  const LandmarkRows<T>& left = approximation.left.landmark_rows();
  const Index width = left.columns(), count = std::ssize(rows);
  const Index batch =
      std::max<Index>(1, held_bytes / (4 * std::max<Index>(1, width) * static_cast<Index>(sizeof(double))));
  std::vector<double> values(rows.size());
  const Index steps = communicator.maximum((count + batch - 1) / batch);
  for (Index step = 0; step < steps; ++step) {
    const Index begin = std::min(step * batch, count), end = std::min(begin + batch, count);
    const auto own_rows = distinct(rows.subspan(begin, end - begin));
    std::vector<Index> all(own_rows);
    all.insert(all.end(), columns.begin() + begin, columns.begin() + end);
    all = distinct(all);
    const Buffer<double> found = widened(left.at(execution, all));
    const auto row_of = [&](Index number) { return found.data() + place_of(all, number) * width; };
    Buffer<double> u(std::ssize(own_rows) * width);
    for (Index i = 0; i < std::ssize(own_rows); ++i) std::copy_n(row_of(own_rows[i]), width, u.data() + i * width);
    const Buffer<double> products =
        times_core(communicator, {u.data(), std::ssize(own_rows), width}, approximation.core_matrix, core);
    for (Index e = begin; e < end; ++e) {
      const double* const a = products.data() + place_of(own_rows, rows[e]) * width;
      const double* const b = row_of(columns[e]);
      double sum = 0.0;
#pragma omp simd reduction(+ : sum)
      for (Index k = 0; k < width; ++k) sum += a[k] * b[k];
      values[e] = sum;
    }
    Watchdog::beat();
  }
  return values;
}

template <class T>
RowBlock<double> columns_by_landmarks(const Execution& execution, const Approximation<T>& approximation,
                                      std::span<const Index> columns) {
  const Communicator& communicator = execution.communicator;
  const LandmarkRows<T>& left = approximation.left.landmark_rows();
  const Index width = left.columns(), count = std::ssize(columns);
  auto result =
      collectively(communicator, [&] { return RowBlock<double>(left.partition(), communicator.rank(), count); });
  const Buffer<double> picked = widened(left.at(execution, columns));
  const Buffer<double> joined =
      times_core(communicator, {picked.data(), count, width}, approximation.core_matrix, Buffer<double>());
  const Index first = left.range().begin;
  const MatrixView<double> out = result.local();
  collectively(communicator, [&] {
    left.visit(execution.threads, [&](Range rows, MatrixView<const T> tile) {
      const std::vector<double> wide(tile.data, tile.data + tile.rows * tile.columns);
      multiply<double>({wide.data(), tile.rows, tile.columns}, transposed<double>({joined.data(), count, width}),
                       {out.row(rows.begin - first), tile.rows, count});
    });
  });
  return result;
}

#define CAIRN_INSTANTIATE(T)                                                                                          \
  template std::vector<double> entries_by_landmarks(const Execution&, const Approximation<T>&, const Buffer<double>&, \
                                                    std::span<const Index>, std::span<const Index>);                  \
  template RowBlock<double> columns_by_landmarks(const Execution&, const Approximation<T>&, std::span<const Index>);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn
