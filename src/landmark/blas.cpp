#include "landmark/blas.hpp"

// A row-major matrix is the transpose of a column-major one with the same leading dimension.
extern "C" {
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*,
            const double*, const int*, const double*, double*, const int*);
void sgemm_(const char*, const char*, const int*, const int*, const int*, const float*, const float*, const int*,
            const float*, const int*, const float*, float*, const int*);
void dtrsm_(const char*, const char*, const char*, const char*, const int*, const int*, const double*, const double*,
            const int*, double*, const int*);
void strsm_(const char*, const char*, const char*, const char*, const int*, const int*, const float*, const float*,
            const int*, float*, const int*);
}

namespace cairn::landmark_blas {

namespace {

// Rows are a unit's (at most 1024) and columns are landmarks: BLAS' 32-bit integers hold them.
constexpr int size_of(Index value) { return static_cast<int>(value); }

template <class T, class Gemm>
void subtract(Gemm gemm, MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> out) {
  if (a.columns == 0 || out.rows == 0 || out.columns == 0) return;
  const int m = size_of(b.rows), n = size_of(a.rows), k = size_of(a.columns);
  const int lda = size_of(b.stride), ldb = size_of(a.stride), ldc = size_of(out.stride);
  const T minus_one = -1, one = 1;
  gemm("T", "N", &m, &n, &k, &minus_one, b.data, &lda, a.data, &ldb, &one, out.data, &ldc);
}

// rowsᵀ = factor^(-1) rowsᵀ; column-major, the factor is seen as its transpose.
template <class T, class Trsm>
void solve(Trsm trsm, MatrixView<const T> factor, MatrixView<T> rows) {
  if (rows.rows == 0 || rows.columns == 0) return;
  const int m = size_of(rows.columns), n = size_of(rows.rows);
  const int lda = size_of(factor.stride), ldb = size_of(rows.stride);
  const T one = 1;
  trsm("L", "U", "T", "N", &m, &n, &one, factor.data, &lda, rows.data, &ldb);
}

}  // namespace

void subtract_product(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> out) {
  subtract(sgemm_, a, b, out);
}
void subtract_product(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> out) {
  subtract(dgemm_, a, b, out);
}
void solve_rows(MatrixView<const float> factor, MatrixView<float> rows) { solve(strsm_, factor, rows); }
void solve_rows(MatrixView<const double> factor, MatrixView<double> rows) { solve(dtrsm_, factor, rows); }

}  // namespace cairn::landmark_blas
