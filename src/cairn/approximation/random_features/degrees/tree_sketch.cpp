#include "cairn/approximation/random_features/degrees/tree_sketch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "cairn/base/buffer.hpp"

namespace cairn {

TreeSketch::TreeSketch(Index dimension, Index degree, Index columns, SketchHashes leaves, SketchHashes nodes)
    : DegreeFeatures(degree, dimension, columns),
      leaves_(std::move(leaves)),
      nodes_(std::move(nodes)),
      transforms_(degree > 1 ? columns : 0) {}

// Evaluates the tree for some points at a time.
template <class T>
class TreeSketch::Walk {
 public:
  using Complex = std::complex<T>;
  static constexpr Index most = CountSketches<T>::most_points;

  explicit Walk(const TreeSketch& sketch)
      : sketch_(sketch),
        transforms_(sketch.transforms_.get<T>()),
        width_(aligned_length<T>(sketch.columns())),
        leaves_(sketch.dimension(), sketch.columns()),
        nodes_(sketch.columns(), sketch.columns()) {
    if (sketch.degree() == 1) return;
    length_ = aligned_length<Complex>(transforms_->complex_length());
    first_ = Buffer<Complex>(most * length_);
    second_ = Buffer<Complex>(length_);
    real_ = Buffer<T>(most * width_);
    for (Index leaves = sketch.degree(); leaves > 1; leaves = left_leaves(leaves)) kept_.emplace_back(most * width_);
  }

  void run(MatrixView<const T> points, MatrixView<T> out) {
    leaf_ = node_ = 0;
    leaves_.take(points);
    sketch_.degree() == 1 ? sketch_child(1, out, out) : visit(sketch_.degree(), 0, out);
  }

 private:
  // Computes the vectors of a node with several leaves: those of the left child are stored while those of the right one
  // are computed.
  void visit(Index leaves, std::size_t depth, MatrixView<T> out) {
    const MatrixView<T> left(kept_[depth].data(), out.rows, out.columns, width_);
    const Index of_left = left_leaves(leaves), of_right = leaves / 2;
    if (of_left > 1) visit(of_left, depth + 1, left);
    if (of_right > 1) visit(of_right, depth + 1, out);
    const MatrixView<T> real(real_.data(), out.rows, out.columns, width_);
    sketch_child(of_left, left, real);
    for (Index a = 0; a < out.rows; ++a) transforms_->forward(real.row(a), first_.data() + a * length_);
    sketch_child(of_right, out, real);
    const auto length = static_cast<std::size_t>(transforms_->complex_length());
    const T scale = T(1) / static_cast<T>(out.columns);
    for (Index a = 0; a < out.rows; ++a) {
      Complex* product = first_.data() + a * length_;
      transforms_->forward(real.row(a), second_.data());
      multiply(std::span(product, length), std::span<const Complex>(second_.data(), length));
      transforms_->backward(product, real.row(a));
      for (Index k = 0; k < out.columns; ++k) out(a, k) = scale * real(a, k);
    }
  }

  // A CountSketch of the points, or of a node's vectors.
  void sketch_child(Index leaves, MatrixView<T> vectors, MatrixView<T> out) {
    if (leaves == 1) return leaves_.apply(sketch_.leaves_, sketch_.dimension() * leaf_++, out);
    nodes_.take(MatrixView<const T>(vectors.data, vectors.rows, vectors.columns, vectors.stride));
    nodes_.apply(sketch_.nodes_, sketch_.columns() * node_++, out);
  }

  const TreeSketch& sketch_;
  const SketchTransforms<T>* transforms_;
  Index width_, length_ = 0;  // of rows in the buffers below
  CountSketches<T> leaves_, nodes_;
  Buffer<T> real_;
  Buffer<Complex> first_, second_;
  std::vector<Buffer<T>> kept_;  // of left children, by depth
  Index leaf_ = 0, node_ = 0;
};

template <class T>
void TreeSketch::apply_as(MatrixView<const T> points, MatrixView<T> out) const {
  Walk<T> walk(*this);
  for (Index first = 0; first < points.rows; first += Walk<T>::most) {
    const Index rows = std::min(Walk<T>::most, points.rows - first);
    walk.run({points.row(first), rows, points.columns, points.stride}, {out.row(first), rows, columns(), out.stride});
  }
}

void TreeSketch::apply(MatrixView<const float> points, MatrixView<float> out) const { apply_as(points, out); }
void TreeSketch::apply(MatrixView<const double> points, MatrixView<double> out) const { apply_as(points, out); }

void TreeSketch::write(ArrayWriter& arrays, const std::string& place) const {
  arrays.write_list(place + "places", std::span<const std::int32_t>(leaves_.places));
  arrays.write_list(place + "signs", std::span<const float>(leaves_.signs));
  if (degree() <= 2) return;
  arrays.write_list(place + "node-places", std::span<const std::int32_t>(nodes_.places));
  arrays.write_list(place + "node-signs", std::span<const float>(nodes_.signs));
}

std::unique_ptr<DegreeFeatures> TreeSketch::read(Index degree, Index dimension, Index columns,
                                                 const ArrayReader& arrays, const std::string& place) {
  SketchHashes leaves{arrays.read_list<std::int32_t>(place + "places"), arrays.read_list<float>(place + "signs")};
  SketchHashes nodes;
  if (degree > 2) {
    nodes = {arrays.read_list<std::int32_t>(place + "node-places"), arrays.read_list<float>(place + "node-signs")};
  }
  if (!are_sound(leaves, degree * dimension, columns) ||
      !are_sound(nodes, (tree_hashes(degree) - degree) * columns, columns)) {
    arrays.refuse(
        fmt::format("{} and what is beside it are not the hashes of a tree of {} leaves, {} coordinates and "
                    "{} columns",
                    arrays.called(place + "places"), degree, dimension, columns));
  }
  return std::make_unique<TreeSketch>(dimension, degree, columns, std::move(leaves), std::move(nodes));
}

}  // namespace cairn
