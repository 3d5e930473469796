// Symmetric square matrices. A file may hold a part: one triangle, or the distances of all pairs.
#pragma once

#include <memory>
#include <string>

#include "cairn/data/matrix/dense_matrix.hpp"
#include "cairn/parameters/values.hpp"

namespace cairn {

/// The part of a symmetric matrix that is read; the other part mirrors it.
enum class Triangle { both, upper, lower };

/// The key `triangle`, and its value. Local.
[[nodiscard]] Parameter triangle_parameter();
[[nodiscard]] Triangle triangle_of(const Values& values);

/// A square matrix, unless the file has another shape.
struct SquareMatrix {
  std::shared_ptr<const DenseMatrix> matrix;
  bool mirrored = false;   ///< entries are read in one direction: the matrix is symmetric, whatever the file holds
  bool condensed = false;  ///< the file holds n (n - 1) / 2 numbers in one row or column: those above the diagonal, row
                           ///< after row, as SciPy's pdist gives distances; the diagonal is 0
  std::string shape{};     ///< shape of the file, "44850 x 1"
};

/// Opens a file as DenseMatrix::open does, as a whole matrix, as one of its triangles, or, if the shape fits, as a
/// condensed matrix. Reading a row of a part takes one read for each contiguous piece in the file.
/// @throws Error(input) as DenseMatrix::open, for a triangle of a condensed matrix, and for a triangle of a matrix that
/// is not square. Local.
[[nodiscard]] SquareMatrix open_square_matrix(const std::string& path, const std::string& format,
                                              const std::string& dataset, Triangle triangle, const KeyNames& keys);

/// Properties of a sample of entries: those of 64 evenly spaced rows and columns.
struct MatrixSample {
  Index pairs = 0;             ///< sampled entries above the diagonal, and as many below
  Index above = 0, below = 0;  ///< nonzeros among these
  double largest = 0;          ///< largest magnitude of all sampled entries

  /// The triangle with all entries, if the sample of the other one is 0 and that of this one is not; else both.
  [[nodiscard]] Triangle only_triangle() const;
};
/// Local. @pre the matrix is square @throws Error(input) if one of these entries is not finite
[[nodiscard]] MatrixSample sample_of(const DenseMatrix& matrix);

}  // namespace cairn
