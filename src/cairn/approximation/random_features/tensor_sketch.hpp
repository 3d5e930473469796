// TensorSketch. Private to this folder.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cairn/approximation/random_features/degree_features.hpp"

namespace cairn {

class TensorSketch final : public DegreeFeatures {
 public:
  static constexpr const char* name = "tensor";

  /// degree x dimension of each: hash after hash.
  struct Hashes {
    std::vector<std::int32_t> places;
    std::vector<float> signs;
  };

  TensorSketch(Index dimension, Index degree, Index columns, Hashes hashes);
  ~TensorSketch() override;
  [[nodiscard]] static std::unique_ptr<DegreeFeatures> read(Index degree, Index dimension, Index columns,
                                                            const ArrayReader& arrays, const std::string& place);

  [[nodiscard]] std::string kind() const override { return name; }
  void apply(MatrixView<const double> points, MatrixView<double> out) const override;
  void write(ArrayWriter& arrays, const std::string& place) const override;

 private:
  class Transforms;

  void count(const double* point, Index hash, double* out) const;

  Hashes hashes_;
  std::unique_ptr<Transforms> transforms_;  // null: degree 1
};

}  // namespace cairn
