#include "cairn/approximation/random_features/fourier_features.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cairn/linalg/dense/row_product.hpp"
#include "cairn/similarity/vector_math.hpp"

namespace cairn {

FourierFeatures::FourierFeatures(Index dimension, Buffer<double> frequencies, std::vector<double> phases)
    : dimension_(dimension),
      count_(frequencies.size() / dimension),
      frequencies_(std::move(frequencies)),
      single_(frequencies_.size()),
      phases_(std::move(phases)) {
  std::copy_n(frequencies_.data(), frequencies_.size(), single_.data());
}

template <class T>
void FourierFeatures::apply_as(MatrixView<const T> points, const T* frequencies, MatrixView<T> out) const {
  multiply<T>(points, transposed<T>({frequencies, count_, dimension_}), {out.data, out.rows, count_, out.stride});
  const double scale = std::sqrt((phases_.empty() ? 1.0 : 2.0) / static_cast<double>(count_));
  for (Index i = 0; i < out.rows; ++i) {
    T* row = out.row(i);
    if (phases_.empty()) {
      vector_math::circle(static_cast<T>(scale), row, row + count_, count_);
    } else {
      for (Index k = 0; k < count_; ++k) row[k] += static_cast<T>(phases_[k]);
      vector_math::cosine(static_cast<T>(scale), row, count_);
    }
  }
}

void FourierFeatures::apply(MatrixView<const float> points, MatrixView<float> out) const {
  apply_as(points, single_.data(), out);
}
void FourierFeatures::apply(MatrixView<const double> points, MatrixView<double> out) const {
  apply_as(points, frequencies_.data(), out);
}

void FourierFeatures::write(ArrayWriter& arrays) const {
  arrays.write_matrix("frequencies", MatrixView<const double>(frequencies_.data(), count_, dimension_));
  if (!phases_.empty()) arrays.write_list("phases", std::span<const double>(phases_));
}

std::shared_ptr<const FeatureMap> FourierFeatures::read(const ArrayReader& arrays) {
  const ArrayShape shape = arrays.shape("frequencies");
  if (shape.number != ArrayNumber::float64 || shape.rows < 1 || shape.columns < 1) {
    arrays.refuse(fmt::format("{} is no matrix of numbers", arrays.called("frequencies")));
  }
  Buffer<double> frequencies(shape.rows * shape.columns);
  arrays.read("frequencies", frequencies.data());
  std::vector<double> phases;
  if (arrays.has("phases")) phases = arrays.read_list<double>("phases");
  if (!phases.empty() && std::ssize(phases) != shape.rows) {
    arrays.refuse(
        fmt::format("{} holds {} numbers for {} frequencies", arrays.called("phases"), phases.size(), shape.rows));
  }
  const auto finite = [](double value) { return std::isfinite(value); };
  if (!std::ranges::all_of(frequencies.span(), finite) || !std::ranges::all_of(phases, finite)) {
    arrays.refuse(fmt::format("{} holds a number that is not finite", arrays.called("frequencies")));
  }
  return std::make_shared<const FourierFeatures>(shape.columns, std::move(frequencies), std::move(phases));
}

}  // namespace cairn
