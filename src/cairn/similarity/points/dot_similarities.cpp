// Functions of the dot product: linear, polynomial, sigmoid, cosine.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "cairn/base/error.hpp"
#include "cairn/data/trees/tree_set.hpp"
#include "cairn/similarity/points/bandwidth.hpp"
#include "cairn/similarity/points/dot_similarity.hpp"
#include "cairn/similarity/points/point_similarities.hpp"
#include "cairn/similarity/points/taylor_series.hpp"
#include "cairn/similarity/vector_math.hpp"

namespace cairn {

namespace {

using Parameters = std::vector<std::pair<std::string, std::string>>;

constexpr const char* zero_vector = "zero-vector";
constexpr const char* zero_text = "0";

template <class T>
class Linear final : public DotSimilarity<T> {
 public:
  explicit Linear(Index dimension) : DotSimilarity<T>("linear", dimension) {}
  [[nodiscard]] Parameters parameters() const override { return {}; }
  [[nodiscard]] std::optional<ProductFunction> of_products() const override {
    return ProductFunction{.value = [](double product) { return product; },
                           .taylor = [](Index degree) { return taylor::power(1, 1, 0, degree); }};
  }

 protected:
  bool apply(T /*row_norm*/, const T* /*column_norms*/, T* values, Index n) const override {
    return vector_math::finite(values, n);
  }
};

template <class T>
class Polynomial final : public DotSimilarity<T> {
 public:
  Polynomial(Index dimension, double gamma, double coef0, double degree)
      : DotSimilarity<T>("polynomial", dimension), gamma_(gamma), coef0_(coef0), degree_(degree) {}
  [[nodiscard]] Parameters parameters() const override {
    return {{"gamma", fmt::format("{:.17g}", gamma_)},
            {"coef0", fmt::format("{:.17g}", coef0_)},
            {"degree", fmt::format("{:.17g}", degree_)}};
  }
  [[nodiscard]] std::optional<ProductFunction> of_products() const override {
    return ProductFunction{.value = [gamma = gamma_, coef0 = coef0_, degree = degree_](
                                        double product) { return std::pow(gamma * product + coef0, degree); },
                           .taylor = [gamma = gamma_, coef0 = coef0_, exponent = degree_](
                                         Index degree) { return taylor::power(exponent, gamma, coef0, degree); }};
  }

 protected:
  bool apply(T /*row_norm*/, const T* /*column_norms*/, T* values, Index n) const override {
    return vector_math::polynomial(static_cast<T>(gamma_), static_cast<T>(coef0_), static_cast<T>(degree_), values, n);
  }

 private:
  double gamma_;
  double coef0_;
  double degree_;
};

template <class T>
class Sigmoid final : public DotSimilarity<T> {
 public:
  Sigmoid(Index dimension, double gamma, double coef0)
      : DotSimilarity<T>("sigmoid", dimension), gamma_(gamma), coef0_(coef0) {}
  [[nodiscard]] Parameters parameters() const override {
    return {{"gamma", fmt::format("{:.17g}", gamma_)}, {"coef0", fmt::format("{:.17g}", coef0_)}};
  }
  [[nodiscard]] std::optional<ProductFunction> of_products() const override {
    return ProductFunction{
        .value = [gamma = gamma_, coef0 = coef0_](double product) { return std::tanh(gamma * product + coef0); },
        .taylor = [gamma = gamma_, coef0 = coef0_](Index degree) { return taylor::tanh(gamma, coef0, degree); }};
  }

 protected:
  bool apply(T /*row_norm*/, const T* /*column_norms*/, T* values, Index n) const override {
    return vector_math::sigmoid(static_cast<T>(gamma_), static_cast<T>(coef0_), values, n);
  }

