#include "cairn/linalg/tall/vector_products.hpp"

#include <algorithm>
#include <cstdint>

#include "cairn/base/each_level.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/linalg/dense/fortran.hpp"
#include "cairn/linalg/tiles/tile_numbers.hpp"

namespace cairn {

namespace {

void require_length(std::span<const double> x, Index columns) {
  if (static_cast<Index>(x.size()) == columns) return;
  throw Error(ErrorKind::internal, "a matrix is multiplied by a vector of another length than it has columns");
}

// of_rows += tile x_columns and of_columns += tileᵀ x_rows, in one pass for both halves of a symmetric matrix.
template <class Number>
[[gnu::always_inline]] inline void add_both(MatrixView<const Number> tile, const double* x_rows,
                                            const double* x_columns, double* of_rows, double* of_columns) {
  for (Index r = 0; r < tile.rows; ++r) {
    const Number* row = tile.row(r);
    const double factor = x_rows[r];
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (Index c = 0; c < tile.columns; ++c) {
      const auto value = static_cast<double>(row[c]);
      sum += value * x_columns[c];
      of_columns[c] += value * factor;
    }
    of_rows[r] += sum;
  }
}

// of_rows += tile x for a tile on the diagonal, which is stored whole.
template <class Number>
[[gnu::always_inline]] inline void add_whole(MatrixView<const Number> tile, const double* x, double* of_rows) {
  for (Index r = 0; r < tile.rows; ++r) {
    const Number* row = tile.row(r);
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (Index c = 0; c < tile.columns; ++c) sum += static_cast<double>(row[c]) * x[c];
    of_rows[r] += sum;
  }
}

// Once for each number type, since target_clones does not support templates.
#define CAIRN_TILE_PRODUCT(Number)                                                                   \
  CAIRN_EACH_LEVEL void add_tile(MatrixView<const Number> tile, bool diagonal, const double* x_rows, \
                                 const double* x_columns, double* of_rows, double* of_columns) {     \
    if (diagonal) {                                                                                  \
      add_whole(tile, x_columns, of_rows);                                                           \
    } else {                                                                                         \
      add_both(tile, x_rows, x_columns, of_rows, of_columns);                                        \
    }                                                                                                \
  }
CAIRN_TILE_PRODUCT(std::uint16_t)
CAIRN_TILE_PRODUCT(std::uint32_t)
CAIRN_TILE_PRODUCT(float)
CAIRN_TILE_PRODUCT(double)
#undef CAIRN_TILE_PRODUCT

void add_own_tile(const SymmetricTiles& matrix, Index tile, const double* x, double* sums) {
  const SymmetricTiles::Place at = matrix.place(tile);
  const TileValues held = matrix.read(tile);
  with_number(matrix.number(), [&](auto zero) {
    const auto values = held.as<decltype(zero)>(at.rows.size(), at.columns.size());
    add_tile(values, at.rows.begin == at.columns.begin, x + at.rows.begin, x + at.columns.begin, sums + at.rows.begin,
             sums + at.columns.begin);
  });
  Watchdog::beat();
}

}  // namespace

std::vector<double> multiply_vector(const BlockCyclicMatrix& matrix, bool transpose, std::span<const double> x) {
  require_length(x, transpose ? matrix.rows() : matrix.columns());
  std::vector<double> rows(matrix.local_rows());
  std::vector<double> columns(matrix.local_columns());
  std::vector<double>& from = transpose ? rows : columns;
  std::vector<double>& to = transpose ? columns : rows;
  const auto global = [&](bool of_rows, std::size_t local) {
    const auto i = static_cast<Index>(local);
    return static_cast<std::size_t>(of_rows ? matrix.global_row(i) : matrix.global_column(i));
  };
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = x[global(transpose, i)];
  const int m = static_cast<int>(matrix.local_rows()), n = static_cast<int>(matrix.local_columns());
  const int lead = static_cast<int>(matrix.leading()), step = 1;
  const double one = 1.0, zero = 0.0;
  if (m > 0 && n > 0) {
    dgemv_(transpose ? "T" : "N", &m, &n, &one, matrix.data(), &lead, from.data(), &step, &zero, to.data(), &step);
  }
  std::vector<double> whole(transpose ? matrix.columns() : matrix.rows());
  for (std::size_t i = 0; i < to.size(); ++i) whole[global(!transpose, i)] = to[i];
  matrix.grid().communicator().sum(std::span(whole));
  return whole;
}

std::vector<double> multiply_vector(const Communicator& communicator, const SymmetricTiles& matrix,
                                    std::span<const double> x, int threads) {
  require_length(x, matrix.size());
  const auto size = static_cast<std::size_t>(matrix.size());
  const int workers = matrix.in_memory() ? threads : 1;  // only the main thread reads from disk
  std::vector<std::vector<double>> sums(workers, std::vector<double>(size));
  const auto add_share = [&](int worker) {
    const Index step = static_cast<Index>(communicator.size()) * workers;
    for (Index tile = communicator.rank() + static_cast<Index>(communicator.size()) * worker; tile < matrix.tiles();
         tile += step) {
      add_own_tile(matrix, tile, x.data(), sums[worker].data());
    }
  };
  if (matrix.in_memory()) {
#pragma omp parallel for num_threads(workers) schedule(static, 1)
    for (int worker = 0; worker < workers; ++worker) add_share(worker);
  } else {
    collectively(communicator, [&] { add_share(0); });
  }
  for (std::size_t worker = 1; worker < sums.size(); ++worker) {
    for (std::size_t i = 0; i < size; ++i) sums[0][i] += sums[worker][i];
  }
  communicator.sum(std::span(sums[0]));
  return std::move(sums[0]);
}

}  // namespace cairn
