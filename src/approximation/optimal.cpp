#include "approximation/optimal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "approximation/landmark_block.hpp"
#include "approximation/landmark_columns.hpp"
#include "base/error.hpp"
#include "linalg/dense_algorithms.hpp"
#include "similarity/columns.hpp"

namespace cairn {

namespace {

// The places of the `count` largest magnitudes, ascending; ties go to the lower place.
std::vector<Index> largest_magnitudes(const std::vector<double>& values, Index count) {
  std::vector<Index> order(values.size());
  std::iota(order.begin(), order.end(), Index{0});
  const auto magnitude = [&](Index k) { return std::abs(values[static_cast<std::size_t>(k)]); };
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return magnitude(a) > magnitude(b); });
  order.resize(static_cast<std::size_t>(count));
  std::sort(order.begin(), order.end());
  return order;
}

// All of K. The rows of the evaluation are freed before anything is decomposed.
template <class T>
BlockCyclicMatrix whole_matrix(const MethodInput<T>& input, const std::shared_ptr<const ProcessGrid>& grid) {
  std::vector<Index> all(static_cast<std::size_t>(input.objects.size()));
  std::iota(all.begin(), all.end(), Index{0});
  const auto objects = input.objects.gather(input.execution.communicator, all);
  const RowBlock<T> rows =
      evaluate_columns(input.execution, input.similarity, input.objects, *objects, similarities_phase, "columns");
  return landmark_block(grid, rows, all, input.similarity);
}

}  // namespace

template <class T>
Approximation<T> optimal(MethodInput<T> input) {
  const Index n = input.objects.size();
  if (n > most_optimal_objects) {
    throw Error(ErrorKind::resource,
                fmt::format("approximation.method = optimal decomposes all of K and takes at most {} objects, not {}: "
                            "it is a reference for small data",
                            most_optimal_objects, n));
  }
  const Index rank = input.parameters.rank;
  const auto grid = std::make_shared<const ProcessGrid>(input.execution.communicator);
  BlockCyclicMatrix matrix = whole_matrix(input, grid);
  const auto phase = input.execution.phases.enter(joining_phase);
  SymmetricEigen eigen = eigen_symmetric(std::move(matrix));
  const std::vector<Index> keep = largest_magnitudes(eigen.values, rank);
  std::vector<double> scales, diagonal;
  Approximation<T> result;
  for (const Index k : keep) {
    const double value = eigen.values[static_cast<std::size_t>(k)];
    scales.push_back(input.parameters.embedding ? std::sqrt(std::abs(value)) : 1.0);
    diagonal.push_back(input.parameters.embedding ? std::copysign(1.0, value) : value);
    if (value < 0.0) ++result.report.negative_eigenvalues;
  }
  result.left = to_row_block<T>(scale_columns(eigen.vectors, keep, scales), input.objects.partition());
  if (input.parameters.embedding && result.report.negative_eigenvalues == 0) {
    result.joining = IdentityJoining{rank};
  } else {
    result.joining = DiagonalJoining{std::move(diagonal)};
  }
  result.report.method = "optimal";
  result.report.rank = rank;
  result.report.dropped_eigenvalues = n - rank;
  result.report.spectrum = std::move(eigen.values);
  return result;
}

template Approximation<float> optimal(MethodInput<float>);
template Approximation<double> optimal(MethodInput<double>);

}  // namespace cairn
