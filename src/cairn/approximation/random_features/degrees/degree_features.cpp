#include "cairn/approximation/random_features/degrees/degree_features.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cairn/approximation/random_features/degrees/complex_sketch.hpp"
#include "cairn/approximation/random_features/degrees/tensor_sketch.hpp"
#include "cairn/approximation/random_features/degrees/tree_sketch.hpp"
#include "cairn/linalg/dense/local_blas.hpp"
#include "cairn/linalg/library_limits.hpp"

namespace cairn {

namespace {

class Monomials final : public DegreeFeatures {
 public:
  static constexpr const char* name = "monomials";

  Monomials(Index dimension, Index degree, std::vector<std::int32_t> factors)
      : DegreeFeatures(degree, dimension, std::ssize(factors) / degree), factors_(std::move(factors)) {
    const auto size = static_cast<std::size_t>(degree);
    for (std::size_t first = 0; first < factors_.size(); first += size) {
      weights_.push_back(std::sqrt(count_orders(std::span(factors_).subspan(first, size))));
    }
  }
  [[nodiscard]] std::string kind() const override { return name; }
  void write(ArrayWriter& arrays, const std::string& place) const override {
    arrays.write_list(place + "factors", std::span<const std::int32_t>(factors_));
  }

  void apply(MatrixView<const float> points, MatrixView<float> out) const override { apply_as(points, out); }
  void apply(MatrixView<const double> points, MatrixView<double> out) const override { apply_as(points, out); }

 private:
  template <class T>
  void apply_as(MatrixView<const T> points, MatrixView<T> out) const {
    const auto degree = static_cast<std::size_t>(this->degree());
    for (Index a = 0; a < points.rows; ++a) {
      const T* point = points.row(a);
      T* row = out.row(a);
      const std::int32_t* factor = factors_.data();
      for (std::size_t c = 0; c < weights_.size(); ++c) {
        T product = static_cast<T>(weights_[c]);
        for (std::size_t k = 0; k < degree; ++k) product *= point[*factor++];
        row[c] = product;
      }
    }
  }

  std::vector<std::int32_t> factors_;  // coordinates, `degree` a monomial
  std::vector<double> weights_;
};

class Projection final : public DegreeFeatures {
 public:
  static constexpr const char* name = "projection";

  Projection(Index dimension, Buffer<double> basis)
      : DegreeFeatures(1, dimension, basis.size() / dimension), basis_(std::move(basis)), single_(basis_.size()) {
    std::copy_n(basis_.data(), basis_.size(), single_.data());
  }
  [[nodiscard]] std::string kind() const override { return name; }
  void write(ArrayWriter& arrays, const std::string& place) const override {
    arrays.write_matrix(place + "basis", MatrixView<const double>(basis_.data(), dimension(), columns()));
  }
  void apply(MatrixView<const float> points, MatrixView<float> out) const override {
    multiply(points, single_.data(), out);
  }
  void apply(MatrixView<const double> points, MatrixView<double> out) const override {
    multiply(points, basis_.data(), out);
  }

 private:
  template <class T>
  void multiply(MatrixView<const T> points, const T* basis, MatrixView<T> out) const {
    const auto size = [](Index value) { return to_library_int(value, "rows or coordinates of points"); };
    blas::gemm('N', 'N', size(columns()), size(points.rows), size(dimension()), T(1), basis, size(columns()),
               points.data, size(points.stride), T(0), out.data, size(out.stride));
  }

