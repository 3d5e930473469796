#include "cairn/task/gaussian/vecchia/conditional.hpp"

#include <algorithm>
#include <cmath>

#include "cairn/base/each_level.hpp"
#include "cairn/similarity/vector_math.hpp"

#define CAIRN_INLINE [[gnu::always_inline]] inline

namespace cairn {

namespace {

constexpr Index lanes = Conditional::lanes;

// The numbers of all lanes, as two registers of current processors: wider vectors than registers live in memory.
using Half [[gnu::vector_size(32), gnu::aligned(sizeof(double)), gnu::may_alias]] = double;
static_assert(2 * sizeof(Half) == lanes * sizeof(double));

struct Lanes {
  Half low{}, high{};

  CAIRN_INLINE static Lanes of(const double* values) {
    return {*reinterpret_cast<const Half*>(values), *reinterpret_cast<const Half*>(values + lanes / 2)};
  }
  CAIRN_INLINE void store(double* values) const {
    *reinterpret_cast<Half*>(values) = low;
    *reinterpret_cast<Half*>(values + lanes / 2) = high;
  }
  CAIRN_INLINE friend Lanes operator*(const Lanes& a, const Lanes& b) { return {a.low * b.low, a.high * b.high}; }
  CAIRN_INLINE friend Lanes operator+(const Lanes& a, const Lanes& b) { return {a.low + b.low, a.high + b.high}; }
  CAIRN_INLINE friend Lanes operator-(const Lanes& a, const Lanes& b) { return {a.low - b.low, a.high - b.high}; }
};

CAIRN_INLINE Lanes at(const double* values, Index i) { return Lanes::of(values + i * lanes); }
CAIRN_INLINE void put(double* values, Index i, const Lanes& lanes_of) { lanes_of.store(values + i * lanes); }

CAIRN_INLINE constexpr Index below(Index j) { return j * (j - 1) / 2; }  // entries below the diagonal before row j

// Squared distances of point j and all points before it.
CAIRN_EACH_LEVEL void squared_distances(const double* coordinates, Index points, Index columns, double* squares) {
  for (Index j = 1; j < points; ++j) {
    double* row = squares + below(j) * lanes;
    Index k = 0;
    // Two points at a time: each coordinate of point j that is read serves both.
    for (; k + 1 < j; k += 2) {
      Lanes first, second;
      for (Index c = 0; c < columns; ++c) {
        const double* column = coordinates + c * points * lanes;
        const Lanes own = at(column, j), a = own - at(column, k), b = own - at(column, k + 1);
        first = first + a * a;
        second = second + b * b;
      }
      put(row, k, first);
      put(row, k + 1, second);
    }
    if (k < j) {
      Lanes first;
      for (Index c = 0; c < columns; ++c) {
        const double* column = coordinates + c * points * lanes;
        const Lanes a = at(column, j) - at(column, k);
        first = first + a * a;
      }
      put(row, k, first);
    }
  }
}

// Turns squared distances into -m'(r) / r, given m(r). For one half this is infinite at 0, where it is multiplied by 0.
CAIRN_EACH_LEVEL void slopes_of(Smoothness smoothness, const double* __restrict values, double* __restrict squares,
                                Index n) {
  switch (smoothness) {
    case Smoothness::one_half:  // NOLINT(bugprone-branch-clone): the loops differ
#pragma omp simd
      for (Index i = 0; i < n; ++i) squares[i] = values[i] / (std::sqrt(squares[i]) + 1e-300);
      return;
    case Smoothness::three_halves:
#pragma omp simd
      for (Index i = 0; i < n; ++i) squares[i] = 3.0 * values[i] / (1.0 + std::sqrt(3.0 * squares[i]));
      return;
    case Smoothness::five_halves:
#pragma omp simd
      for (Index i = 0; i < n; ++i) {
        const double t = std::sqrt(5.0 * squares[i]);
        squares[i] = 5.0 * values[i] * (1.0 + t) / (3.0 + 3.0 * t + t * t);
      }
      return;
    case Smoothness::infinite:
      std::copy_n(values, n, squares);
  }
}

void to_correlations(Smoothness smoothness, const double* zeros, double* squares, Index n) {
  switch (smoothness) {
    case Smoothness::one_half:
      vector_math::matern_1_2(0.0, zeros, 1.0, squares, n);
      return;
    case Smoothness::three_halves:
      vector_math::matern_3_2(0.0, zeros, std::sqrt(3.0), squares, n);
      return;
    case Smoothness::five_halves:
      vector_math::matern_5_2(0.0, zeros, std::sqrt(5.0), squares, n);
      return;
    case Smoothness::infinite:
      vector_math::rbf(0.0, zeros, 0.5, squares, n);
  }
}

CAIRN_EACH_LEVEL void multiply(double factor, double* __restrict values, Index n) {
#pragma omp simd
  for (Index i = 0; i < n; ++i) values[i] *= factor;
}

CAIRN_EACH_LEVEL void multiply_by(const double* __restrict factors, double* __restrict values, Index n) {
#pragma omp simd
  for (Index i = 0; i < n; ++i) values[i] *= factors[i];
}

// Covariances of neighbors that are not there are 0.
CAIRN_EACH_LEVEL void mask(const double* present, Index points, double factor, double* values) {
  const Lanes all{Half{} + factor, Half{} + factor};
  for (Index j = 1; j < points; ++j) {
    double* row = values + below(j) * lanes;
    const Lanes own = at(present, j) * all;
    for (Index k = 0; k < j; ++k) put(row, k, at(row, k) * own * at(present, k));
  }
}

// C of K = C Cᵀ in place, and of the last point C⁻¹ k; `pivots` are the squares of the diagonal of C, the last one is
// the variance.
CAIRN_EACH_LEVEL void factor(Index points, double diagonal, double* matrix, double* inverse, double* pivots) {
  for (Index j = 0; j < points; ++j) {
    double* row = matrix + below(j) * lanes;
    Lanes pivot{Half{} + diagonal, Half{} + diagonal};
    Index k = 0;
    // Three columns at a time: each number of row j that is read serves all.
    for (; k + 2 < j; k += 3) {
      const double *first = matrix + below(k) * lanes, *second = matrix + below(k + 1) * lanes,
                   *third = matrix + below(k + 2) * lanes;
      Lanes a = at(row, k), b = at(row, k + 1), c = at(row, k + 2);
      for (Index p = 0; p < k; ++p) {
        const Lanes own = at(row, p);
        a = a - own * at(first, p);
        b = b - own * at(second, p);
        c = c - own * at(third, p);
      }
      a = a * at(inverse, k);
      b = (b - a * at(second, k)) * at(inverse, k + 1);
      c = (c - a * at(third, k) - b * at(third, k + 1)) * at(inverse, k + 2);
      put(row, k, a);
      put(row, k + 1, b);
      put(row, k + 2, c);
      pivot = pivot - a * a - b * b - c * c;
    }
    for (; k < j; ++k) {
      const double* first = matrix + below(k) * lanes;
      Lanes a = at(row, k);
      for (Index p = 0; p < k; ++p) a = a - at(row, p) * at(first, p);
      a = a * at(inverse, k);
      put(row, k, a);
      pivot = pivot - a * a;
    }
    put(pivots, j, pivot);
    double *out = inverse + j * lanes, *of = pivots + j * lanes;
    for (Index l = 0; l < lanes; ++l) out[l] = 1.0 / std::sqrt(of[l]);
  }
}

// x = C⁻¹ x.
CAIRN_EACH_LEVEL void solve_forward(Index neighbors, const double* factor, const double* inverse, double* x) {
  for (Index j = 0; j < neighbors; ++j) {
    const double* row = factor + below(j) * lanes;
    Lanes sum = at(x, j), other;
    Index k = 0;
    for (; k + 1 < j; k += 2) {
      sum = sum - at(row, k) * at(x, k);
      other = other - at(row, k + 1) * at(x, k + 1);
    }
    if (k < j) sum = sum - at(row, k) * at(x, k);
    put(x, j, (sum + other) * at(inverse, j));
  }
}

// x = C⁻ᵀ x.
CAIRN_EACH_LEVEL void solve_backward(Index neighbors, const double* factor, const double* inverse, double* x) {
  for (Index j = neighbors; j-- > 0;) {
    const double* row = factor + below(j) * lanes;
    const Lanes value = at(x, j) * at(inverse, j);
    put(x, j, value);
    for (Index k = 0; k < j; ++k) put(x, k, at(x, k) - value * at(row, k));
  }
}

CAIRN_EACH_LEVEL void dot(Index n, const double* x, const double* y, double* out) {
  Lanes sum, other;
  Index j = 0;
  for (; j + 1 < n; j += 2) {
    sum = sum + at(x, j) * at(y, j);
    other = other + at(x, j + 1) * at(y, j + 1);
  }
  if (j < n) sum = sum + at(x, j) * at(y, j);
  put(out, 0, sum + other);
}

// z - wᵀ z_N of one column, whose last entry is that of the point.
CAIRN_EACH_LEVEL void remainder(Index neighbors, const double* weights, const double* column, double* out) {
  Lanes sum = at(column, neighbors);
  for (Index j = 0; j < neighbors; ++j) sum = sum - at(weights, j) * at(column, j);
  put(out, 0, sum);
}

// v = ∂Σ a for a length: v_j = Σ_k slope_jk (x_j - x_k)² a_k; without a column, slopes are multiplied already.
CAIRN_EACH_LEVEL void slope_product_with(Index points, const double* slopes, const double* column, const double* a,
                                         double* v) {
  for (Index j = 0; j < points; ++j) {
    const double* row = slopes + below(j) * lanes;
    const Lanes own_weight = at(a, j);
    Lanes sum;
    if (column == nullptr) {
      for (Index k = 0; k < j; ++k) {
        const Lanes entry = at(row, k);
        sum = sum + entry * at(a, k);
        put(v, k, at(v, k) + entry * own_weight);
      }
    } else {
      const Lanes own = at(column, j);
      for (Index k = 0; k < j; ++k) {
        const Lanes difference = own - at(column, k);
        const Lanes entry = at(row, k) * difference * difference;
        sum = sum + entry * at(a, k);
        put(v, k, at(v, k) + entry * own_weight);
      }
    }
    put(v, j, sum);
  }
}

}  // namespace

Conditional::Conditional(const ConditionalShape& shape)
    : shape_(shape),
      points_(shape.neighbors + 1),
      coordinates_(points_ * shape.columns * lanes),
      residuals_(points_ * lanes),
      present_(points_ * lanes),
      covariances_(below(points_ + 1) * lanes),
      slopes_(below(points_ + 1) * lanes),
      squares_(shape.one_length ? below(points_ + 1) * lanes : 0),
      inverse_(points_ * lanes),
      zeros_(below(points_ + 1) * lanes),
      weights_(points_ * lanes),
      solved_(points_ * lanes),
      products_of_slopes_(shape.parameters() * points_ * lanes),
      pivots_(points_ * lanes),
      error_(lanes),
      variance_(lanes),
      mean_errors_(shape.means() * lanes),
      variance_slopes_(shape.parameters() * lanes),
      error_slopes_(shape.parameters() * lanes),
      products_(shape.parameters() * (shape.parameters() + 1) / 2 * lanes) {
  std::ranges::fill(zeros_.span(), 0.0);
}

bool Conditional::condition(const ColumnCovariance& covariance) {
  const Index m = shape_.neighbors, entries = below(points_) * lanes;
  const double sigma = covariance.sigma * covariance.sigma, noise = covariance.noise * covariance.noise;
  squared_distances(coordinates_.data(), points_, shape_.columns, slopes_.data());
  std::copy_n(slopes_.data(), entries, covariances_.data());
  to_correlations(covariance.smoothness, zeros_.data(), covariances_.data(), entries);
  mask(present_.data(), points_, sigma, covariances_.data());
  // The slopes need the values, which the factor replaces.
  if (shape_.one_length) std::copy_n(slopes_.data(), entries, squares_.data());
  slopes_of(covariance.smoothness, covariances_.data(), slopes_.data(), entries);
  if (shape_.one_length) multiply_by(squares_.data(), slopes_.data(), entries);
  factor(points_, sigma + noise, covariances_.data(), inverse_.data(), pivots_.data());
  double least = pivots_[0];
  for (Index i = 0; i < points_ * lanes; ++i) least = std::min(least, std::isnan(pivots_[i]) ? -1.0 : pivots_[i]);
  if (!(least > 0.0)) return false;
  std::copy_n(pivots_.data() + m * lanes, lanes, variance_.data());
  const double* last = covariances_.data() + below(m) * lanes;  // C⁻¹ k
  std::copy_n(residuals_.data(), points_ * lanes, solved_.data());
  solve_forward(m, covariances_.data(), inverse_.data(), solved_.data());
  remainder(m, last, solved_.data(), error_.data());
  std::copy_n(last, m * lanes, weights_.data());
  solve_backward(m, covariances_.data(), inverse_.data(), weights_.data());
  return true;
}

void Conditional::regress() {
  remainder(shape_.neighbors, weights_.data(), present_.data(), mean_errors_.data());
  if (!shape_.linear) return;
  for (Index c = 0; c < shape_.columns; ++c) {
    remainder(shape_.neighbors, weights_.data(), coordinate(0, c), mean_errors_.data() + (c + 1) * lanes);
  }
}

void Conditional::differentiate(const ColumnCovariance& covariance) {
  const Index m = shape_.neighbors, count = shape_.lengths(), size = points_ * lanes;
  const double noise = covariance.noise * covariance.noise;
  double *weights = weights_.data(), *v = products_of_slopes_.data();
  double squares[lanes];
  dot(m, weights, weights, squares);
  // Of the noise, v = -2 noise² w; of sigma it is the opposite, since Σ a = (0; variance).
  double* last = v + count * size;
  std::copy_n(weights, m * lanes, last);
  multiply(-2.0 * noise, last, m * lanes);
  for (Index l = 0; l < lanes; ++l) {
    const double of_noise = 2.0 * noise * (1.0 + squares[l]);
    variance_slopes_[count * lanes + l] = 2.0 * variance_[l] - of_noise;
    variance_slopes_[(count + 1) * lanes + l] = of_noise;
  }
  multiply(-1.0, weights, m * lanes);  // a
  std::fill_n(weights + m * lanes, lanes, 1.0);
  for (Index k = 0; k < count; ++k) {
    slope_product_with(points_, slopes_.data(), shape_.one_length ? nullptr : coordinate(0, k), weights, v + k * size);
    dot(points_, weights, v + k * size, variance_slopes_.data() + k * lanes);
  }
  multiply(-1.0, weights, m * lanes);  // w again
  for (Index k = 0; k <= count; ++k) {
    solve_forward(m, covariances_.data(), inverse_.data(), v + k * size);
    dot(m, v + k * size, solved_.data(), error_slopes_.data() + k * lanes);
    multiply(-1.0, error_slopes_.data() + k * lanes, lanes);
    for (Index l = 0; l <= k; ++l) {
      dot(m, v + k * size, v + l * size, products_.data() + (k * (k + 1) / 2 + l) * lanes);
    }
  }
  // The last solve was that of the noise, at the place of sigma: its opposite is that of sigma.
  const Index sigma_at = count, noise_at = count + 1;
  const auto copy_product = [&](Index k, Index l, Index of_k, Index of_l, double sign) {
    const double* from = products_.data() + (of_k * (of_k + 1) / 2 + of_l) * lanes;
    double* to = products_.data() + (k * (k + 1) / 2 + l) * lanes;
    for (Index i = 0; i < lanes; ++i) to[i] = sign * from[i];
  };
  for (Index l = 0; l < count; ++l) copy_product(noise_at, l, sigma_at, l, 1.0);
  copy_product(noise_at, noise_at, sigma_at, sigma_at, 1.0);
  copy_product(noise_at, sigma_at, sigma_at, sigma_at, -1.0);
  for (Index l = 0; l < count; ++l) copy_product(sigma_at, l, sigma_at, l, -1.0);
  std::copy_n(error_slopes_.data() + sigma_at * lanes, lanes, error_slopes_.data() + noise_at * lanes);
  multiply(-1.0, error_slopes_.data() + sigma_at * lanes, lanes);
}

}  // namespace cairn
