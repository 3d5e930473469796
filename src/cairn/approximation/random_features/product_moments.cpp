#include "cairn/approximation/random_features/product_moments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "cairn/approximation/fetch_rows.hpp"
#include "cairn/approximation/random_features/degrees/tree_sketch.hpp"
#include "cairn/approximation/random_features/unit_sums.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/index.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/base/random.hpp"
#include "cairn/linalg/dense/blas_threads.hpp"
#include "cairn/linalg/dense/local_blas.hpp"
#include "cairn/linalg/library_limits.hpp"
#include "cairn/similarity/vector_math.hpp"

namespace cairn {

namespace {

// The variance of trees of sketches.

// Exact for independent hashes: with z, z' the vectors of x, y at a node, the means over draws of A = (z·z')², B =
// |z|²|z'|² and Q = sum of z_l² z'_l² follow from those of its children (1 and 2), which are independent. With C = A -
// Q and D = B - Q, m columns and k = 1 for odd m, else 2:
//   A = A1 A2 + (D1 A2 + A1 D2 + C1 A2 + A1 C2 + D1 D2 + C1 C2) / m + k (D1 C2 + C1 D2) / m²
//   B = B1 B2 + 2 (C1 B2 + B1 C2 + C1 C2) / m + 2 k C1 C2 / m²
//   Q = Q1 Q2 + (Q1 (D2 + 2 C2) + Q2 (D1 + 2 C1) + D1 D2 + 2 C1 C2) / m + 2 (D1 C2 + C1 D2 + C1 C2) / m²
// and at a leaf, those of the points. The variance is A of the root minus (x·y)^(2 p); for a tree of one leaf, which is
// a CountSketch, (D + C) / m. The joint moments of four hashes of the same coordinates depend only on which are equal.
class TreeMoments {
 public:
  /// @param columns  numbers of columns for which variances are computed
  TreeMoments(Index degree, std::vector<Index> columns);

  /// Number of values that add() adds to.
  [[nodiscard]] std::size_t size() const { return columns_.size() * order_; }
  /// sums[k (degree + 1) + p] += weight times the variance of degree p in columns[k].
  /// @param product  (x·y)² @param norms  |x|²|y|² @param squares  sum of x_l² y_l². Local.
  void add(double weight, double product, double norms, double squares, std::span<double> sums);

 private:
  struct Moments {
    double a, b, q;
  };
  static Moments joined(const Moments& x, const Moments& y, double t, double k);

  std::size_t order_;
  std::vector<Index> columns_;
  std::vector<Moments> of_;  // of trees by number of leaves
};

TreeMoments::TreeMoments(Index degree, std::vector<Index> columns)
    : order_(static_cast<std::size_t>(degree) + 1), columns_(std::move(columns)), of_(order_) {}

// t = 1 / m
TreeMoments::Moments TreeMoments::joined(const Moments& x, const Moments& y, double t, double k) {
  const double cx = x.a - x.q, dx = x.b - x.q, cy = y.a - y.q, dy = y.b - y.q;
  const double cross = dx * cy + cx * dy, same = cx * cy;
  return {
      x.a * y.a + t * (dx * y.a + x.a * dy + cx * y.a + x.a * cy + dx * dy + same) + t * t * k * cross,
      x.b * y.b + 2 * t * (cx * y.b + x.b * cy + same) + 2 * t * t * k * same,
      x.q * y.q + t * (x.q * (dy + 2 * cy) + y.q * (dx + 2 * cx) + dx * dy + 2 * same) + 2 * t * t * (cross + same)};
}

void TreeMoments::add(double weight, double product, double norms, double squares, std::span<double> sums) {
  const double c = product - squares, d = norms - squares;
  double* sum = sums.data();
  for (const Index m : columns_) {
    const double t = 1 / static_cast<double>(m), k = m % 2 == 0 ? 2.0 : 1.0;
    of_[1] = {product, norms, squares};
    sum[1] += weight * t * (d + c);
    double power = product;
    for (std::size_t p = 2; p < order_; ++p) {
      const auto left = static_cast<std::size_t>(left_leaves(static_cast<Index>(p)));
      of_[p] = joined(of_[left], of_[p - left], t, k);
      power *= product;
      sum[p] += weight * std::max(0.0, of_[p].a - power);
    }
    sum += order_;
  }
}

double power(double base, Index exponent) {
  double product = 1;
  for (Index k = 0; k < exponent; ++k) product *= base;
  return product;
}

// The farthest of all rows, the first among equal ones. Collective.
struct Farthest {
  double distance = -1;
  Index row = std::numeric_limits<Index>::max();
};
Farthest farthest_of_all(const Communicator& communicator, const Farthest& own) {
  Farthest best;
  for (const Farthest& one : communicator.all_gather_one(own)) {
    if (one.distance > best.distance || (one.distance == best.distance && one.row < best.row)) best = one;
  }
  return best;
}

// Adds the terms of a pair.
class PairTerms {
 public:
  PairTerms(Index degree, const std::vector<Index>& tree_columns, std::span<double> sums)
      : order_(static_cast<std::size_t>(degree) + 1), sums_(sums), chebyshev_(order_), trees_(degree, tree_columns) {}

