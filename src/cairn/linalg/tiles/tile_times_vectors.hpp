// A tile of a symmetric matrix times a few vectors, in both directions.
#pragma once

#include "cairn/base/matrix_view.hpp"

namespace cairn {

/// Vectors that a tile multiplies. Those of x are columns of long ones, `stride` numbers apart, from the tile's place
/// on; those of y have the length of the tile.
struct TileVectors {
  const double* x_of_columns = nullptr;  ///< at the tile's columns
  const double* x_of_rows = nullptr;     ///< at the tile's rows
  Index stride = 0;
  Index count = 0;              ///< of vectors
  double* y_of_rows = nullptr;  ///< tile.rows x count, column-major: receives A x
  /// tile.columns x count, column-major: receives Aᵀ x for the other half of the matrix; null: it is not needed
  double* y_of_columns = nullptr;
};

/// y_of_rows = A x_of_columns, y_of_columns = Aᵀ x_of_rows. Reads A once for each vector, four rows at a time; sums are
/// taken in double precision. Local.
void multiply_tile(MatrixView<const float> tile, const TileVectors& vectors);
void multiply_tile(MatrixView<const double> tile, const TileVectors& vectors);

}  // namespace cairn
