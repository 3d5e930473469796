// C and Fortran symbols of BLAS, LAPACK, BLACS and ScaLAPACK that Cairn calls, with 32-bit integers throughout. Private
// to this folder: others use local_blas.hpp. Lengths of character arguments are omitted: all are one character, and no
// callee reads them.
#pragma once

#include <mpi.h>

extern "C" {
// BLACS
int Csys2blacs_handle(MPI_Comm communicator);
void Cfree_blacs_system_handle(int handle);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void Cblacs_gridinfo(int context, int* rows, int* columns, int* row, int* column);
void Cblacs_gridexit(int context);

// BLAS
void dgemm_(const char* transpose_a, const char* transpose_b, const int* m, const int* n, const int* k,
            const double* alpha, const double* a, const int* lda, const double* b, const int* ldb, const double* beta,
            double* c, const int* ldc);
void sgemm_(const char* transpose_a, const char* transpose_b, const int* m, const int* n, const int* k,
            const float* alpha, const float* a, const int* lda, const float* b, const int* ldb, const float* beta,
            float* c, const int* ldc);
void dtrsm_(const char* side, const char* triangle, const char* transpose, const char* diagonal, const int* m,
            const int* n, const double* alpha, const double* a, const int* lda, double* b, const int* ldb);
void strsm_(const char* side, const char* triangle, const char* transpose, const char* diagonal, const int* m,
            const int* n, const float* alpha, const float* a, const int* lda, float* b, const int* ldb);
void dgemv_(const char* transpose, const int* m, const int* n, const double* alpha, const double* a, const int* lda,
            const double* x, const int* incx, const double* beta, double* y, const int* incy);

// LAPACK
void dpotrf_(const char* triangle, const int* n, double* a, const int* lda, int* info);
void dpotrs_(const char* triangle, const int* n, const int* columns, const double* a, const int* lda, double* b,
             const int* ldb, int* info);
void dlauum_(const char* triangle, const int* n, double* a, const int* lda, int* info);
void dpotri_(const char* triangle, const int* n, double* a, const int* lda, int* info);
void dtrtri_(const char* triangle, const char* diagonal, const int* n, double* a, const int* lda, int* info);
void dsyevr_(const char* job, const char* range, const char* triangle, const int* n, double* a, const int* lda,
             const double* low, const double* high, const int* first, const int* last, const double* tolerance,
             int* found, double* values, double* vectors, const int* ldz, int* support, double* work,
             const int* work_length, int* integer_work, const int* integer_length, int* info);
void dsyevd_(const char* job, const char* triangle, const int* n, double* a, const int* lda, double* values,
             double* work, const int* lwork, int* iwork, const int* liwork, int* info);
void dgesdd_(const char* job, const int* m, const int* n, double* a, const int* lda, double* values, double* u,
             const int* ldu, double* vt, const int* ldvt, double* work, const int* lwork, int* iwork, int* info);

// ScaLAPACK
void descinit_(int* descriptor, const int* m, const int* n, const int* mb, const int* nb, const int* row_source,
               const int* column_source, const int* context, const int* leading, int* info);
void pdgemm_(const char* transpose_a, const char* transpose_b, const int* m, const int* n, const int* k,
             const double* alpha, const double* a, const int* ia, const int* ja, const int* desca, const double* b,
             const int* ib, const int* jb, const int* descb, const double* beta, double* c, const int* ic,
             const int* jc, const int* descc);
void pdtran_(const int* m, const int* n, const double* alpha, const double* a, const int* ia, const int* ja,
             const int* desca, const double* beta, double* c, const int* ic, const int* jc, const int* descc);
void pdsyevd_(const char* job, const char* triangle, const int* n, double* a, const int* ia, const int* ja,
              const int* desca, double* values, double* z, const int* iz, const int* jz, const int* descz, double* work,
              const int* lwork, int* iwork, const int* liwork, int* info);
void pdsyevx_(const char* job, const char* which, const char* triangle, const int* n, double* a, const int* ia,
              const int* ja, const int* desca, const double* lowest, const double* highest, const int* first,
              const int* last, const double* tolerance, int* found, int* vectors, double* values, const double* factor,
              double* z, const int* iz, const int* jz, const int* descz, double* work, const int* lwork, int* iwork,
              const int* liwork, int* failed, int* clusters, double* gaps, int* info);
void pdgesvd_(const char* job_u, const char* job_vt, const int* m, const int* n, double* a, const int* ia,
              const int* ja, const int* desca, double* values, double* u, const int* iu, const int* ju,
              const int* descu, double* vt, const int* ivt, const int* jvt, const int* descvt, double* work,
              const int* lwork, int* info);
void pdpotrs_(const char* triangle, const int* n, const int* columns, const double* a, const int* ia, const int* ja,
              const int* desca, double* b, const int* ib, const int* jb, const int* descb, int* info);
void pdpotri_(const char* triangle, const int* n, double* a, const int* ia, const int* ja, const int* desca, int* info);
void pdtrtri_(const char* triangle, const char* diagonal, const int* n, double* a, const int* ia, const int* ja,
              const int* desca, int* info);
void pdlauum_(const char* triangle, const int* n, double* a, const int* ia, const int* ja, const int* desca);
void pdpotrf_(const char* triangle, const int* n, double* a, const int* ia, const int* ja, const int* desca, int* info);
void pdtrsm_(const char* side, const char* triangle, const char* transpose, const char* diagonal, const int* m,
             const int* n, const double* alpha, const double* a, const int* ia, const int* ja, const int* desca,
             double* b, const int* ib, const int* jb, const int* descb);
}