 private:
  double gamma_;
  double coef0_;
};

template <class T>
class Cosine final : public DotSimilarity<T> {
 public:
  Cosine(Index dimension, bool zero_is_zero)
      : DotSimilarity<T>("cosine", dimension), of_zero_(zero_is_zero ? T(0) : std::numeric_limits<T>::quiet_NaN()) {}
  [[nodiscard]] Parameters parameters() const override {
    return std::isnan(of_zero_) ? Parameters() : Parameters{{zero_vector, zero_text}};
  }
  [[nodiscard]] std::optional<ProductFunction> of_products() const override {
    return ProductFunction{.value = [](double product) { return product; },
                           .unit_length = true,
                           .zero_stays = !std::isnan(of_zero_),
                           .taylor = [](Index degree) { return taylor::power(1, 1, 0, degree); }};
  }

 protected:
  // 1 / |x|; NaN, and thus an error, if the squares of a point do not fit the range of T with all their digits.
  void from_squares(const PointBlock<T>& points, T* squares) const override {
    for (Index i = 0; i < points.size(); ++i) {
      squares[i] = fits(squares[i])     ? T(1) / std::sqrt(squares[i])
                   : is_zero(points, i) ? of_zero_
                                        : std::numeric_limits<T>::quiet_NaN();
    }
  }
  bool apply(T row_norm, const T* column_norms, T* values, Index n) const override {
    return vector_math::scale(row_norm, column_norms, values, n);
  }
  void require_defined(const PointBlock<T>& points, Index row) const override {
    const T square = this->square_of(points, row);
    if (std::isnan(square) || fits(square)) return;
    const Index id = points.ids[row];
    if (!is_zero(points, row)) {
      throw Error(ErrorKind::input,
                  fmt::format("the squares of point {} (counted from 0) are beyond the range of {} precision: its "
                              "cosine cannot be computed; scale the points",
                              id, std::is_same_v<T, float> ? "single" : "double"));
    }
    throw Error(ErrorKind::input, fmt::format("point {} (counted from 0) is the zero vector: its cosine is undefined; "
                                              "leave it out, or give {} = {}",
                                              id, this->keys()(zero_vector), zero_text));
  }

 private:
  static constexpr T least_square = std::numeric_limits<T>::min() / std::numeric_limits<T>::epsilon();

  [[nodiscard]] static bool fits(T square) { return least_square < square && std::isfinite(square); }
  [[nodiscard]] bool is_zero(const PointBlock<T>& points, Index row) const {
    const auto zero = [](T value) { return value == T(0); };
    if (points.sparse) return std::ranges::all_of(points.sparse->row(row).values, zero);
    const T* const point = points.coordinates.row(row);
    return std::all_of(point, point + this->dimension(), zero);
  }