  // weight: of the pair; product x·y; f; q: sum of x_l² y_l²; norms: |x|²|y|²
  void add(double weight, double product, double f, double q, double norms) {
    chebyshev_[0] = 1;
    if (order_ > 1) chebyshev_[1] = product;
    for (std::size_t p = 2; p < order_; ++p) chebyshev_[p] = 2 * product * chebyshev_[p - 1] - chebyshev_[p - 2];
    double* at = sums_.data();
    for (std::size_t p = 0; p < order_; ++p) {
      for (std::size_t k = 0; k < order_; ++k) *at++ += weight * chebyshev_[p] * chebyshev_[k];
    }
    for (std::size_t p = 0; p < order_; ++p) *at++ += weight * chebyshev_[p] * f;
    *at++ += weight * f * f;
    const double a = product * product, b = norms - q, c = a - q;
    double ab = 1, ac = 1, aa = 1, abc = 1;  // powers of a + b, a + c, a, a + b + c
    for (std::size_t p = 0; p < order_; ++p, at += 2) {
      at[0] += weight * (ab + ac - 2 * aa);
      at[1] += weight * (abc - ab - ac + aa);
      ab *= a + b;
      ac *= a + c;
      aa *= a;
      abc *= a + b + c;
    }
    if (trees_.size() > 0) trees_.add(weight, a, norms, q, {at, trees_.size()});
  }

  static std::size_t count(Index degree, const std::vector<Index>& tree_columns) {
    const auto order = static_cast<std::size_t>(degree) + 1;
    return order * order + order + 1 + 2 * order + TreeMoments(degree, tree_columns).size();
  }

