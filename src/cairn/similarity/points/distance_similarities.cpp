// Functions of the Euclidean distance: rbf, matern, euclidean.
//
// A tile takes |x - y|^2 = |x|^2 + |y|^2 - 2 x.y from one matrix product. Its rounding error is a few units of |x|^2 +
// |y|^2 however small the distance is: all digits are lost for neighbors far from the origin. Entries with a noticeable
// error are recomputed from the differences of coordinates, so that tiles agree with pairs, and with each other, to
// `promised` relative to the largest value of the function (derivation at Cancellation).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "cairn/data/trees/tree_set.hpp"
#include "cairn/similarity/base_distance.hpp"
#include "cairn/similarity/coincidences.hpp"
#include "cairn/similarity/points/bandwidth.hpp"
#include "cairn/similarity/points/gram_similarity.hpp"
#include "cairn/similarity/points/point_function.hpp"
#include "cairn/similarity/points/point_similarities.hpp"
#include "cairn/similarity/points/sparse_pairs.hpp"
#include "cairn/similarity/points/taylor_series.hpp"
#include "cairn/similarity/vector_math.hpp"

namespace cairn {

namespace {

// Let S = |x|^2 + |y|^2 and c eps S the error of d^2, c = 4. Where d^2 >= f S it changes
//   exp(-gamma d^2) by at most c eps / (e f) for any gamma, which is `promised`; where gamma S < promised / (c eps) it
//     is less than `promised` for all d^2;
//   exp(-d / l), the steepest Matern function, by at most c eps / (2 e f);
//   d by c eps / (2 f) of itself, 1.4 times `promised`.
template <class T>
struct Cancellation {
  static constexpr double promised = std::is_same_v<T, double> ? 1e-13 : 1e-5;
  static constexpr double error = 4 * std::numeric_limits<T>::epsilon() / 2;
  static constexpr T fraction = static_cast<T>(error / (2.718 * promised));       // f
  static constexpr T harmless_exponent = static_cast<T>(promised / (2 * error));  // of gamma S
};

// Similarity that is a function of the squared distance. Tiles of the squared distance are computed like its own.
template <class T>
class DistanceSimilarity : public GramSimilarity<T>, public PointFunction, private BaseDistance<T> {
 public:
  [[nodiscard]] const BaseDistance<T>* base_distance() const final { return this; }
  // Applies the element function to squared distances, in pieces with norms of 0.
  bool from_base(T* squares, Index n) const final {
    constexpr Index piece = 256;
    static constexpr std::array<T, piece> zeros{};
    bool finite = true;
    for (Index b = 0; b < n; b += piece) {
      finite = apply(T(0), zeros.data(), squares + b, std::min(piece, n - b)) && finite;
    }
    return finite;
  }

 protected:
  DistanceSimilarity(std::string name, Index dimension, Meaning meaning = Meaning::similarity)
      : GramSimilarity<T>({.name = std::move(name), .meaning = meaning, .base = "squared-euclidean"}, dimension,
                          T(-2)) {}

  // Element function on values that are -2 x.y (see vector_math.hpp).
  virtual bool apply(T row_norm, const T* column_norms, T* values, Index n) const = 0;
  // True if the error of squared distances is noticeable for |x|^2 + |y|^2 up to `scale`.
  [[nodiscard]] virtual bool shows_cancellation(T scale) const = 0;

  bool finish_row(const GramRow<T>& row, T* values) const final {
    const Index n = row.count;
    constexpr T fraction = Cancellation<T>::fraction;
    const auto element = [&] {
      return row.base ? vector_math::squared(row.norm, row.column_norms, values, n)
                      : apply(row.norm, row.column_norms, values, n);
    };
    if (!(row.base || shows_cancellation(row.norm + row.largest_norm)) ||
        vector_math::count_cancelled(row.norm, row.column_norms, values, fraction, n) == 0) {
      return element();
    }
    std::vector<Index> cancelled;
    std::vector<T> squares;
    for (Index b = 0; b < n; ++b) {
      const T scale = row.norm + row.column_norms[b];
      if (scale + values[b] < fraction * scale) {
        cancelled.push_back(b);
        squares.push_back(row.squared_distance(b));
      }
    }
    const bool finite = element();
    const auto again = static_cast<Index>(squares.size());
    const bool finite_again = row.base ? vector_math::finite(squares.data(), again) : from_base(squares.data(), again);
    for (std::size_t c = 0; c < cancelled.size(); ++c) values[cancelled[c]] = squares[c];
    return finite && finite_again;
  }

