// Products of tall matrices with small ones. Tall matrices are row-major and BLAS is column-major: a block of m rows
// and k columns is passed as its transpose, k x m with leading dimension k.
#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/linalg/dense/blas_threads.hpp"
#include "cairn/linalg/dense/block_cyclic_layout.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"
#include "cairn/linalg/dense/local_blas.hpp"
#include "cairn/linalg/library_limits.hpp"
#include "cairn/linalg/tall/tall_views.hpp"

namespace cairn {

namespace {

/// A small matrix is replicated whole up to this size, which any rank can spare; a larger one in panels of columns wide
/// enough for GEMM's full rate.
constexpr Index whole_bytes = Index{64} << 20;
constexpr Index panel_columns = 256;
/// Rows per BLAS call: enough for its full rate, few enough to report progress between calls.
constexpr Index rows_per_call = 16384;
/// The same if rows are first converted from single to double precision.
constexpr Index converted_rows = 1024;

Index panel_width(Index rows, Index columns) {
  return rows * columns * 8 <= whole_bytes ? std::max<Index>(columns, 1) : panel_columns;
}

/// Calls f(range of columns) for each panel.
template <class Function>
void for_each_panel(Index rows, Index columns, Function f) {
  const Index width = panel_width(rows, columns);
  for (Index begin = 0; begin < columns; begin += width) f(Range{begin, std::min(begin + width, columns)});
}

/// Calls f(first row, number of rows) for pieces of this rank's rows.
template <class Function>
void for_each_piece(Index rows, Index piece_rows, Function f) {
  for (Index begin = 0; begin < rows; begin += piece_rows) {
    f(begin, static_cast<int>(std::min(piece_rows, rows - begin)));
    Watchdog::beat();
  }
}

/// Columns of a small matrix on every rank, row-major, in the number type of the tall one.
template <class T>
Buffer<T> replicate(const BlockCyclicMatrix& matrix, Range columns) {
  Buffer<double> panel = replicate_columns(matrix, columns);
  if constexpr (std::is_same_v<T, double>) {
    return panel;
  } else {
    auto converted = collectively(matrix.grid().communicator(), [&] { return Buffer<T>(panel.size()); });
    for (Index i = 0; i < panel.size(); ++i) converted[i] = static_cast<T>(panel[i]);
    return converted;
  }
}

void require(bool fits, const char* what) {
  if (!fits) throw Error(ErrorKind::internal, what);
}

int stride_of(Index stride) { return to_library_int(stride, "columns of a matrix"); }

/// Rows of a tall matrix as numbers T: the matrix' own, or converted into `converted`.
template <class T>
const T* in_numbers(MatrixView<const T> view, Index first, int /*rows*/, Buffer<T>& /*converted*/) {
  return view.row(first);
}
template <class T, class N>
const T* in_numbers(MatrixView<const N> view, Index first, int rows, Buffer<T>& converted) {
  for (Index i = 0; i < rows; ++i) {
    const N* const from = view.row(first + i);
    T* const to = converted.data() + i * view.columns;
    for (Index j = 0; j < view.columns; ++j) to[j] = static_cast<T>(from[j]);
  }
  return converted.data();
}

}  // namespace

// A panel, and a second copy while it is gathered.
Index replicated_bytes_of_product(Index p, Index k) { return 2 * p * std::min(k, panel_width(p, k)) * 8; }

template <class N, class T>
void multiply_tall(MatrixView<const N> tall, const BlockCyclicMatrix& a, MatrixView<T> out, int threads) {
  require(tall.columns == a.rows() && out.columns == a.columns() && out.rows == tall.rows,
          "a tall matrix, a small one and their product do not fit together");
  const int p = to_library_int(a.rows(), "rows of a matrix"), k = to_library_int(a.columns(), "columns of a matrix");
  if (k == 0) return;
  if (p == 0) {
    for (Index i = 0; i < out.rows; ++i) std::fill_n(out.row(i), k, T{0});
    return;
  }
  constexpr bool converts = !std::is_same_v<N, T>;
  const Index stride = converts ? Index{p} : tall.stride;
  Buffer<T> piece;
  collectively(a.grid().communicator(), [&] {
    if (converts) piece = Buffer<T>(std::min(rows_per_call, tall.rows) * p);
  });
  const BlasThreads scope(threads);
  for_each_panel(p, k, [&](Range columns) {
    const Buffer<T> panel = replicate<T>(a, columns);
    const int width = static_cast<int>(columns.size());
    for_each_piece(tall.rows, rows_per_call, [&](Index first, int rows) {
      blas::gemm('N', 'N', width, rows, p, T{1}, panel.data(), width, in_numbers(tall, first, rows, piece),
                 stride_of(stride), T{0}, out.row(first) + columns.begin, stride_of(out.stride));
    });
  });
}

template <class T>
RowBlock<T> multiply_tall(const TallMatrix<T>& tall, const BlockCyclicMatrix& a, int threads) {
  return tall.visit([&](const auto& rows) {
    auto result = collectively(a.grid().communicator(), [&] { return rows_like<T>(rows, a.columns()); });
    multiply_tall(rows.local(), a, result.local(), threads);
    return result;
  });
}

template <class T>
RowBlock<T> multiply_tall(const RowBlock<T>& tall, const BlockCyclicMatrix& a, int threads) {
  const Communicator& communicator = a.grid().communicator();
  auto result =
      collectively(communicator, [&] { return RowBlock<T>(tall.partition(), communicator.rank(), a.columns()); });
  multiply_tall(tall.local(), a, result.local(), threads);
  return result;
}

template <class T>
void solve_tall_in_place(RowBlock<T>& tall, const BlockCyclicMatrix& factor, int threads) {
  require(factor.rows() == factor.columns() && tall.columns() == factor.rows(),
          "a tall matrix meets a triangular factor of another size than its number of columns");
  const int k = to_library_int(factor.rows(), "rows of a matrix");
  const BlasThreads scope(threads);
  // F Xᵀ = Cᵀ is solved forward, column by column: with a panel of F, first the panel's own triangle is solved, then
  // the known part is subtracted from the columns to its right. To BLAS, a row-major panel is the transpose: its
  // triangle is upper, transposed.
  for_each_panel(k, k, [&](Range columns) {
    const Buffer<T> panel = replicate<T>(factor, columns);
    const int width = static_cast<int>(columns.size());
    const int right = k - static_cast<int>(columns.end);
    for_each_piece(tall.range().size(), rows_per_call, [&](Index first, int rows) {
      T* solved = tall.local().row(first) + columns.begin;
      blas::solve_upper('T', width, rows, panel.data() + columns.begin * width, width, solved, k);
      if (right > 0)
        blas::gemm('T', 'N', right, rows, width, T{-1}, panel.data() + columns.end * width, width, solved, k, T{1},
                   solved + width, k);
    });
  });
}

template <class T>
BlockCyclicMatrix gram(std::shared_ptr<const ProcessGrid> grid, MatrixView<const T> left, MatrixView<const T> right,
                       int threads) {
  const int p = to_library_int(left.columns, "columns of a matrix");
  const int q = to_library_int(right.columns, "columns of a matrix");
  BlockCyclicMatrix result(std::move(grid), p, q);
  const ProcessGrid& ranks = result.grid();
  collectively(ranks.communicator(),
               [&] { require(left.rows == right.rows, "two tall matrices are split over ranks in different ways"); });
  if (p == 0 || q == 0) return result;
  // Sums over all rows in single precision would lose digits: pieces of rows are converted, as integers are. Those are
  // as large as of doubles, so that the sums have the same bits.
  constexpr bool converts = !std::is_same_v<T, double>;
  const Index piece_rows = std::is_same_v<T, float> ? converted_rows : rows_per_call;
  const int left_stride = converts ? p : stride_of(left.stride), right_stride = converts ? q : stride_of(right.stride);
  const bool same = converts && left.data == right.data && left.columns == right.columns && left.stride == right.stride;
  Buffer<double> left_piece, right_piece;
  collectively(ranks.communicator(), [&] {
    if (!converts) return;
    left_piece = Buffer<double>(std::min(piece_rows, left.rows) * p);
    if (!same) right_piece = Buffer<double>(std::min(piece_rows, right.rows) * q);
  });
  const BlasThreads scope(threads);
  for_each_panel(p, q, [&](Range columns) {
    const Index size = p * columns.size();
    auto sums = collectively(ranks.communicator(), [&] { return Buffer<double>(size); });
    std::fill_n(sums.data(), size, 0.0);
    for_each_piece(left.rows, piece_rows, [&](Index first, int rows) {
      const double* a = in_numbers(left, first, rows, left_piece);
      const double* b = same ? a : in_numbers(right, first, rows, right_piece);
      blas::gemm('N', 'T', p, static_cast<int>(columns.size()), rows, 1.0, a, left_stride, b + columns.begin,
                 right_stride, 1.0, sums.data(), p);
    });
    ranks.communicator().sum(sums.span());
    block_cyclic::for_each_run(columns, ranks.column(), ranks.columns(), [&](Range run) {
      for (Index j = run.begin; j < run.end; ++j) {
        const Index local_column = block_cyclic::to_local(j, ranks.columns());
        const double* column = sums.data() + (j - columns.begin) * p;
        for (Index i = 0; i < result.local_rows(); ++i) result.local(i, local_column) = column[result.global_row(i)];
      }
    });
  });
  return result;
}

template <class T>
BlockCyclicMatrix gram(std::shared_ptr<const ProcessGrid> grid, const RowBlock<T>& left, const RowBlock<T>& right,
                       int threads) {
  require(left.partition() == right.partition(), "two tall matrices are split over ranks in different ways");
  return gram(std::move(grid), left.local(), right.local(), threads);
}

template void multiply_tall(MatrixView<const float>, const BlockCyclicMatrix&, MatrixView<float>, int);
template void multiply_tall(MatrixView<const double>, const BlockCyclicMatrix&, MatrixView<double>, int);
template void multiply_tall(MatrixView<const std::uint16_t>, const BlockCyclicMatrix&, MatrixView<float>, int);
template void multiply_tall(MatrixView<const std::uint16_t>, const BlockCyclicMatrix&, MatrixView<double>, int);
template void multiply_tall(MatrixView<const std::uint32_t>, const BlockCyclicMatrix&, MatrixView<float>, int);
template void multiply_tall(MatrixView<const std::uint32_t>, const BlockCyclicMatrix&, MatrixView<double>, int);
template RowBlock<float> multiply_tall(const TallMatrix<float>&, const BlockCyclicMatrix&, int);
template RowBlock<double> multiply_tall(const TallMatrix<double>&, const BlockCyclicMatrix&, int);
template BlockCyclicMatrix gram(std::shared_ptr<const ProcessGrid>, MatrixView<const float>, MatrixView<const float>,
                                int);
template BlockCyclicMatrix gram(std::shared_ptr<const ProcessGrid>, MatrixView<const double>, MatrixView<const double>,
                                int);
template RowBlock<float> multiply_tall(const RowBlock<float>&, const BlockCyclicMatrix&, int);
template RowBlock<double> multiply_tall(const RowBlock<double>&, const BlockCyclicMatrix&, int);
template BlockCyclicMatrix gram(std::shared_ptr<const ProcessGrid>, const RowBlock<std::uint16_t>&,
                                const RowBlock<std::uint16_t>&, int);
template BlockCyclicMatrix gram(std::shared_ptr<const ProcessGrid>, const RowBlock<std::uint32_t>&,
                                const RowBlock<std::uint32_t>&, int);
template void solve_tall_in_place(RowBlock<float>&, const BlockCyclicMatrix&, int);
template void solve_tall_in_place(RowBlock<double>&, const BlockCyclicMatrix&, int);
template BlockCyclicMatrix gram(std::shared_ptr<const ProcessGrid>, const RowBlock<float>&, const RowBlock<float>&,
                                int);
template BlockCyclicMatrix gram(std::shared_ptr<const ProcessGrid>, const RowBlock<double>&, const RowBlock<double>&,
                                int);

}  // namespace cairn
