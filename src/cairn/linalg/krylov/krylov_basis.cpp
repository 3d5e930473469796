#include "cairn/linalg/krylov/krylov_basis.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/linalg/dense/local_blas.hpp"
#include "cairn/linalg/dense/local_eigen.hpp"

namespace cairn::detail {

namespace {

template <class T>
std::vector<T> in_precision(const Small& small) {
  return {small.begin(), small.end()};
}

// Rank 0's result is used by all ranks: processors of different kinds round differently.
Small eigen_of(const Communicator& communicator, Small matrix, Index size, std::vector<double>& values) {
  values.assign(size, 0.0);
  collectively(communicator, [&] {
    if (communicator.is_root()) values = eigen_in_place(size, matrix.data());
  });
  communicator.broadcast(std::span(values), 0);
  communicator.broadcast(std::span(matrix), 0);
  return matrix;
}

Small product_of(const Small& a, const Small& b, Index size) {
  Small c(a.size(), 0.0);
  const int n = static_cast<int>(size);
  blas::gemm('N', 'N', n, n, n, 1.0, a.data(), n, b.data(), n, 0.0, c.data(), n);
  return c;
}

// One pass of SVQB: block = block S, S = D U Λ^(-1/2), whose inverse is Λ^(1/2) Uᵀ D⁻¹. Columns of linearly dependent
// directions become zeros. @return the inverse; `lost` lists these columns
template <class T>
Small orthogonalize(const Communicator& communicator, TallColumns<T>& block, std::vector<Index>& lost) {
  const Index b = block.columns;
  const auto at = [b](Index i, Index j) { return static_cast<std::size_t>(j * b + i); };
  Small gram = inner_products(communicator, block.values.data(), b, block.values.data(), b, block.rows);
  std::vector<double> scale(b, 0.0), values;
  bool finite = true;
  for (Index j = 0; j < b; ++j) finite = finite && std::isfinite(gram[at(j, j)]);
  if (!finite) {
    throw Error(ErrorKind::numeric,
                "a matrix-vector product is not finite; check the matrix for infinite or NaN entries");
  }
  for (Index j = 0; j < b; ++j) scale[j] = gram[at(j, j)] > 0 ? 1.0 / std::sqrt(gram[at(j, j)]) : 0.0;
  for (Index j = 0; j < b; ++j) {
    for (Index i = 0; i < b; ++i) gram[at(i, j)] *= scale[i] * scale[j];
  }
  const Small vectors = eigen_of(communicator, std::move(gram), b, values);
  const double least =
      static_cast<double>(b) * static_cast<double>(std::numeric_limits<T>::epsilon()) * std::max(values.back(), 0.0);
  Small forward(vectors.size(), 0.0), back(vectors.size(), 0.0);
  lost.clear();
  for (Index j = 0; j < b; ++j) {
    const double value = values[j];
    if (!(value > least)) {
      lost.push_back(j);
      continue;
    }
    const double root = std::sqrt(value);
    for (Index i = 0; i < b; ++i) {
      const double s = scale[i];
      forward[at(i, j)] = s * vectors[at(i, j)] / root;
      back[at(j, i)] = s > 0 ? root * vectors[at(i, j)] / s : 0.0;
    }
  }
  TallColumns<T> result(block.rows, b);
  std::fill_n(result.values.data(), result.values.size(), T(0));
  add_product(block.values.data(), b, forward, 1.0, result.values.data(), b, block.rows);
  block = std::move(result);
  return back;
}

}  // namespace

template <class T>
Small inner_products(const Communicator& communicator, const T* x, Index x_columns, const T* y, Index y_columns,
                     Index rows) {
  std::vector<T> own(x_columns * y_columns, T(0));
  const int m = static_cast<int>(x_columns), n = static_cast<int>(y_columns), k = static_cast<int>(rows),
            lead = std::max(k, 1);
  if (k > 0 && m > 0 && n > 0) blas::gemm('T', 'N', m, n, k, T(1), x, lead, y, lead, T(0), own.data(), m);
  Small sums(own.begin(), own.end());
  communicator.sum(std::span<double>(sums));
  return sums;
}

template <class T>
void add_product(const T* x, Index x_columns, const Small& s, double factor, T* y, Index y_columns, Index rows) {
  if (rows == 0 || x_columns == 0 || y_columns == 0) return;
  const std::vector<T> small = in_precision<T>(s);
  const int m = static_cast<int>(rows), n = static_cast<int>(y_columns), k = static_cast<int>(x_columns);
  blas::gemm('N', 'N', m, n, k, static_cast<T>(factor), x, m, small.data(), k, T(1), y, m);
}

template <class T>
void fill_random(TallColumns<T>& block, Index first_column, Range own_rows, const Random& random, Index& draws) {
  for (Index j = first_column; j < block.columns; ++j) {
    for (Index i = 0; i < block.rows; ++i) {
      block.column(j)[i] = static_cast<T>(
          random.normal(static_cast<std::uint64_t>(own_rows.begin + i), static_cast<std::uint64_t>(draws)));
    }
    ++draws;
  }
}

template <class T>
Small orthonormalize(const Communicator& communicator, TallColumns<T>& block, const TallColumns<T>& basis, Index known,
                     Range own_rows, const Random& random, Index& draws) {
  std::vector<Index> lost;
  Small r = orthogonalize(communicator, block, lost);
  if (!lost.empty()) {
    TallColumns<T> fresh(block.rows, std::ssize(lost));
    fill_random(fresh, 0, own_rows, random, draws);
    for (std::size_t k = 0; k < lost.size(); ++k)
      std::copy_n(fresh.column(static_cast<Index>(k)), block.rows, block.column(lost[k]));
    // Makes the random columns orthogonal to the basis. The next pass makes them orthogonal to the other columns and
    // normalizes them.
    for (int pass = 0; pass < 2; ++pass) {
      const Small of_basis =
          inner_products(communicator, basis.values.data(), known, block.values.data(), block.columns, block.rows);
      add_product(basis.values.data(), known, of_basis, -1.0, block.values.data(), block.columns, block.rows);
    }
  }
  r = product_of(orthogonalize(communicator, block, lost), r, block.columns);
  return product_of(orthogonalize(communicator, block, lost), r, block.columns);
}

#define CAIRN_INSTANTIATE(T)                                                                               \
  template Small inner_products(const Communicator&, const T*, Index, const T*, Index, Index);             \
  template void add_product(const T*, Index, const Small&, double, T*, Index, Index);                      \
  template void fill_random(TallColumns<T>&, Index, Range, const Random&, Index&);                         \
  template Small orthonormalize(const Communicator&, TallColumns<T>&, const TallColumns<T>&, Index, Range, \
                                const Random&, Index&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::detail