  void finish_diagonal(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out, bool base) const final {
    T value_at_zero = 0;
    if (!base) from_base(&value_at_zero, 1);
    for (const auto& [a, b] : coincidences(rows, columns)) out(a, b) = value_at_zero;
  }

  void compute_base_tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const final {
    this->compute(rows, columns, out, true);
  }

  void compute_base_pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const final {
    const Index d = this->dimension();
    const PointBlock<T>& x = compared_points<T>(first, d);
    const PointBlock<T>& y = compared_points<T>(second, d);
    if (x.sparse || y.sparse) return for_sparse_pairs(x, y, sparse_squared_distance<T>, out);
    for (Index a = 0; a < x.size(); ++a) {
      out[a] = vector_math::squared_distance(x.coordinates.row(a), y.coordinates.row(a), d);
    }
  }
  void compute_pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const final {
    compute_base_pairs(first, second, out);
    from_base(out.data(), static_cast<Index>(out.size()));
  }
};

using Parameters = std::vector<std::pair<std::string, std::string>>;

void draw_normal(const Random& random, Index number, double scale, std::span<double> out) {
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = scale * random.normal(static_cast<std::uint64_t>(number), k);
}

template <class T>
class Rbf final : public DistanceSimilarity<T> {
 public:
  Rbf(Index dimension, double gamma) : DistanceSimilarity<T>("rbf", dimension), gamma_(gamma) {}
  [[nodiscard]] Parameters parameters() const override { return {{"gamma", fmt::format("{:.17g}", gamma_)}}; }
  [[nodiscard]] std::optional<ProductFunction> of_products() const override {
    return ProductFunction{
        .value = [gamma = gamma_](double product) { return std::exp(2 * gamma * product); },
        .gamma = gamma_,
        .taylor = [gamma = gamma_](Index degree) { return taylor::exponential(2 * gamma, 0, degree); }};
  }
  [[nodiscard]] std::optional<Spectrum> spectrum() const override {
    return Spectrum{true, [scale = std::sqrt(2 * gamma_)](const Random& random, Index number, std::span<double> out) {
                      draw_normal(random, number, scale, out);
                    }};
  }

 protected:
  bool apply(T row_norm, const T* column_norms, T* values, Index n) const override {
    return vector_math::rbf(row_norm, column_norms, static_cast<T>(gamma_), values, n);
  }
  [[nodiscard]] bool shows_cancellation(T scale) const override {
    return static_cast<T>(gamma_) * scale > Cancellation<T>::harmless_exponent;
  }

 private:
  double gamma_;
};

template <class T>
class Matern final : public DistanceSimilarity<T> {
 public:
  Matern(Index dimension, double nu, double length_scale)
      : DistanceSimilarity<T>("matern", dimension),
        nu_(nu),
        length_scale_(length_scale),
        scale_(static_cast<T>(std::sqrt(2 * nu) / length_scale)) {}
  [[nodiscard]] Parameters parameters() const override {
    return {{"nu", fmt::format("{:.17g}", nu_)}, {"length-scale", fmt::format("{:.17g}", length_scale_)}};
  }
  // A multivariate t of 2 nu degrees of freedom (Rasmussen and Williams 2006, equation 4.15).
  [[nodiscard]] std::optional<Spectrum> spectrum() const override {
    const auto freedom = static_cast<std::size_t>(std::lround(2 * nu_));
    return Spectrum{true, [length = length_scale_, freedom](const Random& random, Index number, std::span<double> out) {
                      double squares = 0;
                      for (std::size_t k = 0; k < freedom; ++k) {
                        const double normal = random.normal(static_cast<std::uint64_t>(number), out.size() + k);
                        squares += normal * normal;
                      }
                      draw_normal(random, number, std::sqrt(static_cast<double>(freedom) / squares) / length, out);
                    }};
  }

 protected:
  bool apply(T row_norm, const T* column_norms, T* values, Index n) const override {
    if (nu_ == 0.5) return vector_math::matern_1_2(row_norm, column_norms, scale_, values, n);
    if (nu_ == 1.5) return vector_math::matern_3_2(row_norm, column_norms, scale_, values, n);
    return vector_math::matern_5_2(row_norm, column_norms, scale_, values, n);
  }
  [[nodiscard]] bool shows_cancellation(T /*scale*/) const override { return true; }

