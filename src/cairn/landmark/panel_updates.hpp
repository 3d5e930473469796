// The two BLAS calls of the partial Cholesky factorization.
#pragma once

#include "cairn/base/matrix_view.hpp"

namespace cairn::landmark_blas {

/// out -= a bᵀ: out m x n, a m x k, b n x k, all row-major.
void subtract_product(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> out);
void subtract_product(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> out);

/// rows = rows factor^(-T): rows m x k, factor k x k, lower triangular, row-major.
void solve_rows(MatrixView<const float> factor, MatrixView<float> rows);
void solve_rows(MatrixView<const double> factor, MatrixView<double> rows);

}  // namespace cairn::landmark_blas
