#include "cairn/approximation/random_features/degrees/tree_sketch.hpp"

#include <fmt/format.h>

#include <span>
#include <utility>
#include <vector>

#include "cairn/base/buffer.hpp"

namespace cairn {

TreeSketch::TreeSketch(Index dimension, Index degree, Index columns, SketchHashes leaves, SketchHashes nodes)
    : DegreeFeatures(degree, dimension, columns),
      leaves_(std::move(leaves)),
      nodes_(std::move(nodes)),
      transforms_(degree > 1 ? std::make_unique<SketchTransforms>(columns) : nullptr) {}

// Through the tree for one point after another.
class TreeSketch::Walk {
 public:
  explicit Walk(const TreeSketch& sketch) : sketch_(sketch), real_(sketch.columns()) {
    if (sketch.degree() == 1) return;
    const Index length = sketch.transforms_->complex_length();
    first_ = Buffer<SketchTransforms::Complex>(length);
    second_ = Buffer<SketchTransforms::Complex>(length);
    for (Index leaves = sketch.degree(); leaves > 1; leaves = left_leaves(leaves)) kept_.emplace_back(sketch.columns());
  }

  void run(std::span<const double> point, std::span<double> out) {
    leaf_ = node_ = 0;
    visit(sketch_.degree(), 0, point, out);
  }

 private:
  // Both children leave their vectors in `out`, one after the other; the first is kept while the second is made.
  void visit(Index leaves, std::size_t depth, std::span<const double> point, std::span<double> out) {
    if (leaves == 1) return count_sketch(sketch_.leaves_, sketch_.dimension() * leaf_++, point, out);
    const std::span<double> left(kept_[depth].data(), out.size());
    visit(left_leaves(leaves), depth + 1, point, left);
    visit(leaves / 2, depth + 1, point, out);
    const SketchTransforms& transforms = *sketch_.transforms_;
    const std::span<double> real(real_.data(), out.size());
    const Index hash = 2 * sketch_.columns() * node_++;
    count_sketch(sketch_.nodes_, hash, left, real);
    transforms.forward(real.data(), first_.data());
    count_sketch(sketch_.nodes_, hash + sketch_.columns(), out, real);
    transforms.forward(real.data(), second_.data());
    const auto length = static_cast<std::size_t>(first_.size());
    multiply({first_.data(), length}, {second_.data(), length});
    transforms.backward(first_.data(), out.data());
    for (double& value : out) value /= static_cast<double>(out.size());
  }

  const TreeSketch& sketch_;
  Buffer<double> real_;
  Buffer<SketchTransforms::Complex> first_, second_;
  std::vector<Buffer<double>> kept_;  // of left children, by depth
  Index leaf_ = 0, node_ = 0;
};

void TreeSketch::apply(MatrixView<const double> points, MatrixView<double> out) const {
  Walk walk(*this);
  for (Index a = 0; a < points.rows; ++a) {
    walk.run({points.row(a), static_cast<std::size_t>(dimension())}, {out.row(a), static_cast<std::size_t>(columns())});
  }
}

void TreeSketch::write(ArrayWriter& arrays, const std::string& place) const {
  arrays.write_list(place + "places", std::span<const std::int32_t>(leaves_.places));
  arrays.write_list(place + "signs", std::span<const float>(leaves_.signs));
  if (degree() == 1) return;
  arrays.write_list(place + "node-places", std::span<const std::int32_t>(nodes_.places));
  arrays.write_list(place + "node-signs", std::span<const float>(nodes_.signs));
}

std::unique_ptr<DegreeFeatures> TreeSketch::read(Index degree, Index dimension, Index columns,
                                                 const ArrayReader& arrays, const std::string& place) {
  SketchHashes leaves{arrays.read_list<std::int32_t>(place + "places"), arrays.read_list<float>(place + "signs")};
  SketchHashes nodes;
  if (degree > 1) {
    nodes = {arrays.read_list<std::int32_t>(place + "node-places"), arrays.read_list<float>(place + "node-signs")};
  }
  if (!are_sound(leaves, degree * dimension, columns) || !are_sound(nodes, 2 * (degree - 1) * columns, columns)) {
    arrays.refuse(
        fmt::format("{} and what is beside it are not the hashes of a tree of {} leaves, {} coordinates and "
                    "{} columns",
                    arrays.called(place + "places"), degree, dimension, columns));
  }
  return std::make_unique<TreeSketch>(dimension, degree, columns, std::move(leaves), std::move(nodes));
}

}  // namespace cairn
