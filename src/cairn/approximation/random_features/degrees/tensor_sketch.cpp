#include "cairn/approximation/random_features/degrees/tensor_sketch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "cairn/base/buffer.hpp"

namespace cairn {

TensorSketch::TensorSketch(Index dimension, Index degree, Index columns, SketchHashes hashes)
    : DegreeFeatures(degree, dimension, columns),
      hashes_(std::move(hashes)),
      transforms_(degree > 1 ? std::make_unique<SketchTransforms>(columns) : nullptr) {}

bool TensorSketch::extends(const TensorSketch& before) const {
  return before.degree() < degree() && before.dimension() == dimension() && before.columns() == columns() &&
         std::equal(before.hashes_.places.begin(), before.hashes_.places.end(), hashes_.places.begin()) &&
         std::equal(before.hashes_.signs.begin(), before.hashes_.signs.end(), hashes_.signs.begin());
}

void TensorSketch::apply_chain(std::span<const TensorSketch* const> chain, MatrixView<const double> points,
                               std::span<const MatrixView<double>> outs) {
  const TensorSketch& last = *chain.back();
  const Index dimension = last.dimension();
  const auto columns = static_cast<std::size_t>(last.columns());
  const SketchTransforms* transforms = last.transforms_.get();
  const Index length = transforms == nullptr ? 0 : transforms->complex_length();
  Buffer<double> real(last.columns());
  Buffer<SketchTransforms::Complex> product(length), factor(length);  // of the way back, too
  const auto values_of = [](auto& buffer) { return std::span(buffer.data(), static_cast<std::size_t>(buffer.size())); };
  const double scale = 1.0 / static_cast<double>(columns);  // of the way back
  for (Index a = 0; a < points.rows; ++a) {
    std::size_t next = 0;  // of the chain
    for (Index hash = 0; hash < last.degree(); ++hash) {
      count_sketch(last.hashes_, hash * dimension, {points.row(a), static_cast<std::size_t>(dimension)},
                   values_of(real));
      const bool ends = chain[next]->degree() == hash + 1;
      double* out = ends ? outs[next].row(a) : nullptr;
      if (ends) ++next;
      if (ends && hash == 0) std::copy_n(real.data(), columns, out);
      if (last.degree() == 1) break;
      transforms->forward(real.data(), hash == 0 ? product.data() : factor.data());
      if (hash == 0) continue;
      multiply(values_of(product), values_of(factor));
      if (!ends) continue;
      std::copy_n(product.data(), length, factor.data());
      transforms->backward(factor.data(), out);
      for (std::size_t k = 0; k < columns; ++k) out[k] *= scale;
    }
  }
}

void TensorSketch::apply(MatrixView<const double> points, MatrixView<double> out) const {
  const std::array chain{this};
  apply_chain(chain, points, std::array{out});
}

void TensorSketch::write(ArrayWriter& arrays, const std::string& place) const {
  arrays.write_list(place + "places", std::span<const std::int32_t>(hashes_.places));
  arrays.write_list(place + "signs", std::span<const float>(hashes_.signs));
}

std::unique_ptr<DegreeFeatures> TensorSketch::read(Index degree, Index dimension, Index columns,
                                                   const ArrayReader& arrays, const std::string& place) {
  SketchHashes hashes{arrays.read_list<std::int32_t>(place + "places"), arrays.read_list<float>(place + "signs")};
  if (!are_sound(hashes, degree * dimension, columns)) {
    arrays.refuse(fmt::format("{} and the signs beside it are not {} hashes of {} coordinates to {} columns",
                              arrays.called(place + "places"), degree, dimension, columns));
  }
  return std::make_unique<TensorSketch>(dimension, degree, columns, std::move(hashes));
}

}  // namespace cairn