 private:
  std::size_t order_;
  std::span<double> sums_;
  std::vector<double> chebyshev_;
  TreeMoments trees_;
};

}  // namespace

double ProductMoments::sketch_variance(Index of_degree, Index columns) const {
  const auto p = static_cast<std::size_t>(of_degree);
  const auto m = static_cast<double>(columns);
  return first[p] / m + (columns % 2 == 0 ? 2.0 : 1.0) * second[p] / (m * m);
}

double ProductMoments::tree_variance(Index of_degree, Index columns) const {
  const auto order = static_cast<std::size_t>(degree) + 1;
  const auto value = [&](std::size_t k) { return trees[k * order + static_cast<std::size_t>(of_degree)]; };
  const auto m = static_cast<double>(columns);
  const auto above = static_cast<std::size_t>(std::ranges::lower_bound(tree_columns, columns) - tree_columns.begin());
  if (above < tree_columns.size() && tree_columns[above] == columns) return value(above);
  if (above == 0) return value(0) * static_cast<double>(tree_columns.front()) / m;
  const auto low = static_cast<double>(tree_columns[above - 1]);
  if (above == tree_columns.size()) return value(above - 1) * low / m;
  const double part = std::log(m / low) / std::log(static_cast<double>(tree_columns[above]) / low);
  return std::pow(value(above - 1), 1 - part) * std::pow(value(above), part);
}

StandingRows all_rows(Index rows) {
  StandingRows all{std::vector<Index>(static_cast<std::size_t>(rows)),
                   std::vector<double>(static_cast<std::size_t>(rows), 1.0)};
  std::iota(all.rows.begin(), all.rows.end(), Index{0});
  return all;
}

StandingRows uniform_rows(Index rows, Index count, std::uint64_t seed) {
  if (count >= rows) return all_rows(rows);
  StandingRows some{sample_without_replacement(rows, count, Random(seed, Stream::validation_probe)), {}};
  std::ranges::sort(some.rows);
  some.shares.assign(some.rows.size(), static_cast<double>(rows) / static_cast<double>(count));
  return some;
}

StandingRows center_rows(const Execution& execution, const RowBlock<double>& points, Index count, std::uint64_t seed) {
  const Communicator& communicator = execution.communicator;
  const Range own = points.range();
  const auto rows = static_cast<std::size_t>(own.size());
  std::vector<double> distance(rows, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> nearest(rows, 0);
  std::vector<Index> centers;
  Farthest next{0, Random(seed, Stream::validation_probe).below(points.rows(), 0)};
  while (std::ssize(centers) < count && next.distance >= 0) {
    centers.push_back(next.row);
    const Index wanted[] = {next.row};
    const Buffer<double> center = fetch_rows(communicator, points, std::span<const Index>(wanted));
    Farthest farthest;
    for (Index i = own.begin; i < own.end; ++i) {
      const auto k = static_cast<std::size_t>(i - own.begin);
      const double d = vector_math::squared_distance(points.row(i).data(), center.data(), points.columns());
      if (d < distance[k]) distance[k] = d, nearest[k] = centers.size() - 1;
      if (distance[k] > std::max(farthest.distance, 0.0)) farthest = {distance[k], i};
    }
    next = farthest_of_all(communicator, farthest);
  }
  std::vector<double> shares(centers.size() + 1, 0.0);  // the last sums the distances
  for (const std::size_t center : nearest) shares[center] += 1;
  for (const double squared : distance) shares.back() += std::sqrt(squared);
  communicator.sum(std::span<double>(shares));
  std::vector<std::size_t> order(centers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t k) { return centers[k]; });
  StandingRows result;
  result.distance = shares.back();
  for (const std::size_t k : order) {
    result.rows.push_back(centers[k]);
    result.shares.push_back(shares[k]);
  }
  return result;
}

double sum_of_lengths(const Communicator& communicator, const RowBlock<double>& points) {
  double sum = 0.0;
  for (Index i = points.range().begin; i < points.range().end; ++i) {
    sum += std::sqrt(vector_math::dot(points.row(i).data(), points.row(i).data(), points.columns()));
  }
  return communicator.sum(sum);
}

StandingPoints Standing::block(Index begin) const {
  const Communicator& communicator = execution_.communicator;
  const RowBlock<double> weights = collectively(communicator, [&] {
    RowBlock<double> column(of_.points.partition(), communicator.rank(), 1);
    std::ranges::copy(of_.weights, column.local().data);
    return column;
  });
  const auto first = static_cast<std::size_t>(begin);
  const std::size_t size = std::min(static_cast<std::size_t>(rows_of_block), rows_.rows.size() - first);
  const std::span<const Index> wanted(rows_.rows.data() + first, size);
  StandingPoints result{static_cast<Index>(size), fetch_rows(communicator, of_.points, wanted), {}, {}};
  const Buffer<double> found = fetch_rows(communicator, weights, wanted);
  result.weights.assign(found.data(), found.data() + found.size());
  const auto shares = std::span(rows_.shares).subspan(first, size);
  result.shares.assign(shares.begin(), shares.end());
  return result;
}

std::vector<double> Standing::sum_over_blocks(
    const std::function<std::vector<double>(const StandingPoints&)>& work) const {
  std::vector<double> sums;
  for (Index begin = 0; begin < count(); begin += rows_of_block) {
    const std::vector<double> more = work(block(begin));
    if (sums.empty()) sums.assign(more.size(), 0.0);
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += more[k];
  }
  return sums;
}

std::vector<double> norm_sums(const Execution& execution, const RowBlock<double>& points, Index degree) {
  const Index terms = degree + 2;
  return sum_over_units(execution, points.partition(), static_cast<std::size_t>(terms),
                        [&](Range rows, std::span<double> out) {
                          for (Index j = rows.begin; j < rows.end; ++j) {
                            const double* point = points.row(j).data();
                            const double norm = vector_math::dot(point, point, points.columns());
                            for (Index p = 0; p < terms; ++p) out[p] += power(norm, p);
                          }
                        });
}

namespace {

// The sums of PairTerms over pairs with a block of representative rows. Collective.
std::vector<double> pair_sums(const Execution& execution, const WeightedPoints& weighted,
                              const StandingPoints& standing, Index degree, const std::vector<Index>& tree_columns) {
  const RowBlock<double>& points = weighted.points;
  const Index d = points.columns(), count = standing.count;
  const Buffer<double>& centers = standing.points;
  std::vector<double> center_norms;
  const Buffer<double> squares = collectively(execution.communicator, [&] {
    Buffer<double> all(centers.size());
    for (Index k = 0; k < centers.size(); ++k) all[k] = centers[k] * centers[k];
    for (Index i = 0; i < count; ++i) {
      center_norms.push_back(vector_math::dot(centers.data() + i * d, centers.data() + i * d, d));
    }
    return all;
  });
  const Index first = points.range().begin;
  return sum_over_units(
      execution, points.partition(), PairTerms::count(degree, tree_columns), [&](Range rows, std::span<double> out) {
        PairTerms terms(degree, tree_columns, out);
        std::vector<double> own_squares(d);
        for (Index j = rows.begin; j < rows.end; ++j) {
          const double* point = points.row(j).data();
          const double norm = vector_math::dot(point, point, d);
          for (Index k = 0; k < d; ++k) own_squares[k] = point[k] * point[k];
          const double own_weight = weighted.weights[j - first];
          for (Index i = 0; i < count; ++i) {
            const double product = vector_math::dot(point, centers.data() + i * d, d);
            const double f = weighted.value(product);
            if (!std::isfinite(f)) {
              throw Error(ErrorKind::numeric, fmt::format("the function of two rows is {}: their inner product is {:g} "
                                                          "of the largest one",
                                                          f, product));
            }
            const double both = own_weight * standing.weights[i];
            terms.add(standing.shares[i] * both * both, product, f,
                      vector_math::dot(own_squares.data(), squares.data() + i * d, d), norm * center_norms[i]);
          }
        }
      });
}

}  // namespace

ProductMoments product_moments(const Execution& execution, const WeightedPoints& weighted, const Standing& standing,
                               Index degree, const std::vector<Index>& tree_columns) {
  const auto order = static_cast<std::size_t>(degree) + 1;
  const std::vector<double> sums = standing.sum_over_blocks(
      [&](const StandingPoints& block) { return pair_sums(execution, weighted, block, degree, tree_columns); });
  ProductMoments moments;
  moments.degree = degree;
  auto at = sums.begin();
  const auto take = [&](std::size_t size) {
    at += static_cast<std::ptrdiff_t>(size);
    return std::vector<double>(at - static_cast<std::ptrdiff_t>(size), at);
  };
  moments.gram = take(order * order);
  moments.right = take(order);
  moments.squares = *at++;
  for (std::size_t p = 0; p < order; ++p, at += 2) {
    moments.first.push_back(at[0]);
    moments.second.push_back(at[1]);
  }
  moments.tree_columns = tree_columns;
  moments.trees = take(tree_columns.size() * order);
  moments.norms = norm_sums(execution, weighted.points, degree);
  return moments;
}

std::vector<double> second_moments(const Execution& execution, const WeightedPoints& weighted) {
  constexpr Index rows_at_once = 1024;
  const RowBlock<double>& points = weighted.points;
  const Index d = points.columns();
  std::vector<double> sums = collectively(execution.communicator, [&] {
    const int order = to_library_int(d, "coordinates of points");
    std::vector<double> own(d * d, 0.0);
    const BlasThreads scope(execution.threads);
    Buffer<double> scaled(std::min(rows_at_once, points.range().size()) * d);
    for (Index begin = points.range().begin; begin < points.range().end; begin += rows_at_once) {
      const Index rows = std::min(rows_at_once, points.range().end - begin);
      for (Index i = 0; i < rows; ++i) {
        const double weight = weighted.weights[begin + i - points.range().begin];
        const double* point = points.row(begin + i).data();
        for (Index k = 0; k < d; ++k) scaled[i * d + k] = weight * point[k];
      }
      blas::gemm('N', 'T', order, order, static_cast<int>(rows), 1.0, scaled.data(), order, scaled.data(), order, 1.0,
                 own.data(), order);
      Watchdog::beat();
    }
    return own;
  });
  execution.communicator.sum(std::span<double>(sums));
  return sums;
}

}  // namespace cairn
