#include "cairn/approximation/distance_geometry/alignment.hpp"

#include <algorithm>
#include <cmath>

#include "cairn/base/buffer.hpp"
#include "cairn/linalg/dense/local_blas.hpp"
#include "cairn/linalg/dense/local_singular.hpp"
#include "cairn/linalg/dense/row_product.hpp"

namespace cairn {

namespace {

std::vector<double> mean_of(MatrixView<const double> points) {
  std::vector<double> mean(points.columns, 0.0);
  for (Index i = 0; i < points.rows; ++i) {
    for (Index k = 0; k < points.columns; ++k) mean[k] += points(i, k) / static_cast<double>(points.rows);
  }
  return mean;
}

Buffer<double> less(MatrixView<const double> points, const std::vector<double>& mean) {
  Buffer<double> result(points.rows * points.columns);
  for (Index i = 0; i < points.rows; ++i) {
    for (Index k = 0; k < points.columns; ++k) result[i * points.columns + k] = points(i, k) - mean[k];
  }
  return result;
}

double squared_norm(const Buffer<double>& values) {
  double sum = 0;
  for (const double value : values.span()) sum += value * value;
  return sum;
}

// U Vᵀ of a K x K matrix, column-major. Singular vectors beyond `rank` are arbitrary: there the factor nearest to the
// identity is used. Row-major.
std::vector<double> polar_factor(Index dimension, double* matrix, Index& rank) {
  constexpr double lost = 1e-12;  // relative to the largest singular value: rounding of K products
  const Index k = dimension;
  LocalSingular whole = local_singular_values(k, k, matrix);
  rank = std::ranges::count_if(whole.values, [&](double value) { return value > lost * whole.values.front(); });
  const Index free = k - rank;
  if (free > 0) {
    // U0 P Rᵀ V0ᵀ with U0ᵀ V0 = P S Rᵀ is the orthogonal completion nearest to the identity.
    Buffer<double> inner(free * free);
    double* u0 = whole.u.data() + rank * k;
    double* vt0 = whole.vt.data() + rank;  // rows from `rank` on, leading dimension k
    const int f = static_cast<int>(free), n = static_cast<int>(k);
    blas::gemm('T', 'T', f, f, n, 1.0, u0, n, vt0, n, 0.0, inner.data(), f);
    const LocalSingular completion = local_singular_values(free, free, inner.data());
    Buffer<double> rotated(k * free), rotated_v(free * k);
    blas::gemm('N', 'N', n, f, f, 1.0, u0, n, completion.u.data(), f, 0.0, rotated.data(), n);
    blas::gemm('N', 'N', f, n, f, 1.0, completion.vt.data(), f, vt0, n, 0.0, rotated_v.data(), f);
    std::copy_n(rotated.data(), k * free, u0);
    for (Index j = 0; j < k; ++j) std::copy_n(rotated_v.data() + j * free, free, vt0 + j * k);
  }
  std::vector<double> rotation(k * k);
  const int n = static_cast<int>(k);
  // Column-major (U VT)ᵀ is U VT row by row.
  blas::gemm('T', 'T', n, n, n, 1.0, whole.vt.data(), n, whole.u.data(), n, 0.0, rotation.data(), n);
  return rotation;
}

}  // namespace

Motion no_motion(Index dimension) {
  Motion motion{std::vector<double>(static_cast<std::size_t>(dimension * dimension), 0.0),
                std::vector<double>(static_cast<std::size_t>(dimension), 0.0)};
  for (Index k = 0; k < dimension; ++k) motion.rotation[k * dimension + k] = 1.0;
  return motion;
}

Motion composed(const Motion& outer, const Motion& inner) {
  const Index k = outer.dimension();
  Motion result{std::vector<double>(outer.rotation.size()), outer.shift};
  multiply<double>({outer.rotation.data(), k, k}, {inner.rotation.data(), k, k}, {result.rotation.data(), k, k});
  multiply_add<double>(1.0, {outer.rotation.data(), k, k}, {inner.shift.data(), k, 1}, 1.0,
                       {result.shift.data(), k, 1});
  return result;
}

void move(MatrixView<double> points, const Motion& motion) {
  const Index k = motion.dimension();
  Buffer<double> moved(points.rows * k);
  for (Index i = 0; i < points.rows; ++i) std::ranges::copy(motion.shift, moved.data() + i * k);
  multiply_add<double>(1.0, points, transposed<double>({motion.rotation.data(), k, k}), 1.0,
                       {moved.data(), points.rows, k});
  for (Index i = 0; i < points.rows; ++i) std::copy_n(moved.data() + i * k, k, points.row(i));
}

Alignment align(MatrixView<const double> a, MatrixView<const double> b, bool translate) {
  const Index k = a.columns;
  const std::vector<double> none(k, 0.0);
  const std::vector<double> mean_a = translate ? mean_of(a) : none, mean_b = translate ? mean_of(b) : none;
  Buffer<double> targets = less(a, mean_a);
  const Buffer<double> moved = less(b, mean_b);
  std::vector<double> product(k * k);  // AᵀB, column-major
  blas::gemm('N', 'T', static_cast<int>(k), static_cast<int>(k), static_cast<int>(a.rows), 1.0, targets.data(),
             static_cast<int>(k), moved.data(), static_cast<int>(k), 0.0, product.data(), static_cast<int>(k));
  Alignment result;
  result.motion = {polar_factor(k, product.data(), result.rank), mean_a};
  multiply_add<double>(-1.0, {result.motion.rotation.data(), k, k}, {mean_b.data(), k, 1}, 1.0,
                       {result.motion.shift.data(), k, 1});
  const double norm = squared_norm(targets);
  multiply_add<double>(-1.0, {moved.data(), a.rows, k}, transposed<double>({result.motion.rotation.data(), k, k}), 1.0,
                       {targets.data(), a.rows, k});
  result.residual = norm > 0 ? std::sqrt(squared_norm(targets) / norm) : 0.0;
  return result;
}

}  // namespace cairn
