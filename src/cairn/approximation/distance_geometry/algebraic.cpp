// The algebraically largest eigenpairs of all of K.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <type_traits>
#include <utility>

#include "cairn/approximation/column_sampling/landmark_block.hpp"
#include "cairn/approximation/column_sampling/landmark_columns.hpp"
#include "cairn/approximation/column_sampling/optimal.hpp"
#include "cairn/approximation/distance_geometry/distance_geometry.hpp"
#include "cairn/approximation/distance_geometry/gram_points.hpp"
#include "cairn/approximation/distance_geometry/sparse_operator.hpp"
#include "cairn/approximation/method_parameters.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"
#include "cairn/similarity/columns.hpp"

namespace cairn {

namespace {

// Single precision can reach residuals above this, at twice the speed.
constexpr double single_residual = 1e-5;

template <class T>
struct Pairs {
  std::vector<double> values;
  RowBlock<T> vectors;
};

template <class T, class Number>
Pairs<T> of_sparse(const Execution& execution, const RowPartition& partition, BalancedRows<Number> matrix, Index count,
                   double residual, MethodReport& report) {
  const BlockOperator<Number> product = sparse_operator(execution.communicator, partition, matrix, execution.threads);
  matrix = {};
  const BlockEigenRequest request{
      .count = count, .tolerance = residual, .seed = execution.seed, .threads = execution.threads};
  BlockEigenPairs<Number> found = largest_eigenpairs(execution.communicator, product, request, "eigenvectors");
  const double worst = *std::ranges::max_element(found.residuals) / found.magnitude;
  report.notes.push_back(
      fmt::format("block Lanczos in {} precision: {} products, {} vectors at most, residuals up to "
                  "{:.2g} of the largest eigenvalue",
                  sizeof(Number) == 4 ? "single" : "double", found.products, found.basis, worst));
  report.metrics.emplace_back("eigen_residual", worst);
  report.metrics.emplace_back("eigen_products", static_cast<double>(found.products));
  Pairs<T> pairs{std::move(found.values), collectively(execution.communicator, [&] {
                   return RowBlock<T>(product.partition, execution.communicator.rank(), count);
                 })};
  std::copy_n(found.vectors.local().data, found.vectors.local().rows * count, pairs.vectors.local().data);
  return pairs;
}

template <class T>
BalancedRows<float> in_single(BalancedRows<T> matrix) {
  Buffer<float> values(matrix.own_entries());
  std::ranges::transform(matrix.values.span(), values.data(), [](T value) { return static_cast<float>(value); });
  return {{matrix.rows, std::move(matrix.starts), std::move(matrix.columns), std::move(values)},
          std::move(matrix.ends)};
}

void require_few(Index objects) {
  require_few_objects(objects,
                      fmt::format("the method {} decomposes all of a K that is not sparse", algebraic_method().name),
                      fmt::format("take {} for more", build_up_method().name));
}

// Eigenpairs of all of K as a dense matrix.
template <class T>
Pairs<T> of_dense(Problem<T>& problem, Index count, MethodReport& report) {
  const Index n = problem.objects.size();
  require_few(n);
  const Execution& execution = problem.execution;
  std::vector<Index> all(n);
  std::iota(all.begin(), all.end(), Index{0});
  RowBlock<T> rows =
      evaluate_columns(execution, problem.similarity, problem.objects,
                       *problem.objects.gather(execution.communicator, all), similarities_phase, "columns");
  const auto phase = execution.phases.enter(core_phase);
  gram_points::center(execution.communicator, rows, all, problem.similarity.traits().meaning);
  const auto grid = std::make_shared<const ProcessGrid>(execution.communicator);
  BlockCyclicMatrix matrix = landmark_block(grid, rows, all, problem.similarity);
  rows = {};
  gram_points::TopPairs found = gram_points::top_pairs(execution, std::move(matrix), count,
                                                       problem.parameters.number("residual"), std::is_same_v<T, float>);
  report.spectrum = found.values;
  Pairs<T> pairs{std::move(found.values), collectively(execution.communicator, [&] {
                   return RowBlock<T>(problem.objects.partition(), execution.communicator.rank(), count);
                 })};
  std::copy_n(found.vectors.local().data, found.vectors.local().rows * count, pairs.vectors.local().data);
  return pairs;
}

// The scale of column k of U: λ^p, plus λ^(1 - p) if context vectors are added; and the entry of J that makes the
// product U Λ Uᵀ.
std::pair<double, double> scale_of(double value, double power, bool contexts) {
  const double scale = std::pow(value, power) + (contexts ? std::pow(value, 1 - power) : 0.0);
  return {scale, value / (scale * scale)};
}

template <class T>
Approximation<T> algebraic(Problem<T> problem) {
  const Values& values = problem.parameters;
  const Index wanted = values.integer("dimension");
  const double residual = values.number("residual");
  const Meaning meaning = problem.similarity.traits().meaning;
  const Execution& execution = problem.execution;
  const bool identity = values.number("power") == 0.5 && !values.flag("contexts");
  if (meaning == Meaning::distance && !identity) {
    values.refuse(values.flag("contexts") ? "contexts" : "power", "is for similarities; K is a distance");
  }
  MethodReport report;
  std::optional<BalancedRows<T>> sparse;
  {
    const auto phase = execution.phases.enter(similarities_phase);
    sparse = problem.similarity.nonzeros(execution.communicator);
  }
  Pairs<T> pairs;
  if (!sparse) {
    pairs = of_dense(problem, wanted, report);
  } else {
    const auto phase = execution.phases.enter(core_phase);
    const RowPartition& partition = problem.objects.partition();
    if (residual >= single_residual && !std::is_same_v<T, float>) {
      auto single = collectively(execution.communicator, [&] { return in_single(std::move(*sparse)); });
      pairs = of_sparse<T>(execution, partition, std::move(single), wanted, residual, report);
    } else {
      pairs = of_sparse<T>(execution, partition, std::move(*sparse), wanted, residual, report);
    }
    report.spectrum = pairs.values;
  }
  gram_points::TopPairs found;
  found.values = pairs.values;
  found.positive = std::ranges::count_if(pairs.values, [&](double value) { return value > 0; });
  const Index kept = gram_points::kept_pairs(found, wanted, values,
                                             fmt::format("the matrix of {} objects", problem.objects.size()), report);
  auto points = collectively(execution.communicator, [&] {
    return RowBlock<T>(pairs.vectors.partition(), execution.communicator.rank(), kept);
  });
  std::vector<double> core_matrix;
  for (Index k = 0; k < kept; ++k) {
    const auto [scale, entry] = scale_of(pairs.values[k], values.number("power"), values.flag("contexts"));
    core_matrix.push_back(entry);
    for (Index i = 0; i < points.local().rows; ++i) {
      points.local()(i, k) = static_cast<T>(scale * static_cast<double>(pairs.vectors.local()(i, k)));
    }
  }
  Approximation<T> result = gram_points::from_points(execution, std::move(points), meaning, std::move(report));
  if (!identity) result.core_matrix = DiagonalCore{std::move(core_matrix)};
  return result;
}

void check(const Values& values, const ProblemShape& shape) {
  gram_points::check_references(values, {.objects = shape.objects});
}

// For a sparse K: both triangles, while their values are copied, in single precision or completely by blocks of
// columns; then once, besides the basis.
MethodCost cost(const Values& values, const CostInput& input) {
  const Index dimension = values.integer("dimension"), n = input.data.objects;
  MethodCost cost{.left = dimension, .embedding = true, .core_matrix = dimension};
  if (input.data.count_pairs == 0) {  // all of K
    require_few(n);
    cost.dense = {gram_points::dense_size(n, dimension)};
    cost.columns = n;
    cost.core_bytes = method_parameters::symmetric_core_bytes(n, input.ranks, false);
    return cost;
  }
  const bool single = values.number("residual") >= single_residual;
  const Index number = single ? 4 : input.value_bytes, entries = 2 * input.data.count_pairs / input.ranks;
  const Index basis = search_space({.count = dimension}, n) * (n / input.ranks) * number;
  const Index made = std::max(single ? 4 + input.value_bytes + 4 : 0, 2 * (4 + number));  // bytes per entry
  cost.core_bytes = std::max(entries * made, entries * (4 + number) + basis);
  return cost;
}

}  // namespace

const MethodDescriptor& algebraic_method() {
  using enum ValueType;
  static const MethodDescriptor method{
      .name = "pmi-eigs",
      .summary =
          "The algebraically largest eigenpairs of all of K, V = U Lambda^power: the best vectors for v_i . v_j = "
          "K_ij; of a sparse K of any size, or of up to 30,000 objects.",
      .source = "Khalife, Gonçalves and Liberti 2022, equation 8; Levy, Goldberg and Dagan 2015",
      .parameters = {gram_points::dimension(),
                     gram_points::truncate(),
                     gram_points::tolerance("1e-4"),
                     {.name = "power",
                      .value = "NUMBER",
                      .type = number,
                      .fallback = "0.5",
                      .help = "The power of the eigenvalues that eigenvectors are multiplied by: 0.5 gives v_i . v_j = "
                              "K_ij; 0 and 1 weigh directions otherwise.",
                      .lowest = 0,
                      .highest = 1,
                      .rare = true},
                     {"contexts", "BOOL", flag, "false",
                      "Add the vectors of contexts, U Lambda^(1 - power), to those of words."}},
      .output = gram_points::outputs(),
      .needs = {.landmarks = false},
      .default_count = [](const Values& values, Index /*objects*/) { return values.integer("dimension"); },
      .check = check,
      .cost = cost,
      .run_single = algebraic<float>,
      .run_double = algebraic<double>};
  return method;
}

}  // namespace cairn
