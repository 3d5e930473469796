#include "cairn/approximation/distance_geometry/gram_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <unordered_map>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"
#include "cairn/linalg/dense/local_blas.hpp"

namespace cairn::gram_points {

namespace {

constexpr Index decomposed_rows = 1500;  // up to here a decomposition takes no longer than block Lanczos

// Y = A X for dense rows of A. X is gathered on every rank: n x b.
BlockOperator<double> dense_operator(const Communicator& communicator, const RowBlock<double>& rows) {
  return {rows.partition(), [&communicator, &rows](MatrixView<const double> x, MatrixView<double> y) {
            const std::vector<double> all =
                communicator.all_gather(std::span<const double>(x.data, static_cast<std::size_t>(x.rows * x.columns)));
            const int b = static_cast<int>(x.columns), n = static_cast<int>(rows.columns()),
                      own = static_cast<int>(x.rows);
            if (own == 0) return;
            // Row-major Y = A X is column-major Yᵀ = Xᵀ Aᵀ.
            blas::gemm('N', 'N', b, own, n, 1.0, all.data(), b, rows.local().data, n, 0.0, y.data, b);
          }};
}

TopPairs by_decomposition(BlockCyclicMatrix matrix, Index count) {
  const RowPartition partition(matrix.rows(), matrix.grid().communicator().size());
  const int rank = matrix.grid().communicator().rank();
  const Index n = matrix.rows();
  SymmetricEigen eigen = eigen_symmetric(std::move(matrix));
  std::vector<Index> keep;
  for (Index j = n - count; j < n; ++j) keep.push_back(j);
  const auto ascending =
      to_row_block<double>(scale_columns(eigen.vectors, keep, std::vector<double>(keep.size(), 1.0)), partition);
  TopPairs pairs{
      {eigen.values.rbegin(), eigen.values.rbegin() + count},
      collectively(eigen.vectors.grid().communicator(), [&] { return RowBlock<double>(partition, rank, count); })};
  for (Index i = 0; i < ascending.range().size(); ++i) {
    for (Index j = 0; j < count; ++j) pairs.vectors.local()(i, j) = ascending.local()(i, count - 1 - j);
  }
  return pairs;
}

bool takes_decomposition(Index n, Index count) {
  const BlockEigenRequest request{.count = count};
  return n <= decomposed_rows || search_space(request, n) + request.block > n;
}

TopPairs with_limit(TopPairs pairs, Index n, bool single_precision) {
  const double unit = single_precision ? static_cast<double>(std::numeric_limits<float>::epsilon())
                                       : std::numeric_limits<double>::epsilon();
  pairs.least = static_cast<double>(n) * unit * std::max(pairs.values.front(), 0.0);
  pairs.positive = std::ranges::count_if(pairs.values, [&](double value) { return value > pairs.least; });
  return pairs;
}

}  // namespace

Parameter dimension() {
  return {.name = "dimension",
          .value = "K",
          .type = ValueType::integer,
          .fallback = "200",
          .help = "Coordinates of a point: of the vector of a word.",
          .lowest = 1,
          .highest = 1e6};
}

Parameter truncate() {
  return {
      .name = "truncate",
      .value = "BOOL",
      .type = ValueType::flag,
      .fallback = "false",
      .help =
          "If fewer than dimension eigenvalues are positive, keep those, with a warning; otherwise it is an error."};
}

Parameter tolerance(const std::string& fallback) {
  return {.name = "residual",
          .value = "NUMBER",
          .type = ValueType::number,
          .fallback = fallback,
          .help =
              "The largest residual |A v - lambda v| of an eigenvector, relative to the largest eigenvalue, if a few "
              "of many are computed.",
          .above = 0,
          .below = 1};
}

std::vector<Parameter> outputs() {
  return {{.name = "vectors",
           .value = "FILE",
           .type = ValueType::output_path,
           .help = "Also write the points with their labels (words) for other programs, in a format of word2vec: text, "
                   "or binary if the name ends in .bin."}};
}

Index default_references(const Values& values, Index objects) {
  return std::min(4 * values.integer("dimension"), objects);
}

void check_references(const Values& values, const ProblemShape& shape) {
  const Index dimension = values.integer("dimension");
  if (shape.objects > 0 && dimension >= shape.objects) {
    throw Error(ErrorKind::usage, fmt::format("{} = {} is not below the number of objects, {}",
                                              values.where("dimension"), dimension, shape.objects));
  }
  if (shape.landmarks > 0 && dimension >= shape.landmarks) {
    throw Error(ErrorKind::usage,
                fmt::format("{} = {} is not below the number of references, {}: {} + 1 are needed at least",
                            values.where("dimension"), dimension, shape.landmarks, dimension));
  }
}

template <class T>
void center(const Communicator& communicator, RowBlock<T>& columns, std::span<const Index> indices, Meaning meaning) {
  if (meaning != Meaning::distance) return;
  const MatrixView<T> own = columns.local();
  const Index m = columns.columns();
  auto row_means =
      collectively(communicator, [&] { return std::vector<double>(static_cast<std::size_t>(own.rows), 0.0); });
  for (Index i = 0; i < own.rows; ++i) {
    double sum = 0;
    for (Index j = 0; j < m; ++j) {
      const auto distance = static_cast<double>(own(i, j));
      sum += distance * distance;
    }
    row_means[i] = sum / static_cast<double>(m);
  }
  std::vector<double> means(indices.size(), 0.0);  // of the references
  for (std::size_t k = 0; k < indices.size(); ++k) {
    if (columns.range().contains(indices[k])) means[k] = row_means[indices[k] - columns.range().begin];
  }
  communicator.sum(std::span<double>(means));
  double mean = 0;
  for (const double value : means) mean += value / static_cast<double>(m);
  for (Index i = 0; i < own.rows; ++i) {
    const double of_row = row_means[i];
    for (Index j = 0; j < m; ++j) {
      const auto distance = static_cast<double>(own(i, j));
      own(i, j) = static_cast<T>(-0.5 * (distance * distance - of_row - means[j] + mean));
    }
  }
}

TopPairs top_pairs(const Execution& execution, BlockCyclicMatrix matrix, Index count, double tolerance,
                   bool single_precision) {
  const Index n = matrix.rows();
  if (takes_decomposition(n, count)) return with_limit(by_decomposition(std::move(matrix), count), n, single_precision);
  RowBlock<double> rows = to_row_block<double>(matrix, RowPartition(n, execution.communicator.size()));
  return top_pairs(execution, std::move(rows), count, tolerance, single_precision);
}

TopPairs top_pairs(const Execution& execution, RowBlock<double> matrix, Index count, double tolerance,
                   bool single_precision) {
  const Communicator& communicator = execution.communicator;
  const Index n = matrix.rows();
  if (takes_decomposition(n, count)) {
    const auto grid = std::make_shared<const ProcessGrid>(communicator);
    return with_limit(by_decomposition(to_block_cyclic(grid, matrix), count), n, single_precision);
  }
  const BlockEigenRequest request{
      .count = count, .tolerance = tolerance, .seed = execution.seed, .threads = execution.threads};
  BlockEigenPairs<double> found =
      largest_eigenpairs(communicator, dense_operator(communicator, matrix), request, "eigenvectors");
  return with_limit({std::move(found.values), std::move(found.vectors)}, n, single_precision);
}

DenseSize dense_size(Index n, Index count) {
  return {n, n, takes_decomposition(n, count) ? DenseUse::eigen : DenseUse::stored};
}

Index kept_pairs(const TopPairs& pairs, Index dimension, const Values& values, const std::string& what,
                 MethodReport& report) {
  report.rank = std::min(pairs.positive, dimension);
  report.spectrum = pairs.values;
  if (pairs.positive > 0) {
    const double condition = std::sqrt(pairs.values.front() / pairs.values[static_cast<std::size_t>(report.rank) - 1]);
    report.metrics.emplace_back("condition_estimate", condition);
    report.notes.push_back(fmt::format("the factor R of {} has the condition {:.3g}", what, condition));
  }
  if (pairs.positive >= dimension) return dimension;
  const std::string found =
      fmt::format("of the {} largest eigenvalues of {} only {} are positive", dimension, what, pairs.positive);
  if (pairs.positive == 0 || !values.flag("truncate")) {
    throw Error(ErrorKind::numeric,
                fmt::format("{}, so that the triangular factor R is singular: take more references, a smaller {}{}",
                            found, values.keys()("dimension"),
                            pairs.positive == 0 ? "" : fmt::format(", or {} = true", values.keys()("truncate"))));
  }
  report.warnings.push_back(fmt::format("{}: points have {} coordinates", found, pairs.positive));
  return pairs.positive;
}

template <class T>
Approximation<T> from_points(const Execution& execution, RowBlock<T> points, Meaning meaning, MethodReport report) {
  Approximation<T> result;
  const Index dimension = points.columns();
  if (meaning != Meaning::distance) {
    result.core_matrix = IdentityCore{dimension};
    result.left = std::move(points);
  } else {
    auto left = collectively(execution.communicator, [&] {
      return RowBlock<T>(points.partition(), execution.communicator.rank(), dimension + 2);
    });
    for (Index i = points.range().begin; i < points.range().end; ++i) {
      const std::span<const T> point = std::as_const(points).row(i);
      double norm = 0;
      for (const T x : point) norm += static_cast<double>(x) * static_cast<double>(x);
      const std::span<T> row = left.row(i);
      std::ranges::copy(point, row.begin());
      row[dimension] = static_cast<T>(norm);
      row[static_cast<std::size_t>(dimension) + 1] = T(1);
    }
    BlockCyclicMatrix core_matrix(std::make_shared<const ProcessGrid>(execution.communicator), dimension + 2,
                                  dimension + 2);
    core_matrix.fill([dimension](Index i, Index j) {
      if (i < dimension || j < dimension) return i == j ? -2.0 : 0.0;
      return i == j ? 0.0 : 1.0;
    });
    result.left = std::move(left);
    result.core_matrix = DenseCore{std::move(core_matrix)};
    result.transform = Transform::sqrt;
  }
  result.report = std::move(report);
  return result;
}

#define CAIRN_INSTANTIATE(T)                                                                \
  template void center(const Communicator&, RowBlock<T>&, std::span<const Index>, Meaning); \
  template Approximation<T> from_points(const Execution&, RowBlock<T>, Meaning, MethodReport);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::gram_points
