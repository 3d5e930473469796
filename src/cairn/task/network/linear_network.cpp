#include "cairn/task/network/linear_network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>

#include "cairn/approximation/catalog/methods.hpp"
#include "cairn/approximation/fetch_rows.hpp"
#include "cairn/approximation/random_features/affine_features.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/linalg/dense/blas_threads.hpp"
#include "cairn/linalg/dense/local_blas.hpp"
#include "cairn/linalg/dense/local_eigen.hpp"
#include "cairn/linalg/library_limits.hpp"
#include "cairn/task/network/numbers.hpp"

namespace cairn {

namespace {

constexpr Index rows_at_once = 1024;

int size_of(Index value) { return to_library_int(value, "inputs, features or rows of a network"); }

// Sums over the points: of x, and of (x - mean)(x - mean)ᵀ or only its trace.
struct InputMoments {
  std::vector<double> mean, second;  // second: inputs x inputs, or empty
  double variance = 0;               // the mean of |x - mean|²
};

template <class T>
InputMoments moments_of(const Execution& execution, const PointSet<T>& points, bool second) {
  const Communicator& communicator = execution.communicator;
  const RowBlock<T>& rows = points.coordinates();
  const Index d = points.dimension();
  const auto n = static_cast<double>(points.size());
  InputMoments moments;
  moments.mean.assign(d, 0.0);
  for (Index i = rows.range().begin; i < rows.range().end; ++i) {
    for (std::size_t k = 0; k < moments.mean.size(); ++k) moments.mean[k] += static_cast<double>(rows.row(i)[k]);
  }
  communicator.sum(std::span<double>(moments.mean));
  for (double& value : moments.mean) value /= n;
  collectively(communicator, [&] {
    if (second) moments.second.assign(d * d, 0.0);
    Buffer<double> block(std::min(rows_at_once, rows.range().size()) * d);
    const BlasThreads scope(execution.threads);
    for (Index begin = rows.range().begin; begin < rows.range().end; begin += rows_at_once) {
      const Index count = std::min(rows_at_once, rows.range().end - begin);
      for (Index i = 0; i < count; ++i) {
        for (Index k = 0; k < d; ++k) {
          const double moved = static_cast<double>(rows.row(begin + i)[k]) - moments.mean[k];
          block[i * d + k] = moved;
          moments.variance += moved * moved;
        }
      }
      if (second) {
        blas::gemm('N', 'T', size_of(d), size_of(d), size_of(count), 1.0, block.data(), size_of(d), block.data(),
                   size_of(d), 1.0, moments.second.data(), size_of(d));
      }
      Watchdog::beat();
    }
  });
  moments.variance = communicator.sum(moments.variance) / n;
  if (second) communicator.sum(std::span<double>(moments.second));
  return moments;
}

// The largest eigenvectors of the second moments, inputs x components. Sets moments.variance to the variance that they
// retain.
std::vector<double> basis_of(const Execution& execution, InputMoments& moments, Index components, double rows) {
  const auto d = static_cast<Index>(moments.mean.size());
  Buffer<double> vectors(d * components);
  std::vector<double> basis(d * components);
  collectively(execution.communicator, [&] {  // on rank 0: LAPACK may give different bits on different processors
    if (!execution.communicator.is_root()) return;
    const std::vector<double> values = largest_eigen_in_place(d, components, moments.second.data(), vectors.data());
    moments.variance = 0;
    for (Index k = 0; k < components; ++k) {
      moments.variance += std::max(0.0, values[k]) / rows;
      const double* vector = vectors.data() + (components - 1 - k) * d;  // descending
      const double* largest =
          std::max_element(vector, vector + d, [](double a, double b) { return std::abs(a) < std::abs(b); });
      const double sign = *largest < 0 ? -1.0 : 1.0;
      for (Index i = 0; i < d; ++i) basis[i * components + k] = sign * vector[i];
    }
  });
  execution.communicator.broadcast(std::span<double>(basis), 0);
  execution.communicator.broadcast(std::span<double>(&moments.variance, 1), 0);
  return basis;
}

std::span<const double> weights_of(const DenseNetwork& network, Index unit) {
  return std::span(network.hidden_weights).subspan(unit * network.inputs, network.inputs);
}

// Change of the inputs, with the constant that balances both sides.
AffineChange balanced_change(const DenseNetwork& network, std::vector<double> mean, std::vector<double> basis,
                             double variance) {
  const AffineChange unit(mean, basis, 1.0);
  std::vector<double> v(unit.columns());
  double weights = 0, biases = 0;
  for (Index k = 0; k < network.hidden; ++k) {
    unit.opposite(weights_of(network, k), network.hidden_biases[k], v);
    biases += v.back() * v.back();
    for (std::size_t i = 0; i + 1 < v.size(); ++i) weights += v[i] * v[i];
  }
  // (variance + c²)(weights + biases / c²) is minimal for c^4 = variance biases / weights.
  const double least = 1e-3 * std::sqrt(variance);
  const double best = weights > 0 ? std::sqrt(std::sqrt(variance * biases / weights)) : 1.0;
  const double constant = std::max(best, least);
  return {std::move(mean), std::move(basis), constant > 0 ? constant : 1.0};
}

template <class T>
PointSet<T> changed_points(const Execution& execution, const PointSet<T>& points, const AffineChange& change) {
  return collectively(execution.communicator, [&] {
    RowBlock<T> rows(points.partition(), execution.communicator.rank(), change.columns());
    const BlasThreads scope(execution.threads);
    change.apply(points.coordinates().local(), rows.local());
    return PointSet<T>(std::move(rows), execution.communicator.rank(), {});
  });
}

// The hidden units, distributed over the ranks.
template <class T>
PointSet<T> unit_points(const Communicator& communicator, const DenseNetwork& network, const AffineChange& change) {
  return collectively(communicator, [&] {
    RowBlock<T> rows(RowPartition(network.hidden, communicator.size()), communicator.rank(), change.columns());
    std::vector<double> v(change.columns());
    for (Index k = rows.range().begin; k < rows.range().end; ++k) {
      change.opposite(weights_of(network, k), network.hidden_biases[k], v);
      for (std::size_t i = 0; i < v.size(); ++i) rows.row(k)[i] = static_cast<T>(v[i]);
    }
    return PointSet<T>(std::move(rows), communicator.rank(), {});
  });
}

// J Rᵀ W2ᵀ. Collective.
template <class T>
std::vector<double> output_coefficients(const Execution& execution, const DenseNetwork& network,
                                        const Approximation<T>& approximation) {
  const Communicator& communicator = execution.communicator;
  const RowBlock<T>& right = approximation.right_factor().dense();
  const Index columns = right.columns();
  std::vector<Index> all(network.hidden);
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<Index>(k);
  const Buffer<T> found = fetch_rows(communicator, right, std::span<const Index>(all));
  return collectively(communicator, [&] {
    Buffer<double> units(found.size());
    std::copy_n(found.data(), found.size(), units.data());
    std::vector<double> coefficients(columns * network.outputs);
    const BlasThreads scope(execution.threads);
    blas::gemm('T', 'T', size_of(network.outputs), size_of(columns), size_of(network.hidden), 1.0,
               network.output_weights.data(), size_of(network.hidden), units.data(), size_of(columns), 0.0,
               coefficients.data(), size_of(network.outputs));
    if (const auto* diagonal = std::get_if<DiagonalCore>(&approximation.core_matrix)) {
      for (std::size_t k = 0; k < coefficients.size(); ++k) {
        coefficients[k] *= diagonal->values[k / static_cast<std::size_t>(network.outputs)];
      }
    }
    return coefficients;
  });
}

constexpr Index rows_in_block = 64;  // their features fit in a cache

// Processes blocks of this rank's rows on all threads. @param work  of (thread, first row, rows)
template <class Work>
void for_row_blocks(const Execution& execution, Index rows, Work work) {
  const BlasThreads one(1);
  const Index blocks = (rows + rows_in_block - 1) / rows_in_block;
  std::exception_ptr error;
#pragma omp parallel for num_threads(execution.threads) schedule(static)
  for (int thread = 0; thread < execution.threads; ++thread) {
    try {
      for (Index block = thread; block < blocks; block += execution.threads) {
        const Index begin = block * rows_in_block;
        work(thread, begin, std::min(rows_in_block, rows - begin));
      }
    } catch (...) {  // out of memory
#pragma omp critical(cairn_row_blocks)
      error = std::current_exception();
    }
  }
  if (error) std::rethrow_exception(error);
}

// out = rows · weights + biases.
template <class T>
void take_outputs(MatrixView<const T> rows, const std::vector<T>& weights, const std::vector<T>& biases,
                  MatrixView<T> out) {
  blas::gemm('N', 'N', size_of(out.columns), size_of(rows.rows), size_of(rows.columns), T(1), weights.data(),
             size_of(out.columns), rows.data, size_of(rows.stride), T(0), out.data, size_of(out.stride));
  add_to_rows(out, biases);
}

}  // namespace

template <class T>
LinearizedNetwork<T> linearize(const LinearizationInput& input, const PointSet<T>& points) {
  const Execution& execution = input.execution;
  const DenseNetwork& network = input.network;
  if (points.dimension() != network.inputs) {
    throw Error(ErrorKind::input, fmt::format("the network takes {} numbers, and the points have {} coordinates",
                                              network.inputs, points.dimension()));
  }
  if (input.components > network.inputs) {
    throw Error(ErrorKind::usage,
                fmt::format("{} components are asked for of {} inputs", input.components, network.inputs));
  }
  InputMoments moments = moments_of(execution, points, input.components > 0);
  std::vector<double> basis;
  if (input.components > 0) {
    basis = basis_of(execution, moments, input.components, static_cast<double>(points.size()));
  }
  AffineChange change = balanced_change(network, std::move(moments.mean), std::move(basis), moments.variance);
  const PointSet<T> left = changed_points(execution, points, change);
  const PointSet<T> right = unit_points<T>(execution.communicator, network, change);
  const auto similarity = make_similarity<T>(execution, input.activation, left);
  Approximation<T> approximation = approximate(input.method, Problem<T>{.execution = execution,
                                                                        .similarity = *similarity,
                                                                        .objects = left,
                                                                        .parameters = input.values,
                                                                        .right = &right});
  if (!approximation.left_origin || !approximation.left_origin->features) {
    throw Error(ErrorKind::usage, fmt::format("the method {} gives no features of points", input.method.name));
  }
  LinearizedNetwork<T> linear;
  linear.coefficients = output_coefficients(execution, network, approximation);
  linear.features = std::make_shared<const AffineFeatures>(std::move(change), approximation.left_origin->features);
  linear.left = std::move(approximation.left.dense());
  linear.report = std::move(approximation.report);
  return linear;
}

template <class T>
RowBlock<T> linear_outputs(const Execution& execution, const RowBlock<T>& left, std::span<const double> coefficients,
                           std::span<const double> intercepts) {
  const auto outputs = static_cast<Index>(intercepts.size());
  RowBlock<T> result(left.partition(), execution.communicator.rank(), outputs);
  const std::vector<T> weights = in_precision<T>(coefficients), biases = in_precision<T>(intercepts);
  const MatrixView<const T> from = left.local();
  const MatrixView<T> to = result.local();
  for_row_blocks(execution, from.rows, [&](int /*thread*/, Index begin, Index rows) {
    take_outputs<T>({from.row(begin), rows, from.columns, from.stride}, weights, biases,
                    {to.row(begin), rows, outputs});
  });
  return result;
}

template <class T>
RowBlock<T> feature_outputs(const Execution& execution, const RowBlock<T>& points, const FeatureMap& features,
                            std::span<const double> coefficients, std::span<const double> intercepts) {
  const auto outputs = static_cast<Index>(intercepts.size());
  RowBlock<T> result(points.partition(), execution.communicator.rank(), outputs);
  const std::vector<T> weights = in_precision<T>(coefficients), biases = in_precision<T>(intercepts);
  const MatrixView<const T> from = points.local();
  const MatrixView<T> to = result.local();
  const Index columns = features.columns();
  Buffer<T> scratch(execution.threads * rows_in_block * columns);
  for_row_blocks(execution, from.rows, [&](int thread, Index begin, Index rows) {
    const MatrixView<T> left(scratch.data() + thread * rows_in_block * columns, rows, columns);
    features.apply(MatrixView<const T>(from.row(begin), rows, from.columns, from.stride), left);
    take_outputs<T>({left.data, rows, columns}, weights, biases, {to.row(begin), rows, outputs});
    Watchdog::beat();
  });
  return result;
}

template RowBlock<float> feature_outputs(const Execution&, const RowBlock<float>&, const FeatureMap&,
                                         std::span<const double>, std::span<const double>);
template RowBlock<double> feature_outputs(const Execution&, const RowBlock<double>&, const FeatureMap&,
                                          std::span<const double>, std::span<const double>);
template LinearizedNetwork<float> linearize(const LinearizationInput&, const PointSet<float>&);
template LinearizedNetwork<double> linearize(const LinearizationInput&, const PointSet<double>&);
template RowBlock<float> linear_outputs(const Execution&, const RowBlock<float>&, std::span<const double>,
                                        std::span<const double>);
template RowBlock<double> linear_outputs(const Execution&, const RowBlock<double>&, std::span<const double>,
                                         std::span<const double>);

}  // namespace cairn
