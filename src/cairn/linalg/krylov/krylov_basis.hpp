// The basis of a block Krylov method. Private to this folder.
#pragma once

#include <utility>
#include <vector>

#include "cairn/base/buffer.hpp"
#include "cairn/base/matrix_view.hpp"
#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/random.hpp"

namespace cairn::detail {

/// A few tall vectors: own rows, column-major.
template <class T>
struct TallColumns {
  Index rows = 0;
  Index columns = 0;
  Buffer<T> values;

  TallColumns() = default;
  TallColumns(Index own_rows, Index count) : rows(own_rows), columns(count), values(own_rows * count) {}
  [[nodiscard]] T* column(Index j) { return values.data() + j * rows; }
  [[nodiscard]] const T* column(Index j) const { return values.data() + j * rows; }
};

/// Small matrices are replicated, column-major.
using Small = std::vector<double>;

/// XᵀY, x columns times y columns. Collective.
template <class T>
[[nodiscard]] Small inner_products(const Communicator& communicator, const T* x, Index x_columns, const T* y,
                                   Index y_columns, Index rows);
/// Y = Y + factor X S, S x_columns x y_columns. Local.
template <class T>
void add_product(const T* x, Index x_columns, const Small& s, double factor, T* y, Index y_columns, Index rows);

/// Makes the columns of `block` orthonormal, in place: block = Q R. [SVQB, Stathopoulos and Wu 2002, twice]
/// Directions that are linearly dependent to rounding become random vectors, orthogonal to the first `known` columns of
/// `basis`; R has zeros for them.
/// @return R, b x b. Collective.
template <class T>
[[nodiscard]] Small orthonormalize(const Communicator& communicator, TallColumns<T>& block, const TallColumns<T>& basis,
                                   Index known, Range own_rows, const Random& random, Index& draws);

/// Random normal columns: entry i of column j is the draw at address (i, draws + j); draws grows. Local.
template <class T>
void fill_random(TallColumns<T>& block, Index first_column, Range own_rows, const Random& random, Index& draws);

}  // namespace cairn::detail
