// TensorSketch. Private to this folder.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cairn/approximation/random_features/degrees/degree_features.hpp"
#include "cairn/approximation/random_features/degrees/sketch_transforms.hpp"

namespace cairn {

class TensorSketch final : public DegreeFeatures {
 public:
  static constexpr const char* name = "tensor";

  /// @param hashes  `degree` hashes of the coordinates
  TensorSketch(Index dimension, Index degree, Index columns, SketchHashes hashes);
  [[nodiscard]] static std::unique_ptr<DegreeFeatures> read(Index degree, Index dimension, Index columns,
                                                            const ArrayReader& arrays, const std::string& place);

  [[nodiscard]] std::string kind() const override { return name; }
  void apply(MatrixView<const float> points, MatrixView<float> out) const override;
  void apply(MatrixView<const double> points, MatrixView<double> out) const override;
  void write(ArrayWriter& arrays, const std::string& place) const override;

  /// True if its hashes begin with those of `before`, which has a lower degree: hashes = shared. Local.
  [[nodiscard]] bool extends(const TensorSketch& before) const;
  /// Features of sketches, each of which extends the one before it; they share hashes and transforms. @param outs  one
  /// per sketch
  template <class T>
  static void apply_chain(std::span<const TensorSketch* const> chain, MatrixView<const T> points,
                          std::span<const MatrixView<T>> outs);

 private:
  template <class T>
  class Chain;

  SketchHashes hashes_;
  TransformPair transforms_;  // null: degree 1
};

}  // namespace cairn
