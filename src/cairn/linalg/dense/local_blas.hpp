// BLAS and LAPACK calls overloaded by number type: the only declarations for all folders. Column-major as in BLAS; a
// row-major matrix is the transpose of a column-major one with the same leading dimension. Local.
#pragma once

#include "cairn/linalg/dense/fortran.hpp"

namespace cairn::blas {

/// C = alpha op(A) op(B) + beta C, C m x n, k columns in op(A).
inline void gemm(char transpose_a, char transpose_b, int m, int n, int k, double alpha, const double* a, int lda,
                 const double* b, int ldb, double beta, double* c, int ldc) {
  dgemm_(&transpose_a, &transpose_b, &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);
}
inline void gemm(char transpose_a, char transpose_b, int m, int n, int k, float alpha, const float* a, int lda,
                 const float* b, int ldb, float beta, float* c, int ldc) {
  sgemm_(&transpose_a, &transpose_b, &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);
}

/// B = op(A)⁻¹ B, A an upper triangular m x m matrix.
inline void solve_upper(char transpose, int m, int n, const double* a, int lda, double* b, int ldb) {
  const double one = 1.0;
  dtrsm_("L", "U", &transpose, "N", &m, &n, &one, a, &lda, b, &ldb);
}
inline void solve_upper(char transpose, int m, int n, const float* a, int lda, float* b, int ldb) {
  const float one = 1.0F;
  strsm_("L", "U", &transpose, "N", &m, &n, &one, a, &lda, b, &ldb);
}

/// B = A⁻¹ B, A a lower triangular m x m matrix.
inline void solve_lower(int m, int n, const double* a, int lda, double* b, int ldb) {
  const double one = 1.0;
  dtrsm_("L", "L", "N", "N", &m, &n, &one, a, &lda, b, &ldb);
}

/// The lower triangle of a symmetric A = C Cᵀ becomes that of C. Returns 0, or the order of the first leading minor
/// that is not positive: there is no C.
[[nodiscard]] inline int cholesky(int n, double* a, int lda) {
  int info = 0;
  dpotrf_("L", &n, a, &lda, &info);
  return info;
}
/// B = (C Cᵀ)⁻¹ B, B n x columns, C lower triangular.
inline void solve_cholesky(int n, int columns, const double* c, int ldc, double* b, int ldb) {
  int info = 0;
  dpotrs_("L", &n, &columns, c, &ldc, b, &ldb, &info);
}
/// C becomes the lower triangle of (C Cᵀ)⁻¹. Returns 0, or the place of a zero on C's diagonal: there is no inverse.
[[nodiscard]] inline int invert_cholesky(int n, double* c, int ldc) {
  int info = 0;
  dpotri_("L", &n, c, &ldc, &info);
  return info;
}

}  // namespace cairn::blas
