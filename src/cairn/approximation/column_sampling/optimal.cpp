#include "cairn/approximation/column_sampling/optimal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "cairn/approximation/column_sampling/landmark_block.hpp"
#include "cairn/approximation/column_sampling/landmark_columns.hpp"
#include "cairn/approximation/method_parameters.hpp"
#include "cairn/base/error.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"
#include "cairn/similarity/columns.hpp"

namespace cairn {

namespace {

// The positions of the `count` largest magnitudes, ascending; ties go to the lower position.
std::vector<Index> largest_magnitudes(const std::vector<double>& values, Index count) {
  std::vector<Index> order(values.size());
  std::iota(order.begin(), order.end(), Index{0});
  const auto magnitude = [&](Index k) { return std::abs(values[k]); };
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return magnitude(a) > magnitude(b); });
  order.resize(count);
  std::sort(order.begin(), order.end());
  return order;
}

// All of K. The rows of the evaluation are freed before the decomposition.
template <class T>
BlockCyclicMatrix whole_matrix(const Problem<T>& input, const std::shared_ptr<const ProcessGrid>& grid) {
  std::vector<Index> all(input.objects.size());
  std::iota(all.begin(), all.end(), Index{0});
  const auto objects = input.objects.gather(input.execution.communicator, all);
  const RowBlock<T> rows =
      evaluate_columns(input.execution, input.similarity, input.objects, *objects, similarities_phase, "columns");
  return landmark_block(grid, rows, all, input.similarity);
}

Index rank_of(const Values& values, Index count) { return values.integer_or("rank", count); }

}  // namespace

void require_few_objects(Index objects, const std::string& what, const std::string& advice) {
  if (objects <= most_optimal_objects) return;
  throw Error(ErrorKind::resource,
              fmt::format("{} and takes at most {} objects, not {}: {}", what, most_optimal_objects, objects, advice));
}

template <class T>
Approximation<T> optimal(Problem<T> input) {
  const Index n = input.objects.size();
  const Index rank = rank_of(input.parameters, input.count);
  const bool embedding = input.parameters.flag("embedding");
  const auto grid = std::make_shared<const ProcessGrid>(input.execution.communicator);
  BlockCyclicMatrix matrix = whole_matrix(input, grid);
  const auto phase = input.execution.phases.enter(core_phase);
  SymmetricEigen eigen = eigen_symmetric(std::move(matrix));
  const std::vector<Index> keep = largest_magnitudes(eigen.values, rank);
  std::vector<double> scales, diagonal;
  Approximation<T> result;
  for (const Index k : keep) {
    const double value = eigen.values[k];
    scales.push_back(embedding ? std::sqrt(std::abs(value)) : 1.0);
    diagonal.push_back(embedding ? std::copysign(1.0, value) : value);
    if (value < 0.0) ++result.report.negative_eigenvalues;
  }
  result.left = to_row_block<T>(scale_columns(eigen.vectors, keep, scales), input.objects.partition());
  if (embedding && result.report.negative_eigenvalues == 0) {
    result.core_matrix = IdentityCore{rank};
  } else {
    result.core_matrix = DiagonalCore{std::move(diagonal)};
  }
  result.report.rank = rank;
  result.report.dropped_eigenvalues = n - rank;
  result.report.spectrum = std::move(eigen.values);
  return result;
}

template Approximation<float> optimal(Problem<float>);
template Approximation<double> optimal(Problem<double>);

namespace {

void check(const Values& values, const ProblemShape& shape) {
  if (shape.objects == 0) return;
  require_few_objects(shape.objects, fmt::format("the method {} decomposes all of K", optimal_method().name),
                      "it is a reference for small data");
  const Index rank = rank_of(values, shape.landmarks);
  if (rank >= 1 && rank <= shape.objects) return;
  throw Error(ErrorKind::usage, fmt::format("{} = {} is not between 1 and the number of objects, {}",
                                            values.where("rank"), rank, shape.objects));
}

MethodCost cost(const Values& values, const CostInput& input) {
  const Index n = input.data.objects, rank = rank_of(values, input.landmarks);
  const auto order = static_cast<double>(n);
  return {.left = rank,
          .columns = n,
          .embedding = values.flag("embedding"),
          .core_matrix = n,
          .dense = {{n, n, DenseUse::eigen}},
          .core_bytes = method_parameters::symmetric_core_bytes(n, input.ranks, false),
          .eigen_flops = 9 * order * order * order / input.ranks};
}

}  // namespace

const MethodDescriptor& optimal_method() {
  using namespace method_parameters;
  static const MethodDescriptor method{
      .name = "optimal",
      .summary =
          "The best approximation of a rank: the eigenvalues of largest magnitude of all of K; a reference for "
          "small data.",
      .source = "Eckart and Young 1936",
      .parameters = {{.name = "rank",
                      .value = "N",
                      .type = ValueType::integer,
                      .help = "The rank that is kept; by default landmarks.count.",
                      .lowest = 1},
                     embedding(),
                     symmetrize_result()},
      .needs = {.landmarks = false},
      .count_parameter = "rank",
      .check = check,
      .cost = cost,
      .run_single = optimal<float>,
      .run_double = optimal<double>};
  return method;
}

}  // namespace cairn
