// BLAS calls by the number type of their matrices: the one declaration of them for all folders. Column-major as BLAS
// is; a row-major matrix is the transpose of a column-major one with the same leading dimension. Local.
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

}  // namespace cairn::blas