  T of_zero_;  // 1 / |x| of the zero vector
};

}  // namespace

template <class T>
std::unique_ptr<Similarity<T>> make_linear(Index dimension) {
  return std::make_unique<Linear<T>>(dimension);
}

template <class T>
std::unique_ptr<Similarity<T>> make_polynomial(Index dimension, double gamma, double coef0, double degree) {
  return std::make_unique<Polynomial<T>>(dimension, gamma, coef0, degree);
}

template <class T>
std::unique_ptr<Similarity<T>> make_sigmoid(Index dimension, double gamma, double coef0) {
  return std::make_unique<Sigmoid<T>>(dimension, gamma, coef0);
}

template <class T>
std::unique_ptr<Similarity<T>> make_cosine(Index dimension, bool zero_is_zero) {
  return std::make_unique<Cosine<T>>(dimension, zero_is_zero);
}

template std::unique_ptr<Similarity<float>> make_linear<float>(Index);
template std::unique_ptr<Similarity<double>> make_linear<double>(Index);
template std::unique_ptr<Similarity<float>> make_polynomial<float>(Index, double, double, double);
template std::unique_ptr<Similarity<double>> make_polynomial<double>(Index, double, double, double);
template std::unique_ptr<Similarity<float>> make_sigmoid<float>(Index, double, double);
template std::unique_ptr<Similarity<double>> make_sigmoid<double>(Index, double, double);
template std::unique_ptr<Similarity<float>> make_cosine<float>(Index, bool);
template std::unique_ptr<Similarity<double>> make_cosine<double>(Index, bool);

namespace {

template <class T>
std::unique_ptr<Similarity<T>> linear_of(const SimilarityInput<T>& input) {
  return make_linear<T>(points_in(input).dimension());
}

template <class T>
std::unique_ptr<Similarity<T>> cosine_of(const SimilarityInput<T>& input) {
  return make_cosine<T>(points_in(input).dimension(), input.choice.values.text(zero_vector) == zero_text);
}

template <class T>
std::unique_ptr<Similarity<T>> polynomial_of(const SimilarityInput<T>& input) {
  const Values& values = input.choice.values;
  const double gamma = resolved_gamma(input, PointMetric::squared_euclidean);
  return make_polynomial<T>(points_in(input).dimension(), gamma, values.number("coef0"), values.number("degree"));
}

template <class T>
std::unique_ptr<Similarity<T>> sigmoid_of(const SimilarityInput<T>& input) {
  const double gamma = resolved_gamma(input, PointMetric::squared_euclidean);
  return make_sigmoid<T>(points_in(input).dimension(), gamma, input.choice.values.number("coef0"));
}

Parameter coef0_parameter() {
  return {.name = "coef0",
          .value = "NUMBER",
          .type = ValueType::number,
          .fallback = "1",
          .help = "The constant that is added."};
}

const SimilarityTraits of_coordinates = {.whole_rows = true, .part = true};
const SimilarityTraits inner_products = {.semidefinite = true, .whole_rows = true, .part = true};

}  // namespace

const SimilarityDescriptor& linear_similarity() {
  static const SimilarityDescriptor similarity{
      .name = "linear",
      .summary = "x·y, the inner product of points.",
      .objects = {objects::points, objects::mesh_vertices, objects::pairs, objects::trees},
      .traits = inner_products,
      .make_single = linear_of<float>,
      .make_double = linear_of<double>};
  return similarity;
}

const SimilarityDescriptor& cosine_similarity() {
  static const SimilarityDescriptor similarity{
      .name = "cosine",
      .summary = "x·y / (|x| |y|), the cosine of the angle between points.",
      .parameters = {{.name = zero_vector,
                      .value = "WHAT",
                      .type = ValueType::choice,
                      .fallback = "refuse",
                      .help = "The cosine of a point whose coordinates are all "
                              "0 with any point: an error, or 0.",
                      .choices = {"refuse", zero_text}}},
      .objects = {objects::points, objects::mesh_vertices, objects::pairs, objects::trees},
      .traits = inner_products,
      .make_single = cosine_of<float>,
      .make_double = cosine_of<double>};
  return similarity;
}

const SimilarityDescriptor& polynomial_similarity() {
  static const SimilarityDescriptor similarity{
      .name = "polynomial",
      .summary = "(gamma x·y + coef0)^degree.",
      .parameters = {gamma_parameter(),
                     {.name = "degree",
                      .value = "NUMBER",
                      .type = ValueType::number,
                      .fallback = "3",
                      .help = "The exponent, at least 0.",
                      .lowest = 0},
                     coef0_parameter()},
      .objects = {objects::points, objects::mesh_vertices, objects::pairs, objects::trees},
      .traits = of_coordinates,
      .check = check_gamma,
      .make_single = polynomial_of<float>,
      .make_double = polynomial_of<double>};
  return similarity;
}

const SimilarityDescriptor& sigmoid_similarity() {
  static const SimilarityDescriptor similarity{.name = "sigmoid",
                                               .summary = "tanh(gamma x·y + coef0), which is indefinite.",
                                               .parameters = {gamma_parameter(), coef0_parameter()},
                                               .objects = {objects::points, objects::mesh_vertices},
                                               .traits = of_coordinates,
                                               .check = check_gamma,
                                               .make_single = sigmoid_of<float>,
                                               .make_double = sigmoid_of<double>};
  return similarity;
}

}  // namespace cairn
