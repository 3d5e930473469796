#include "cairn/approximation/random_features/sketch_features.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cairn/approximation/random_features/degrees/tensor_sketch.hpp"
#include "cairn/linalg/dense/row_product.hpp"

namespace cairn {

namespace {

Index columns_of(const std::vector<std::shared_ptr<const DegreeFeatures>>& parts) {
  Index columns = 1;
  for (const auto& part : parts) columns += part->columns();
  return columns;
}

std::string place_of(std::size_t part) { return fmt::format("degree-{}-", part); }

// The scaling factor of a point's coordinates with this sum of squares.
double factor_of(const PointChange& change, double squares) {
  if (!change.unit_length || (change.zero_stays && squares == 0)) return change.scale;
  return change.scale / std::sqrt(squares);
}

// Codes in files for the treatment of points of unit length.
constexpr double unit_length_number = 1, zero_stays_number = 2;

}  // namespace

double change_point(const PointChange& change, std::span<double> point) {
  double squares = 0;
  for (std::size_t k = 0; k < point.size(); ++k) {
    if (!change.center.empty()) point[k] -= change.center[k];
    squares += point[k] * point[k];
  }
  const double factor = factor_of(change, squares);
  for (double& value : point) value *= factor;
  return squares;
}

SketchFeatures::SketchFeatures(Index dimension, PointChange change, double gamma,
                               std::vector<std::shared_ptr<const DegreeFeatures>> parts,
                               std::vector<double> coefficients)
    : dimension_(dimension),
      columns_(columns_of(parts)),
      change_(std::move(change)),
      single_basis_(change_.basis.begin(), change_.basis.end()),
      gamma_(gamma),
      parts_(std::move(parts)),
      coefficients_(std::move(coefficients)) {}

template <class Value>
std::vector<double> SketchFeatures::by_column(Value value) const {
  std::vector<double> values{value(coefficients_.front())};
  for (const auto& part : parts_) {
    values.insert(values.end(), static_cast<std::size_t>(part->columns()), value(coefficients_[part->degree()]));
  }
  return values;
}

// Sketches that share hashes are computed together.
template <class T>
void SketchFeatures::apply_parts(MatrixView<const T> points, MatrixView<T> out) const {
  Index first = 1;
  std::vector<const TensorSketch*> chain;
  std::vector<MatrixView<T>> outs;
  const auto end_chain = [&] {
    if (!chain.empty()) TensorSketch::apply_chain<T>(chain, points, outs);
    chain.clear();
    outs.clear();
  };
  for (const auto& part : parts_) {
    const MatrixView<T> columns(out.data + first, out.rows, part->columns(), out.stride);
    first += part->columns();
    const auto* tensor = dynamic_cast<const TensorSketch*>(part.get());
    if (tensor == nullptr || (!chain.empty() && !tensor->extends(*chain.back()))) end_chain();
    if (tensor == nullptr) {
      part->apply(points, columns);
      continue;
    }
    chain.push_back(tensor);
    outs.push_back(columns);
  }
  end_chain();
}

// Calls change_point() for points in either precision.
template <class T>
double SketchFeatures::change(const T* point, T* out) const {
  double squares = 0;
  const double* center = change_.center.empty() ? nullptr : change_.center.data();
  for (Index k = 0; k < dimension_; ++k) {
    const double moved = static_cast<double>(point[k]) - (center == nullptr ? 0.0 : center[k]);
    squares += moved * moved;
  }
  const double factor = factor_of(change_, squares);
  for (Index k = 0; k < dimension_; ++k) {
    const double moved = static_cast<double>(point[k]) - (center == nullptr ? 0.0 : center[k]);
    out[k] = static_cast<T>(factor * moved);
  }
  return squares;
}

template <class T>
const T* SketchFeatures::basis() const {
  if constexpr (std::is_same_v<T, float>) {
    return single_basis_.data();
  } else {
    return change_.basis.data();
  }
}

template <class T>
void SketchFeatures::apply_as(MatrixView<const T> points, MatrixView<T> out) const {
  Buffer<T> changed(points.rows * dimension_), rotated;
  const MatrixView<T> from(changed.data(), points.rows, dimension_);
  std::vector<double> weights;
  for (Index a = 0; a < points.rows; ++a) {
    const double squares = change(points.row(a), from.row(a));
    weights.push_back(gamma_ > 0 ? std::exp(-gamma_ * squares) : 1.0);
    out(a, 0) = 1;
  }
  MatrixView<const T> kept_points(from.data, from.rows, from.columns);
  if (!change_.basis.empty()) {
    rotated = Buffer<T>(points.rows * kept());
    multiply<T>(kept_points, {basis<T>(), dimension_, kept()}, {rotated.data(), points.rows, kept()});
    kept_points = {rotated.data(), points.rows, kept()};
  }
  apply_parts(kept_points, out);
  const std::vector<double> scales = by_column([](double c) { return std::sqrt(std::abs(c)); });
  const std::vector<T> factors(scales.begin(), scales.end());
  for (Index a = 0; a < points.rows; ++a) {
    const T weight = static_cast<T>(weights[a]);
    T* row = out.row(a);
    for (Index k = 0; k < columns_; ++k) row[k] *= weight * factors[k];
  }
}

void SketchFeatures::apply(MatrixView<const float> points, MatrixView<float> out) const { apply_as(points, out); }
void SketchFeatures::apply(MatrixView<const double> points, MatrixView<double> out) const { apply_as(points, out); }

// The longest of the original points has length 1 after scaling.
bool SketchFeatures::is_beyond(std::span<const double> point) const {
  constexpr double rounding = 1e-5;  // of points in single precision
  if (change_.unit_length) return false;
  double squares = 0;
  for (std::size_t k = 0; k < point.size(); ++k) {
    const double value = point[k] - (change_.center.empty() ? 0.0 : change_.center[k]);
    squares += value * value;
  }
  return std::sqrt(squares) * change_.scale > 1 + rounding;
}

std::vector<double> SketchFeatures::signs() const {
  std::vector<double> signs = by_column([](double c) { return c < 0 ? -1.0 : 1.0; });
  if (std::ranges::find(signs, -1.0) == signs.end()) signs.clear();
  return signs;
}

void SketchFeatures::write(ArrayWriter& arrays) const {
  const double unit = !change_.unit_length ? 0 : change_.zero_stays ? zero_stays_number : unit_length_number;
  const std::vector<double> numbers{static_cast<double>(dimension_), change_.scale, unit, gamma_};
  arrays.write_list("numbers", std::span<const double>(numbers));
  if (!change_.center.empty()) arrays.write_list("center", std::span<const double>(change_.center));
  if (!change_.basis.empty()) {
    arrays.write_matrix("basis", MatrixView<const double>(change_.basis.data(), dimension_, kept()));
  }
  std::vector<Index> shapes;
  std::vector<std::string> kinds;
  for (const auto& part : parts_) {
    shapes.insert(shapes.end(), {part->degree(), part->columns()});
    kinds.push_back(part->kind());
  }
  arrays.write_list("parts", std::span<const Index>(shapes));
  arrays.write_list("coefficients", std::span<const double>(coefficients_));
  const std::vector<std::string_view> texts(kinds.begin(), kinds.end());
  if (!texts.empty()) arrays.write_texts("kinds", texts);
  for (std::size_t k = 0; k < parts_.size(); ++k) parts_[k]->write(arrays, place_of(k));
}

std::shared_ptr<const FeatureMap> SketchFeatures::read(const ArrayReader& arrays) {
  constexpr double most_coordinates = 1e9;
  constexpr Index most_degree = 30, most_columns = Index{1} << 31U;
  const std::vector<double> numbers = arrays.read_list<double>("numbers");
  const bool sound = numbers.size() == 4 && numbers[0] >= 1 && numbers[0] <= most_coordinates &&
                     std::isfinite(numbers[1]) && std::isfinite(numbers[3]) && numbers[3] >= 0;
  if (!sound) arrays.refuse(fmt::format("{} does not hold four sound numbers", arrays.called("numbers")));
  const auto dimension = static_cast<Index>(numbers[0]);
  PointChange change{
      .scale = numbers[1], .unit_length = numbers[2] != 0, .zero_stays = numbers[2] == zero_stays_number};
  if (arrays.has("center")) change.center = arrays.read_list<double>("center");
  if (!change.center.empty() && std::ssize(change.center) != dimension) {
    arrays.refuse(fmt::format("{} has {} of {} coordinates", arrays.called("center"), change.center.size(), dimension));
  }
  Index kept = dimension;
  if (arrays.has("basis")) {
    const ArrayShape shape = arrays.shape("basis");
    if (shape.number != ArrayNumber::float64 || shape.rows != dimension || shape.columns < 1) {
      arrays.refuse(fmt::format("{} is no basis of {} coordinates", arrays.called("basis"), dimension));
    }
    kept = shape.columns;
    change.basis.resize(dimension * kept);
    arrays.read("basis", change.basis.data());
  }
  const std::vector<Index> shapes = arrays.read_list<Index>("parts");
  const std::vector<std::string> kinds = shapes.empty() ? std::vector<std::string>() : arrays.read_texts("kinds");
  if (shapes.size() != 2 * kinds.size()) {
    arrays.refuse(fmt::format("{} and the kinds beside it do not agree", arrays.called("parts")));
  }
  std::vector<std::shared_ptr<const DegreeFeatures>> parts;
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    const Index degree = shapes[2 * k], columns = shapes[2 * k + 1];
    if (degree < 1 || degree > most_degree || columns < 1 || columns > most_columns) {
      arrays.refuse(fmt::format("{} holds {} columns of degree {}", arrays.called("parts"), columns, degree));
    }
    parts.push_back(read_degree_features(kinds[k], degree, kept, columns, arrays, place_of(k)));
  }
  std::vector<double> coefficients = arrays.read_list<double>("coefficients");
  const bool fits = !coefficients.empty() && std::ranges::all_of(coefficients, [](double c) {
    return std::isfinite(c);
  }) && std::ranges::all_of(parts, [&](const auto& part) { return part->degree() < std::ssize(coefficients); });
  if (!fits) arrays.refuse(fmt::format("{} has no finite number for each degree", arrays.called("coefficients")));
  return std::make_shared<const SketchFeatures>(dimension, std::move(change), numbers[3], std::move(parts),
                                                std::move(coefficients));
}

}  // namespace cairn