  Buffer<double> basis_;
  Buffer<float> single_;  // of basis_
};

}  // namespace

Index count_monomials(Index dimension, Index degree) {
  Index count = 1;
  for (Index k = 1; k <= degree; ++k) {
    count = count * (dimension + k - 1) / k;  // C(dimension + k - 1, k): an integer
    if (count > most_monomials) return most_monomials + 1;
  }
  return count;
}

double count_orders(std::span<const std::int32_t> factors) {
  double orders = 1;  // degree! / (repeats of each factor)!
  for (std::size_t k = 0, same = 0; k < factors.size(); ++k) {
    same = k > 0 && factors[k] == factors[k - 1] ? same + 1 : 1;
    orders *= static_cast<double>(k + 1) / static_cast<double>(same);
  }
  return orders;
}

std::unique_ptr<DegreeFeatures> make_monomials(Index dimension, Index degree) {
  const auto size = static_cast<std::size_t>(degree);
  std::vector<std::int32_t> factors, own(size, 0);
  for (bool more = dimension > 0; more;) {
    factors.insert(factors.end(), own.begin(), own.end());
    std::size_t at = size;  // the last factor that can grow
    while (at > 0 && own[at - 1] == dimension - 1) --at;
    more = at > 0;
    if (more) std::fill(own.begin() + static_cast<std::ptrdiff_t>(at - 1), own.end(), own[at - 1] + 1);
  }
  return std::make_unique<Monomials>(dimension, degree, std::move(factors));
}

std::unique_ptr<DegreeFeatures> make_monomials(Index dimension, Index degree, std::vector<std::int32_t> factors) {
  return std::make_unique<Monomials>(dimension, degree, std::move(factors));
}

std::unique_ptr<DegreeFeatures> make_projection(Index dimension, Buffer<double> basis) {
  return std::make_unique<Projection>(dimension, std::move(basis));
}

std::unique_ptr<DegreeFeatures> draw_tensor_sketch(Index dimension, Index degree, Index columns, const Random& random,
                                                   Index first) {
  SketchHashes hashes;
  for (Index k = 0; k < degree; ++k) {
    draw_hash(hashes, dimension, columns, random, static_cast<std::uint64_t>(first + k));
  }
  return std::make_unique<TensorSketch>(dimension, degree, columns, std::move(hashes));
}

std::unique_ptr<DegreeFeatures> draw_tree_sketch(Index dimension, Index degree, Index columns, const Random& random,
                                                 Index first) {
  SketchHashes leaves, nodes;
  for (Index k = 0; k < tree_hashes(degree); ++k) {
    const auto hash = static_cast<std::uint64_t>(first + k);
    k < degree ? draw_hash(leaves, dimension, columns, random, hash) : draw_hash(nodes, columns, columns, random, hash);
  }
  return std::make_unique<TreeSketch>(dimension, degree, columns, std::move(leaves), std::move(nodes));
}

bool is_smooth(Index length) {
  for (const Index prime : {2, 3, 5, 7}) {
    while (length % prime == 0) length /= prime;
  }
  return length == 1;
}

std::unique_ptr<DegreeFeatures> read_degree_features(const std::string& kind, Index degree, Index dimension,
                                                     Index columns, const ArrayReader& arrays,
                                                     const std::string& place) {
  if (kind == Monomials::name) {
    std::vector<std::int32_t> factors = arrays.read_list<std::int32_t>(place + "factors");
    const auto in_range = [&](std::int32_t factor) { return factor >= 0 && factor < dimension; };
    if (std::ssize(factors) != degree * columns || !std::ranges::all_of(factors, in_range)) {
      arrays.refuse(fmt::format("{} does not hold {} products of {} of {} coordinates",
                                arrays.called(place + "factors"), columns, degree, dimension));
    }
    return make_monomials(dimension, degree, std::move(factors));
  }
  if (kind == Projection::name && degree == 1) {
    const ArrayShape expected{ArrayNumber::float64, dimension, columns};
    if (arrays.shape(place + "basis") != expected) {
      arrays.refuse(fmt::format("{} is not {} x {}", arrays.called(place + "basis"), dimension, columns));
    }
    Buffer<double> basis(dimension * columns);
    arrays.read(place + "basis", basis.data());
    return make_projection(dimension, std::move(basis));
  }
  if (kind == TreeSketch::name) return TreeSketch::read(degree, dimension, columns, arrays, place);
  if (kind == ComplexSketch::name) return ComplexSketch::read(degree, dimension, columns, arrays, place);
  if (kind != TensorSketch::name) {
    arrays.refuse(fmt::format("{} says that {} columns of degree {} are of the kind '{}'", arrays.called(""), columns,
                              degree, kind));
  }
  return TensorSketch::read(degree, dimension, columns, arrays, place);
}

}  // namespace cairn
