#include "cairn/approximation/random_features/degrees/tensor_sketch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "cairn/base/buffer.hpp"

namespace cairn {

TensorSketch::TensorSketch(Index dimension, Index degree, Index columns, SketchHashes hashes)
    : DegreeFeatures(degree, dimension, columns), hashes_(std::move(hashes)), transforms_(degree > 1 ? columns : 0) {}

bool TensorSketch::extends(const TensorSketch& before) const {
  return before.degree() < degree() && before.dimension() == dimension() && before.columns() == columns() &&
         std::equal(before.hashes_.places.begin(), before.hashes_.places.end(), hashes_.places.begin()) &&
         std::equal(before.hashes_.signs.begin(), before.hashes_.signs.end(), hashes_.signs.begin());
}

// Sketches of a chain, for some points at a time.
template <class T>
class TensorSketch::Chain {
 public:
  using Complex = std::complex<T>;

  explicit Chain(std::span<const TensorSketch* const> chain)
      : chain_(chain),
        last_(*chain.back()),
        transforms_(last_.transforms_.get<T>()),
        width_(aligned_length<T>(last_.columns())),
        length_(transforms_ == nullptr ? 0 : aligned_length<Complex>(transforms_->complex_length())),
        sketches_(last_.dimension(), last_.columns()),
        real_(CountSketches<T>::most_points * width_),
        products_(CountSketches<T>::most_points * length_),
        factor_(length_) {}

  // @param first  row of `outs` for the first point
  void run(MatrixView<const T> points, std::span<const MatrixView<T>> outs, Index first) {
    sketches_.take(points);
    std::size_t next = 0;  // in the chain
    for (Index hash = 0; hash < last_.degree(); ++hash) {
      const MatrixView<T> real(real_.data(), points.rows, last_.columns(), width_);
      sketches_.apply(last_.hashes_, hash * last_.dimension(), real);
      const bool ends = chain_[next]->degree() == hash + 1;
      for (Index a = 0; a < points.rows; ++a) {
        T* out = ends ? outs[next].row(first + a) : nullptr;
        if (ends && hash == 0) std::copy_n(real.row(a), last_.columns(), out);
        if (last_.degree() > 1) multiply_by(real.row(a), a, hash == 0, hash == 0 ? nullptr : out);
      }
      if (ends) ++next;
    }
  }

 private:
  // Multiplies the product of transforms of point a by that of this row (starts it if `begins`), and transforms it back
  // to `out` unless that is null.
  void multiply_by(T* row, Index a, bool begins, T* out) {
    const auto length = static_cast<std::size_t>(transforms_->complex_length());
    Complex* product = products_.data() + a * length_;
    transforms_->forward(row, begins ? product : factor_.data());
    if (begins) return;
    multiply(std::span(product, length), std::span<const Complex>(factor_.data(), length));
    if (out == nullptr) return;
    std::copy_n(product, length, factor_.data());
    transforms_->backward(factor_.data(), row);
    const T scale = T(1) / static_cast<T>(last_.columns());  // of the backward transform
    for (Index k = 0; k < last_.columns(); ++k) out[k] = scale * row[k];
  }

  std::span<const TensorSketch* const> chain_;
  const TensorSketch& last_;
  const SketchTransforms<T>* transforms_;
  Index width_, length_;  // of rows in the buffers below
  CountSketches<T> sketches_;
  Buffer<T> real_;
  Buffer<Complex> products_, factor_;
};

template <class T>
void TensorSketch::apply_chain(std::span<const TensorSketch* const> chain, MatrixView<const T> points,
                               std::span<const MatrixView<T>> outs) {
  Chain<T> work(chain);
  constexpr Index most = CountSketches<T>::most_points;
  for (Index first = 0; first < points.rows; first += most) {
    const Index rows = std::min(most, points.rows - first);
    work.run({points.row(first), rows, points.columns, points.stride}, outs, first);
  }
}

template void TensorSketch::apply_chain(std::span<const TensorSketch* const>, MatrixView<const float>,
                                        std::span<const MatrixView<float>>);
template void TensorSketch::apply_chain(std::span<const TensorSketch* const>, MatrixView<const double>,
                                        std::span<const MatrixView<double>>);

void TensorSketch::apply(MatrixView<const float> points, MatrixView<float> out) const {
  apply_chain<float>(std::array{this}, points, std::array{out});
}
void TensorSketch::apply(MatrixView<const double> points, MatrixView<double> out) const {
  apply_chain<double>(std::array{this}, points, std::array{out});
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
