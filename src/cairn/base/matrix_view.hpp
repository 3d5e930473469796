// Non-owning view of a row-major matrix.
#pragma once

#include "cairn/base/index.hpp"

namespace cairn {

/// rows x columns values, row-major; row i starts at data + i * stride.
template <class T>
struct MatrixView {
  T* data = nullptr;
  Index rows = 0;
  Index columns = 0;
  Index stride = 0;

  MatrixView() = default;
  MatrixView(T* values, Index row_count, Index column_count)
      : MatrixView(values, row_count, column_count, column_count) {}
  MatrixView(T* values, Index row_count, Index column_count, Index row_stride)
      : data(values), rows(row_count), columns(column_count), stride(row_stride) {}

  [[nodiscard]] T* row(Index i) const { return data + i * stride; }
  [[nodiscard]] T& operator()(Index i, Index j) const { return data[i * stride + j]; }
};

}  // namespace cairn
