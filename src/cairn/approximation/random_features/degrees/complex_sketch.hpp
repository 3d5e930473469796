// Products of random projections in complex numbers. Private to this folder.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cairn/approximation/random_features/degrees/degree_features.hpp"

namespace cairn {

/// Columns 2 k and 2 k + 1 are the real and the imaginary part of √(2/m) prod_i (w_ik · x), w_ik row rows[i, k] of a
/// Hadamard matrix times a diagonal of random units 1, -1, i, -i: so many blocks of both as there are columns.
class ComplexSketch final : public DegreeFeatures {
 public:
  static constexpr const char* name = "complex";

  struct Draws {
    std::vector<std::uint8_t> units;  ///< degree x blocks x dimension: w = i^unit
    std::vector<std::int32_t> rows;   ///< degree x columns / 2: row of the Hadamard matrix of the column's block
  };

  /// @param columns  even
  ComplexSketch(Index dimension, Index degree, Index columns, Draws draws);
  [[nodiscard]] static std::unique_ptr<DegreeFeatures> read(Index degree, Index dimension, Index columns,
                                                            const ArrayReader& arrays, const std::string& place);

  /// Rows of the Hadamard matrix: the least power of two that is not below the dimension.
  [[nodiscard]] static Index order_for(Index dimension);
  /// Blocks for so many columns.
  [[nodiscard]] static Index blocks_for(Index dimension, Index columns);

  [[nodiscard]] std::string kind() const override { return name; }
  void apply(MatrixView<const float> points, MatrixView<float> out) const override;
  void apply(MatrixView<const double> points, MatrixView<double> out) const override;
  void write(ArrayWriter& arrays, const std::string& place) const override;

 private:
  template <class T>
  void apply_as(MatrixView<const T> points, MatrixView<T> out) const;

  Draws draws_;
};

}  // namespace cairn
