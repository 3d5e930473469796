#include "cairn/approximation/random_features/prepared_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "cairn/approximation/fetch_rows.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/random.hpp"
#include "cairn/data/points/all_coordinates.hpp"
#include "cairn/linalg/dense/local_eigen.hpp"
#include "cairn/linalg/dense/row_product.hpp"

namespace cairn {

namespace {

constexpr Index most_projected = 4096;  // maximum number of coordinates for which principal components are computed

// The mean of the rows of one or two sides.
std::vector<double> mean_of(const Communicator& communicator, std::span<PreparedSide* const> sides) {
  std::vector<double> sums(sides.front()->weighted.points.columns(), 0.0);
  double rows = 0;
  for (const PreparedSide* side : sides) {
    const RowBlock<double>& points = side->weighted.points;
    for (Index i = points.range().begin; i < points.range().end; ++i) {
      for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += points.row(i)[k];
    }
    rows += static_cast<double>(points.rows());
  }
  communicator.sum(std::span<double>(sums));
  for (double& sum : sums) sum /= rows;
  return sums;
}

// Requires f to be finite on [-a, a], the range of the products.
void require_finite(const ProductFunction& function, double largest) {
  constexpr int places = 200;
  for (int k = -places; k <= places; ++k) {
    const double product = largest * k / places;
    if (std::isfinite(function.value(product))) continue;
    throw Error(
        ErrorKind::numeric,
        fmt::format("the function is not finite at {:g}, and inner products may be between {:g} and {:g}: take a "
                    "smaller gamma or scale of the similarity (of a transport a larger epsilon), or another "
                    "method",
                    product, -largest, largest));
  }
}

template <class T>
RowBlock<double> gathered_copy(const Communicator& communicator, const PointSet<T>& points) {
  if (points.is_sparse())
    announce_all_coordinates(communicator, points, "sketches", static_cast<Index>(sizeof(double)));
  return collectively(communicator, [&] {
    RowBlock<double> copy(points.partition(), communicator.rank(), points.dimension());
    for (Index i = copy.range().begin; i < copy.range().end; ++i) points.copy_point(i, copy.row(i));
    return copy;
  });
}

// Transforms and weights the points of a side. Returns the largest squared length. Collective.
// @param name  of the points in messages
double change_points(const Communicator& communicator, double gamma, bool weigh, const char* name, PreparedSide& side) {
  double largest = 0;
  Index zero = std::numeric_limits<Index>::max();
  RowBlock<double>& rows = side.weighted.points;
  collectively(communicator, [&] {
    for (Index i = rows.range().begin; i < rows.range().end; ++i) {
      const double squares = change_point(side.change, rows.row(i));
      largest = std::max(largest, squares);
      if (squares == 0) zero = std::min(zero, i);
      side.weighted.weights.push_back(gamma > 0 && weigh ? std::exp(-gamma * squares) : 1.0);
    }
  });
  largest = communicator.maximum(largest);
  zero = communicator.minimum(zero);
  if (side.change.unit_length) {
    if (zero < rows.rows() && !side.change.zero_stays)
      throw Error(ErrorKind::input, fmt::format("row {} is 0: it has no direction", zero));
    largest = 1;
  }
  if (largest == 0) {
    throw Error(ErrorKind::numeric,
                side.change.center.empty()
                    ? fmt::format("all {} are 0, or their squares are", name)
                    : fmt::format("all {} are the same, or the squares of their differences are 0", name));
  }
  if (!std::isfinite(largest)) {
    throw Error(ErrorKind::numeric, fmt::format("the squared length of one of the {} is not finite: scale them", name));
  }
  return largest;
}

}  // namespace

template <class T>
PreparedPoints prepare_points(const Execution& execution, const PointSet<T>& rows, const PointSet<T>* columns,
                              ProductFunction function, const Values& values) {
  const Communicator& communicator = execution.communicator;
  PreparedPoints prepared;
  prepared.function = std::move(function);
  prepared.rows.weighted.points = gathered_copy(communicator, rows);
  std::vector<PreparedSide*> sides{&prepared.rows};
  if (columns != nullptr) {
    prepared.columns.emplace().weighted.points = gathered_copy(communicator, *columns);
    sides.push_back(&*prepared.columns);
  }
  const double gamma = prepared.function.gamma;
  std::vector<double> center;
  if (gamma > 0 && values.flag("center")) center = mean_of(communicator, sides);
  std::vector<double> squares;
  for (PreparedSide* side : sides) {
    side->change.unit_length = prepared.function.unit_length;
    side->change.zero_stays = prepared.function.zero_stays;
    side->change.center = center;
    const char* name = columns == nullptr ? "points" : (side == &prepared.rows ? "rows of U" : "rows of V");
    squares.push_back(change_points(communicator, gamma, values.flag("weigh"), name, *side));
  }
  const double largest = columns == nullptr ? squares[0] : std::sqrt(squares[0]) * std::sqrt(squares[1]);
  require_finite(prepared.function, largest);
  for (std::size_t k = 0; k < sides.size(); ++k) {
    sides[k]->change.scale = 1 / std::sqrt(squares[k]);
    MatrixView<double> own = sides[k]->weighted.points.local();
    for (double& value : std::span(own.data, static_cast<std::size_t>(own.rows * own.columns))) {
      value *= sides[k]->change.scale;
    }
    sides[k]->weighted.value = [f = prepared.function.value, largest](double product) { return f(largest * product); };
  }
  return prepared;
}

StandingSide standing_rows(const Execution& execution, const RowBlock<double>& points, const RowBlock<double>* columns,
                           const Values& values) {
  const std::string& by = values.text("coefficients");
  if (by == "all") return {all_rows(points.rows())};
  const Index count = values.integer("sample-rows");
  if (by != "coreset") return {uniform_rows(points.rows(), count, execution.seed)};
  const auto fewer = [&](const StandingRows& centers, const RowBlock<double>& of) {
    return std::ssize(centers.rows) < std::min(count, of.rows());
  };
  StandingRows centers = center_rows(execution, points, count, execution.seed);
  const bool few = fewer(centers, points);
  StandingRows others;
  if (columns != nullptr) others = center_rows(execution, *columns, count, execution.seed);
  if (few && (columns == nullptr || fewer(others, *columns))) {
    values.refuse("sample-rows",
                  fmt::format("is more than the {} different rows", std::max(centers.rows.size(), others.rows.size())));
  }
  if (columns == nullptr) return {std::move(centers)};
  const Communicator& communicator = execution.communicator;
  double bounds[] = {centers.distance * sum_of_lengths(communicator, *columns),
                     others.distance * sum_of_lengths(communicator, points)};
  communicator.broadcast(std::span<double>(bounds), 0);
  if (bounds[0] < bounds[1] || (bounds[0] == bounds[1] && centers.rows.size() <= others.rows.size())) {
    return {std::move(centers)};
  }
  return {std::move(others), true};
}

WeightedPoints sample_of(const Execution& execution, WeightedPoints weighted, const Values& values) {
  const RowBlock<double>& all = weighted.points;
  const std::string& by = values.text("coefficients");
  if (by == "coreset" || by == "all" || all.rows() <= most_sampled) return weighted;
  const Communicator& communicator = execution.communicator;
  const std::vector<Index> chosen = collectively(communicator, [&] {
    std::vector<Index> rows =
        sample_without_replacement(all.rows(), most_sampled, Random(execution.seed, Stream::second_sample));
    std::ranges::sort(rows);
    return rows;
  });
  const RowPartition partition(most_sampled, communicator.size());
  const Range own = partition.range(communicator.rank());
  const std::span<const Index> wanted(chosen.data() + own.begin, static_cast<std::size_t>(own.size()));
  RowBlock<double> weights = collectively(communicator, [&] {
    RowBlock<double> column(all.partition(), communicator.rank(), 1);
    std::ranges::copy(weighted.weights, column.local().data);
    return column;
  });
  const Buffer<double> rows = fetch_rows(communicator, all, wanted), found = fetch_rows(communicator, weights, wanted);
  return collectively(communicator, [&] {
    WeightedPoints sample{RowBlock<double>(partition, communicator.rank(), all.columns()),
                          {found.data(), found.data() + found.size()},
                          weighted.value};
    std::copy_n(rows.data(), rows.size(), sample.points.local().data);
    return sample;
  });
}

namespace {

// Reverses the order of rows of vectors, and of their values.
void reverse_rows(std::vector<double>& values, std::vector<double>& vectors) {
  std::ranges::reverse(values);
  const std::size_t size = values.size();
  for (std::size_t low = 0, high = size - 1; low < high; ++low, --high) {
    std::swap_ranges(vectors.begin() + static_cast<std::ptrdiff_t>(low * size),
                     vectors.begin() + static_cast<std::ptrdiff_t>((low + 1) * size),
                     vectors.begin() + static_cast<std::ptrdiff_t>(high * size));
  }
}

// Eigenvalues, descending, and eigenvectors, one per row, in place of the matrix.
std::vector<double> falling_eigen(Index order, std::vector<double>& matrix) {
  std::vector<double> values = eigen_in_place(order, matrix.data());
  reverse_rows(values, matrix);
  return values;
}

// a b, or a bᵀ, of square matrices, row-major.
std::vector<double> multiplied(const std::vector<double>& a, const std::vector<double>& b, Index order,
                               bool transpose = false) {
  std::vector<double> product(a.size());
  Operand<double> second(b.data(), order, order);
  second.transposed = transpose;
  multiply<double>({a.data(), order, order}, second, {product.data(), order, order});
  return product;
}

// Raises zero moments of one side to tiny positive values: other rows may have components there.
void raise(std::vector<double>& values, double share) {
  const double least = share * values.front();
  for (double& value : values) value = std::max(value, least);
}

// Balanced coordinates. With A = Qᵀ S² Q and S Q B Qᵀ S = Wᵀ D² W: t = Dᵗ W S⁻¹ Q (t = 1/2), r = D⁻ᵗ W S Q.
void balance(Index d, std::vector<double> first, const std::vector<double>& second, PrincipalComponents& components) {
  constexpr double least = 1e-14;
  const auto size = static_cast<std::size_t>(d);
  std::vector<double> squares = falling_eigen(d, first);
  raise(squares, least);
  std::vector<double> scaled = first, unscaled = first;  // S Q and S⁻¹ Q
  for (std::size_t k = 0; k < size; ++k) {
    for (std::size_t i = 0; i < size; ++i) {
      scaled[k * size + i] *= std::sqrt(squares[k]);
      unscaled[k * size + i] /= std::sqrt(squares[k]);
    }
  }
  std::vector<double> both = multiplied(multiplied(scaled, second, d), scaled, d, true);
  components.values = falling_eigen(d, both);
  raise(components.values, least * least);
  for (double& value : components.values) value = std::sqrt(value);
  components.vectors = multiplied(both, unscaled, d);
  components.right_vectors = multiplied(both, scaled, d);
  for (std::size_t k = 0; k < size; ++k) {
    const double root = std::sqrt(components.values[k]);
    for (std::size_t i = 0; i < size; ++i) {
      components.vectors[k * size + i] *= root;
      components.right_vectors[k * size + i] /= root;
    }
  }
}

}  // namespace

PrincipalComponents components_of(const Execution& execution, const WeightedPoints& rows,
                                  const WeightedPoints* columns) {
  const Index d = rows.points.columns();
  if (d > most_projected) return {};
  PrincipalComponents components;
  components.rows = static_cast<double>(rows.points.rows());
  std::vector<double> moments = second_moments(execution, rows), others;
  if (columns != nullptr) {
    others = second_moments(execution, *columns);
    components.rows = std::sqrt(components.rows * static_cast<double>(columns->points.rows()));
  }
  const Communicator& communicator = execution.communicator;
  collectively(communicator, [&] {  // on rank 0: LAPACK may give different bits on another processor
    if (!communicator.is_root()) return;
    if (columns != nullptr) return balance(d, std::move(moments), others, components);
    components.values = falling_eigen(d, moments);
    components.vectors = std::move(moments);
  });
  communicator.broadcast(components.values, 0);
  communicator.broadcast(components.vectors, 0);
  communicator.broadcast(components.right_vectors, 0);
  const auto size = static_cast<std::size_t>(d);
  for (std::size_t k = 0; k < size; ++k) {
    const auto row = std::span(components.vectors).subspan(k * size, size);
    const auto largest = std::ranges::max_element(row, {}, [](double value) { return std::abs(value); });
    if (*largest >= 0) continue;
    for (double& value : row) value = -value;
    if (columns == nullptr) continue;
    for (double& value : std::span(components.right_vectors).subspan(k * size, size)) value = -value;
  }
  return components;
}

std::vector<double> basis_of(const std::vector<double>& vectors, Index dimension, Index kept) {
  std::vector<double> basis(dimension * kept);
  for (Index i = 0; i < dimension; ++i) {
    for (Index k = 0; k < kept; ++k) {
      basis[i * kept + k] = vectors[k * dimension + i];
    }
  }
  return basis;
}

template PreparedPoints prepare_points(const Execution&, const PointSet<float>&, const PointSet<float>*,
                                       ProductFunction, const Values&);
template PreparedPoints prepare_points(const Execution&, const PointSet<double>&, const PointSet<double>*,
                                       ProductFunction, const Values&);

}  // namespace cairn
