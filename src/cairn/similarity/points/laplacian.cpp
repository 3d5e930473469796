// exp(-gamma |x - y|_1)
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "cairn/similarity/base_distance.hpp"
#include "cairn/similarity/coincidences.hpp"
#include "cairn/similarity/points/bandwidth.hpp"
#include "cairn/similarity/points/gram_similarity.hpp"
#include "cairn/similarity/points/point_function.hpp"
#include "cairn/similarity/points/point_similarities.hpp"
#include "cairn/similarity/points/sparse_pairs.hpp"
#include "cairn/similarity/vector_math.hpp"

namespace cairn {

namespace {

template <class T>
class Laplacian final : public Similarity<T>, public PointFunction, private BaseDistance<T> {
 public:
  Laplacian(Index dimension, double gamma)
      : Similarity<T>({.name = "laplacian", .base = "manhattan"}), dimension_(dimension), gamma_(gamma) {}
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters() const override {
    return {{"gamma", fmt::format("{:.17g}", gamma_)}};
  }
  [[nodiscard]] const BaseDistance<T>* base_distance() const override { return this; }
  // Each coordinate of a frequency has a Cauchy distribution.
  [[nodiscard]] std::optional<Spectrum> spectrum() const override {
    return Spectrum{false, [gamma = gamma_](const Random& random, Index number, std::span<double> out) {
                      for (std::size_t k = 0; k < out.size(); ++k) {
                        const double uniform = random.uniform(static_cast<std::uint64_t>(number), k);
                        out[k] = gamma * std::tan(std::numbers::pi * (uniform - 0.5));
                      }
                    }};
  }
  bool from_base(T* values, Index n) const override { return vector_math::decay(static_cast<T>(gamma_), values, n); }
  [[nodiscard]] double cost(const ObjectBlock& rows) const override {
    return static_cast<double>(rows.size() * (dimension_ + 1));
  }

 protected:
  void compute_tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const override {
    compute_with([this](T* values, Index n) { return from_base(values, n); }, rows, columns, out);
  }
  void compute_base_tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const override {
    compute_with([](const T* values, Index n) { return vector_math::finite(values, n); }, rows, columns, out);
  }

  void compute_base_pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const override {
    const PointBlock<T>& x = compared_points<T>(first, dimension_);
    const PointBlock<T>& y = compared_points<T>(second, dimension_);
    if (x.sparse || y.sparse) return for_sparse_pairs(x, y, sparse_manhattan_distance<T>, out);
    for (Index a = 0; a < x.size(); ++a) {
      out[a] = vector_math::manhattan_distance(x.coordinates.row(a), y.coordinates.row(a), dimension_);
    }
  }
  void compute_pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const override {
    compute_base_pairs(first, second, out);
    from_base(out.data(), static_cast<Index>(out.size()));
  }

 private:
  // No matrix product gives these distances. Columns are processed in panels, transposed so that neighboring values of
  // a coordinate belong to neighboring columns. A panel of a few dozen coordinates stays in the L1 cache for all rows.
  // `finish` processes the distances while they are there, and returns true if all its results are finite.
  template <class Finish>
  void compute_with(const Finish& finish, const ObjectBlock& rows, const ObjectBlock& columns,
                    MatrixView<T> out) const {
    const PointBlock<T>& left = compared_points<T>(rows, dimension_);
    const PointBlock<T>& right = compared_points<T>(columns, dimension_);
    if (left.sparse || right.sparse) {
      compute_sparse(finish, left, right, out);
    } else {
      compute_dense(finish, left, right, out);
    }
    T of_itself = 0;
    finish(&of_itself, 1);
    for (const auto& [a, b] : coincidences(rows, columns)) out(a, b) = of_itself;
  }

  template <class Finish>
  void compute_sparse(const Finish& finish, const PointBlock<T>& rows, const PointBlock<T>& columns,
                      MatrixView<T> out) const {
    const AsSparse<T> x(rows), y(columns);
    for (Index a = 0; a < out.rows; ++a) {
      for (Index b = 0; b < out.columns; ++b) {
        out(a, b) = static_cast<T>(sparse_manhattan_distance(x->row(a), y->row(b)));
      }
      if (finish(out.row(a), out.columns)) continue;
      this->report_not_finite(rows.ids[a], columns.ids, out.row(a));
    }
  }

  template <class Finish>
  void compute_dense(const Finish& finish, const PointBlock<T>& rows, const PointBlock<T>& columns,
                     MatrixView<T> out) const {
    constexpr Index width = vector_math::panel_width<T>;
    const MatrixView<const T> x = rows.coordinates;
    const MatrixView<const T> y = columns.coordinates;
    Buffer<T> panel(width * dimension_);
    std::fill_n(panel.data(), panel.size(), T(0));  // the last panel may be narrower
    std::array<T, static_cast<std::size_t>(width)> values;
    for (Index begin = 0; begin < y.rows; begin += width) {
      const Index count = std::min(width, y.rows - begin);
      for (Index b = 0; b < count; ++b) {
        for (Index k = 0; k < dimension_; ++k) panel[k * width + b] = y(begin + b, k);
      }
      const auto ids = std::span(columns.ids).subspan(begin, count);
      for (Index a = 0; a < x.rows; ++a) {
        vector_math::manhattan_panel(x.row(a), panel.data(), dimension_, values.data());
        if (!finish(values.data(), count)) {
          this->report_not_finite(rows.ids[a], ids, values.data());
        }
        std::copy_n(values.data(), count, out.row(a) + begin);
      }
    }
  }

  Index dimension_;
  double gamma_;
};

}  // namespace

template <class T>
std::unique_ptr<Similarity<T>> make_laplacian(Index dimension, double gamma) {
  return std::make_unique<Laplacian<T>>(dimension, gamma);
}

template std::unique_ptr<Similarity<float>> make_laplacian<float>(Index, double);
template std::unique_ptr<Similarity<double>> make_laplacian<double>(Index, double);

namespace {

template <class T>
std::unique_ptr<Similarity<T>> laplacian_of(const SimilarityInput<T>& input) {
  return make_laplacian<T>(points_in(input).dimension(), resolved_gamma(input, PointMetric::manhattan));
}

}  // namespace

const SimilarityDescriptor& laplacian_similarity() {
  static const SimilarityDescriptor similarity{
      .name = "laplacian",
      .summary = "exp(-gamma |x - y|₁), with the sum of absolute differences of coordinates.",
      .parameters = {gamma_parameter()},
      .objects = {objects::points, objects::mesh_vertices},
      .traits = {.definite = true, .whole_rows = true, .part = true, .base = "manhattan"},
      .check = check_gamma,
      .make_single = laplacian_of<float>,
      .make_double = laplacian_of<double>};
  return similarity;
}

}  // namespace cairn
