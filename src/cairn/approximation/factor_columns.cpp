// Selected columns of K~.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "cairn/approximation/approximation.hpp"
#include "cairn/approximation/sparse_products.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/root_of_product.hpp"
#include "cairn/data/digest.hpp"
#include "cairn/linalg/dense/blas_threads.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"
#include "cairn/linalg/dense/row_product.hpp"

namespace cairn {

namespace {

constexpr Index panel_columns = 256;    // of K~ that are multiplied at once
constexpr Index converted_rows = 1024;  // that are converted to double at once

// picked * op(J)ᵀ, replicated, row-major: row b holds J P_bᵀ, or Jᵀ P_bᵀ if `transpose`. Collective.
Buffer<double> multiply_by_core(const CoreMatrix& core_matrix, const BlockCyclicMatrix& picked, bool transpose) {
  if (const auto* dense = std::get_if<DenseCore>(&core_matrix)) {
    const BlockCyclicMatrix product = multiply(picked, false, dense->matrix, !transpose);
    return replicate_columns(product, {0, product.columns()});
  }
  Buffer<double> product = replicate_columns(picked, {0, picked.columns()});
  if (const auto* diagonal = std::get_if<DiagonalCore>(&core_matrix)) {
    for (Index b = 0; b < picked.rows(); ++b) {
      for (Index k = 0; k < picked.columns(); ++k) {
        product[b * picked.columns() + k] *= diagonal->values[k];
      }
    }
  }
  return product;
}

// out = tall * smallᵀ for rows that are doubles already. Local.
void multiply_rows(MatrixView<const double> tall, const Buffer<double>& small, MatrixView<double> out) {
  multiply<double>(tall, transposed<double>({small.data(), out.columns, tall.columns}), out);
}

// Likewise for rows of single precision or integers.
template <class N>
void multiply_rows(MatrixView<const N> tall, const Buffer<double>& small, MatrixView<double> out) {
  Buffer<double> wide(std::min(converted_rows, tall.rows) * tall.columns);
  for (Index begin = 0; begin < tall.rows; begin += converted_rows) {
    const Index rows = std::min(converted_rows, tall.rows - begin);
    std::copy_n(tall.row(begin), rows * tall.columns, wide.data());
    multiply_rows(MatrixView<const double>(wide.data(), rows, tall.columns), small,
                  MatrixView<double>(out.row(begin), rows, out.columns, out.stride));
  }
}

double transformed(Transform transform, double value) {
  return transform == Transform::sqrt ? std::sqrt(std::max(0.0, value)) : value;
}

// g(tall J other_picksᵀ), or g(tall Jᵀ other_picksᵀ) if `transpose`. Collective.
template <class N, class M>
RowBlock<double> product_columns(const Communicator& communicator, const RowBlock<N>& tall, const RowBlock<M>& other,
                                 const CoreMatrix& core_matrix, Transform transform, std::span<const Index> picks,
                                 bool transpose) {
  const auto count = static_cast<Index>(picks.size());
  const auto* dense = std::get_if<DenseCore>(&core_matrix);
  const auto grid = dense != nullptr ? dense->matrix.shared_grid() : std::make_shared<const ProcessGrid>(communicator);
  auto result =
      collectively(communicator, [&] { return RowBlock<double>(tall.partition(), communicator.rank(), count); });
  for (Index begin = 0; begin < count; begin += panel_columns) {
    const Index width = std::min(panel_columns, count - begin);
    const auto part = picks.subspan(begin, width);
    const Buffer<double> small = multiply_by_core(core_matrix, select_rows(grid, other, part), transpose);
    const MatrixView<double> out = result.local();
    collectively(communicator, [&] {
      multiply_rows(tall.local(), small, MatrixView<double>(out.data + begin, out.rows, width, out.stride));
    });
  }
  const MatrixView<double> values = result.local();
  for (Index e = 0; e < values.rows * values.columns; ++e) values.data[e] = transformed(transform, values.data[e]);
  return result;
}

// Writes the mean of both to `values`. Local.
void average(RowBlock<double>& values, const RowBlock<double>& others) {
  const MatrixView<double> own = values.local();
  const MatrixView<const double> other = others.local();
  for (Index e = 0; e < own.rows * own.columns; ++e) own.data[e] = 0.5 * (own.data[e] + other.data[e]);
}

// Calls use(rows, others) with the rows of both as they are held.
template <class T, class Use>
RowBlock<double> with_both(const TallMatrix<T>& tall, const TallMatrix<T>& other, Use use) {
  return tall.visit(
      [&](const auto& rows) { return other.visit([&](const auto& others) { return use(rows, others); }); });
}

// K~(own rows, columns) = L (J L_columnsᵀ), with L evaluated in tiles. Collective.
template <class T>
RowBlock<double> columns_from_landmarks(const Execution& execution, const Approximation<T>& approximation,
                                        std::span<const Index> columns) {
  const LandmarkRows<T>& left = approximation.left.landmark_rows();
  const auto& grid = std::get<DenseCore>(approximation.core_matrix).matrix.shared_grid();
  std::vector<Index> places(columns.size());
  std::iota(places.begin(), places.end(), Index{0});
  const RowBlock<T> picked = left.at(execution, columns);
  const Buffer<double> small =
      multiply_by_core(approximation.core_matrix, select_rows(grid, picked, std::span<const Index>(places)), false);
  const auto loop = fmt::format("columns-{:016x}", hash_bytes(std::as_bytes(columns), 5));
  return left.mapped(execution, loop, std::ssize(columns),
                     [&](MatrixView<const T> rows, MatrixView<double> out) { multiply_rows(rows, small, out); });
}

// Cosines between rows of two factors: columns of tall otherᵀ, divided by the norms.
template <class N, class M>
RowBlock<double> cosine_columns(const Communicator& communicator, const RowBlock<N>& tall, const RowBlock<M>& other,
                                std::span<const Index> picks) {
  const CoreMatrix identity = IdentityCore{tall.columns()};
  RowBlock<double> cosines = product_columns(communicator, tall, other, identity, Transform::none, picks, false);
  const auto squared_norm = [](const auto& row) {
    double sum = 0;
    for (const auto value : row) sum += static_cast<double>(value) * static_cast<double>(value);
    return sum;
  };
  std::vector<double> norms(picks.size(), 0.0);
  for (std::size_t p = 0; p < picks.size(); ++p) {
    if (other.range().contains(picks[p])) norms[p] = squared_norm(other.row(picks[p]));
  }
  communicator.sum(std::span<double>(norms));
  for (Index i = tall.range().begin; i < tall.range().end; ++i) {
    const double own = squared_norm(tall.row(i));
    const auto row = cosines.row(i);
    for (std::size_t p = 0; p < picks.size(); ++p) {
      row[p] = own > 0 && norms[p] > 0 ? row[p] / root_of_product(own, norms[p]) : 0.0;
    }
  }
  return cosines;
}

}  // namespace

template <class T>
RowBlock<double> approximate_columns(const Execution& execution, const Approximation<T>& approximation,
                                     std::span<const Index> columns) {
  const BlasThreads scope(execution.threads);
  const bool tiles = std::holds_alternative<TiledCore>(approximation.core_matrix);
  if (tiles || approximation.left.is_sparse()) return sparse_columns(execution, approximation, columns);
  if (!approximation.left.is_stored()) return columns_from_landmarks(execution, approximation, columns);
  const auto columns_of = [&](const Factor<T>& tall, const Factor<T>& other, bool transpose) {
    return with_both(tall.tall(), other.tall(), [&](const auto& rows, const auto& others) {
      return product_columns(execution.communicator, rows, others, approximation.core_matrix, approximation.transform,
                             columns, transpose);
    });
  };
  RowBlock<double> result = columns_of(approximation.left, approximation.right_factor(), false);
  if (approximation.symmetrize && !approximation.symmetric) {
    average(result, columns_of(approximation.right_factor(), approximation.left, true));
  }
  return result;
}

template <class T>
RowBlock<double> columns_of_unseen(const Execution& execution, const Approximation<T>& known,
                                   const Approximation<T>& unseen, std::span<const Index> picks, bool by_angle) {
  const BlasThreads scope(execution.threads);
  const Communicator& communicator = execution.communicator;
  if (by_angle) {
    return with_both(known.left.tall(), unseen.left.tall(), [&](const auto& rows, const auto& others) {
      return cosine_columns(communicator, rows, others, picks);
    });
  }
  const auto columns_of = [&](const Factor<T>& tall, const Factor<T>& other, bool transpose) {
    return with_both(tall.tall(), other.tall(), [&](const auto& rows, const auto& others) {
      return product_columns(communicator, rows, others, known.core_matrix, known.transform, picks, transpose);
    });
  };
  if (known.symmetric) return columns_of(known.left, unseen.right_factor(), false);
  RowBlock<double> result = columns_of(known.right_factor(), unseen.left, true);
  if (known.symmetrize) average(result, columns_of(known.left, unseen.right_factor(), false));
  return result;
}

template RowBlock<double> approximate_columns(const Execution&, const Approximation<float>&, std::span<const Index>);
template RowBlock<double> approximate_columns(const Execution&, const Approximation<double>&, std::span<const Index>);
template RowBlock<double> columns_of_unseen(const Execution&, const Approximation<float>&, const Approximation<float>&,
                                            std::span<const Index>, bool);
template RowBlock<double> columns_of_unseen(const Execution&, const Approximation<double>&,
                                            const Approximation<double>&, std::span<const Index>, bool);

}  // namespace cairn
