// Products of row-major matrices of one rank.
#pragma once

#include <algorithm>

#include "cairn/base/matrix_view.hpp"
#include "cairn/linalg/dense/local_blas.hpp"
#include "cairn/linalg/library_limits.hpp"

namespace cairn {

/// A matrix in a product, as it is or transposed.
template <class T>
struct Operand {
  MatrixView<const T> matrix;
  bool transposed = false;

  Operand(MatrixView<const T> as_it_is) : matrix(as_it_is) {}
  Operand(MatrixView<T> as_it_is) : matrix(as_it_is.data, as_it_is.rows, as_it_is.columns, as_it_is.stride) {}
  Operand(const T* values, Index rows, Index columns) : matrix(values, rows, columns) {}
  /// Columns of the operand.
  [[nodiscard]] Index columns() const { return transposed ? matrix.rows : matrix.columns; }
};

template <class T>
[[nodiscard]] Operand<T> transposed(Operand<T> operand) {
  operand.transposed = !operand.transposed;
  return operand;
}

/// C = alpha A B + beta C; BLAS sees the transposes of all three. C without rows or columns is unchanged.
/// @throws Error(resource) for a size beyond 32 bits. Local.
template <class T>
void multiply_add(T alpha, const Operand<T>& a, const Operand<T>& b, T beta, MatrixView<T> c) {
  if (c.rows == 0 || c.columns == 0) return;
  const auto size = [](Index value) {
    return to_library_int(std::max<Index>(value, 1), "rows or columns of a matrix");
  };
  const int inner = to_library_int(a.columns(), "columns of a matrix");
  blas::gemm(b.transposed ? 'T' : 'N', a.transposed ? 'T' : 'N', size(c.columns), size(c.rows), inner, alpha,
             b.matrix.data, size(b.matrix.stride), a.matrix.data, size(a.matrix.stride), beta, c.data, size(c.stride));
}

/// C = A B.
template <class T>
void multiply(const Operand<T>& a, const Operand<T>& b, MatrixView<T> c) {
  multiply_add(T{1}, a, b, T{0}, c);
}

}  // namespace cairn
