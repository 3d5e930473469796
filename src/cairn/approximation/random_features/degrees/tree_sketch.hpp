// A tree of sketches of degree 2. Private to this folder.
#pragma once

#include <memory>
#include <string>

#include "cairn/approximation/random_features/degrees/degree_features.hpp"
#include "cairn/approximation/random_features/degrees/sketch_transforms.hpp"

namespace cairn {

/// Leaves of the left child of a node with `leaves` leaves: one more than the right one if their number is odd.
[[nodiscard]] constexpr Index left_leaves(Index leaves) { return leaves - leaves / 2; }

/// The point at the leaves, `degree` of them; each node combines the vectors of its children by a TensorSketch of
/// degree 2 with hashes of its own.
class TreeSketch final : public DegreeFeatures {
 public:
  static constexpr const char* name = "tree";

  /// @param leaves  `degree` hashes of the coordinates @param nodes  a hash of the columns for each node but the root;
  /// children before parents, left ones before right ones
  TreeSketch(Index dimension, Index degree, Index columns, SketchHashes leaves, SketchHashes nodes);
  [[nodiscard]] static std::unique_ptr<DegreeFeatures> read(Index degree, Index dimension, Index columns,
                                                            const ArrayReader& arrays, const std::string& place);

  [[nodiscard]] std::string kind() const override { return name; }
  void apply(MatrixView<const float> points, MatrixView<float> out) const override;
  void apply(MatrixView<const double> points, MatrixView<double> out) const override;
  void write(ArrayWriter& arrays, const std::string& place) const override;

 private:
  template <class T>
  class Walk;
  template <class T>
  void apply_as(MatrixView<const T> points, MatrixView<T> out) const;

  SketchHashes leaves_, nodes_;
  TransformPair transforms_;  // null: degree 1
};

}  // namespace cairn
