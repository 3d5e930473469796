// A tile of a matrix times a few vectors, in both directions.
#pragma once

#include "cairn/base/matrix_view.hpp"

namespace cairn {

/// Vectors that a tile A multiplies, one in each row of these matrices.
struct TileVectors {
  MatrixView<const double> x_of_columns{};  ///< at the tile's columns; none: A x is not wanted
  MatrixView<const double> x_of_rows{};     ///< at the tile's rows; none: Aᵀ x is not wanted
  MatrixView<double> y_of_rows{};
  MatrixView<double> y_of_columns{};
};

/// y_of_rows += A x_of_columns, y_of_columns += Aᵀ x_of_rows. Reads A once for each vector, four rows at a time; sums
/// are taken in double precision. Local.
void multiply_tile(MatrixView<const float> tile, const TileVectors& vectors);
void multiply_tile(MatrixView<const double> tile, const TileVectors& vectors);

}  // namespace cairn
