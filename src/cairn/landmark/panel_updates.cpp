#include "cairn/landmark/panel_updates.hpp"

#include "cairn/linalg/dense/row_product.hpp"
#include "cairn/linalg/library_limits.hpp"

namespace cairn::landmark_blas {

namespace {

int size_of(Index value) { return to_library_int(value, "rows or columns of a block of landmarks"); }

// out -= a bᵀ.
template <class T>
void subtract(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> out) {
  if (a.columns > 0) multiply_add<T>(T{-1}, a, transposed<T>(b), T{1}, out);
}

// rowsᵀ = factor^(-1) rowsᵀ; column-major, the factor appears as its transpose.
template <class T>
void solve(MatrixView<const T> factor, MatrixView<T> rows) {
  if (rows.rows == 0 || rows.columns == 0) return;
  blas::solve_upper('T', size_of(rows.columns), size_of(rows.rows), factor.data, size_of(factor.stride), rows.data,
                    size_of(rows.stride));
}

}  // namespace

void subtract_product(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> out) {
  subtract(a, b, out);
}
void subtract_product(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> out) {
  subtract(a, b, out);
}
void solve_rows(MatrixView<const float> factor, MatrixView<float> rows) { solve(factor, rows); }
void solve_rows(MatrixView<const double> factor, MatrixView<double> rows) { solve(factor, rows); }

}  // namespace cairn::landmark_blas
