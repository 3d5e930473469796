// Square matrices that are symmetric, of which a file may hold a part: one triangle, or the distances of all pairs.
#pragma once

#include <memory>
#include <string>

#include "cairn/data/matrix/dense_matrix.hpp"
#include "cairn/parameters/values.hpp"

namespace cairn {

/// The part of a symmetric matrix that is read; the other one is its mirror image.
enum class Triangle { both, upper, lower };

/// The key `triangle`, and what it says. Local.
[[nodiscard]] Parameter triangle_parameter();
[[nodiscard]] Triangle triangle_of(const Values& values);

/// A matrix of as many rows as columns, unless the file has another shape.
struct SquareMatrix {
  std::shared_ptr<const DenseMatrix> matrix;
  bool mirrored = false;   ///< each entry is read in one direction: it is symmetric, whatever the file holds
  bool condensed = false;  ///< the file holds n (n - 1) / 2 numbers in one row or column: those above the diagonal, row
                           ///< after row, as SciPy's pdist gives distances; the diagonal is 0
  std::string shape{};     ///< of the file, "44850 x 1"
};

/// Opens a file as DenseMatrix::open does, and takes it for a whole matrix, for one of its triangles, or for a
/// condensed one if its shape is that of one. Reading a row of a part takes one read for each piece of the file that it
/// is in.
/// @throws Error(input) as DenseMatrix::open, for a triangle of a condensed matrix, and for one of a matrix that is not
///   square. Local.
[[nodiscard]] SquareMatrix open_square_matrix(const std::string& path, const std::string& format,
                                              const std::string& dataset, Triangle triangle, const KeyNames& keys);

/// What some entries of a matrix tell about it: those of 64 rows and columns that are spread evenly.
struct MatrixSample {
  Index pairs = 0;             ///< entries above the diagonal that were looked at, and as many below
  Index above = 0, below = 0;  ///< of these, those that are not 0
  double largest = 0;          ///< magnitude of all entries that were looked at

  /// The triangle that has all entries, if the other one is 0 wherever it was looked at and this one is not; else both.
  [[nodiscard]] Triangle only_triangle() const;
};
/// Local. @pre the matrix is square @throws Error(input) if one of these entries is not finite
[[nodiscard]] MatrixSample sample_of(const DenseMatrix& matrix);

}  // namespace cairn