 private:
  double nu_;
  double length_scale_;
  T scale_;
};

template <class T>
class Euclidean final : public DistanceSimilarity<T> {
 public:
  explicit Euclidean(Index dimension) : DistanceSimilarity<T>("euclidean", dimension, Meaning::distance) {}
  [[nodiscard]] Parameters parameters() const override { return {}; }

 protected:
  bool apply(T row_norm, const T* column_norms, T* values, Index n) const override {
    return vector_math::distance(row_norm, column_norms, values, n);
  }
  [[nodiscard]] bool shows_cancellation(T /*scale*/) const override { return true; }
};

}  // namespace

template <class T>
std::unique_ptr<Similarity<T>> make_rbf(Index dimension, double gamma) {
  return std::make_unique<Rbf<T>>(dimension, gamma);
}

template <class T>
std::unique_ptr<Similarity<T>> make_matern(Index dimension, double nu, double length_scale) {
  return std::make_unique<Matern<T>>(dimension, nu, length_scale);
}

template <class T>
std::unique_ptr<Similarity<T>> make_euclidean(Index dimension) {
  return std::make_unique<Euclidean<T>>(dimension);
}

template std::unique_ptr<Similarity<float>> make_rbf<float>(Index, double);
template std::unique_ptr<Similarity<double>> make_rbf<double>(Index, double);
template std::unique_ptr<Similarity<float>> make_matern<float>(Index, double, double);
template std::unique_ptr<Similarity<double>> make_matern<double>(Index, double, double);
template std::unique_ptr<Similarity<float>> make_euclidean<float>(Index);
template std::unique_ptr<Similarity<double>> make_euclidean<double>(Index);

namespace {

template <class T>
std::unique_ptr<Similarity<T>> rbf_of(const SimilarityInput<T>& input) {
  return make_rbf<T>(points_in(input).dimension(), resolved_gamma(input, PointMetric::squared_euclidean));
}

template <class T>
std::unique_ptr<Similarity<T>> matern_of(const SimilarityInput<T>& input) {
  const Values& values = input.choice.values;
  return make_matern<T>(points_in(input).dimension(), values.number("nu"), values.number("length-scale"));
}

template <class T>
std::unique_ptr<Similarity<T>> euclidean_of(const SimilarityInput<T>& input) {
  return make_euclidean<T>(points_in(input).dimension());
}

}  // namespace

const SimilarityDescriptor& rbf_similarity() {
  static const SimilarityDescriptor similarity{
      .name = "rbf",
      .summary = "exp(-gamma |x - y|²), the Gaussian kernel of points.",
      .parameters = {gamma_parameter()},
      .objects = {objects::points, objects::mesh_vertices, objects::pairs, objects::trees},
      .traits = {.definite = true, .whole_rows = true, .part = true, .base = "squared-euclidean"},
      .check = check_gamma,
      .make_single = rbf_of<float>,
      .make_double = rbf_of<double>};
  return similarity;
}

const SimilarityDescriptor& matern_similarity() {
  static const SimilarityDescriptor similarity{
      .name = "matern",
      .summary = "The Matérn kernel of points, of smoothness 1/2, 3/2 or 5/2.",
      .parameters = {{.name = "nu",
                      .value = "NUMBER",
                      .type = ValueType::choice,
                      .fallback = "1.5",
                      .help = "The smoothness.",
                      .choices = {"0.5", "1.5", "2.5"}},
                     {.name = "length-scale",
                      .value = "NUMBER",
                      .type = ValueType::number,
                      .fallback = "1",
                      .help = "The length, in units of the scaled data, above 0.",
                      .above = 0}},
      .objects = {objects::points, objects::mesh_vertices},
      .traits = {.definite = true, .whole_rows = true, .part = true, .base = "squared-euclidean"},
      .make_single = matern_of<float>,
      .make_double = matern_of<double>};
  return similarity;
}

const SimilarityDescriptor& euclidean_similarity() {
  static const SimilarityDescriptor similarity{
      .name = "euclidean",
      .summary = "|x - y|, the distance of points.",
      .objects = {objects::points, objects::mesh_vertices},
      .traits = {.distance = true,
                 .negative_type = true,
                 .whole_rows = true,
                 .part = true,
                 .base = "squared-euclidean"},
      .make_single = euclidean_of<float>,
      .make_double = euclidean_of<double>};
  return similarity;
}

}  // namespace cairn
