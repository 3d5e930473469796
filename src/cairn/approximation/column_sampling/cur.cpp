#include "cairn/approximation/column_sampling/cur.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "cairn/approximation/column_sampling/landmark_block.hpp"
#include "cairn/approximation/column_sampling/landmark_columns.hpp"
#include "cairn/approximation/method_parameters.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"
#include "cairn/similarity/columns.hpp"

namespace cairn {

namespace {

// K~ = (K S1) (S2ᵀKS1)⁺ (K S2)ᵀ for any S2.
template <class T>
Approximation<T> join_samples(Problem<T> input, const std::vector<Index>& sample, double default_tolerance) {
  TallMatrix<T> columns = whole_landmark_columns(input);  // K S1
  SecondSample<T> second = evaluate_second_sample(input, columns, input.landmarks.indices, sample);
  const auto phase = input.execution.phases.enter(core_phase);
  const auto grid = std::make_shared<const ProcessGrid>(input.execution.communicator);
  BlockCyclicMatrix block = intersection_block(grid, columns, input.landmarks.indices, second.columns,
                                               second.origin.indices, input.similarity);  // S2ᵀKS1
  const double tolerance = method_parameters::tolerance_or(input.parameters, default_tolerance);
  MethodReport report;
  report.s1 = columns.columns();
  report.s2 = second.columns.columns();
  CoreFactors factors = pseudo_inverse_factors(std::move(block), tolerance, report);
  CurColumns<T> parts{std::move(columns), landmark_origin(input), std::move(second)};
  if (input.parameters.flag("embedding")) {
    return embed_columns(input.execution, std::move(parts), std::move(factors), std::move(report));
  }
  return join_columns(std::move(parts), multiply(factors.left, false, factors.right, true), std::move(report));
}

}  // namespace

double default_sicur_tolerance(bool single_precision) { return single_precision ? 1e-6 : 1e-10; }

double default_skeleton_tolerance() { return 1e-4; }

template <class T>
SecondSample<T> evaluate_second_sample(const Problem<T>& input, const TallMatrix<T>& columns,
                                       const std::vector<Index>& landmarks, const std::vector<Index>& sample) {
  const Communicator& communicator = input.execution.communicator;
  std::unordered_map<Index, Index> column_of;
  for (std::size_t j = 0; j < landmarks.size(); ++j) column_of.emplace(landmarks[j], static_cast<Index>(j));
  SecondSample<T> second;
  std::vector<Index>& indices = second.origin.indices;
  indices = sample;
  const auto middle =
      std::stable_partition(indices.begin(), indices.end(), [&](Index i) { return column_of.contains(i); });
  const std::vector<Index> fresh(middle, indices.end());
  const Index shared = middle - indices.begin();
  second.origin.objects = input.objects.gather(communicator, indices);
  second.columns = collectively(communicator, [&] {
    return columns.visit([&]<class N>(const RowBlock<N>& known) {
      RowBlock<N> values(columns.partition(), communicator.rank(), std::ssize(indices));
      for (Index i = values.range().begin; i < values.range().end; ++i) {
        const auto from = known.row(i);
        const auto to = values.row(i);
        for (std::size_t j = 0; j < static_cast<std::size_t>(shared); ++j) {
          to[j] = from[column_of.at(indices[j])];
        }
      }
      return TallMatrix<T>(std::move(values));
    });
  });
  if (!fresh.empty()) {
    const auto objects = input.objects.gather(communicator, fresh);
    evaluate_columns_into(input.execution, input.similarity, input.objects, *objects, second.columns, shared,
                          similarities_phase, "second-columns");
  }
  return second;
}

CoreFactors pseudo_inverse_factors(BlockCyclicMatrix matrix, double tolerance, MethodReport& report) {
  SingularValues decomposition = singular_value_decomposition(std::move(matrix));
  const std::vector<double>& values = decomposition.values;
  std::vector<Index> keep;
  std::vector<double> scales;
  for (std::size_t k = 0; k < values.size() && values[k] > tolerance * values.front(); ++k) {
    keep.push_back(static_cast<Index>(k));
    scales.push_back(1.0 / std::sqrt(values[k]));
  }
  if (keep.empty()) {
    throw Error(ErrorKind::numeric, fmt::format("the block of K between the two samples ({} x {}) is 0: choose other "
                                                "landmarks",
                                                decomposition.left.rows(), decomposition.right.rows()));
  }
  report.rank = static_cast<Index>(keep.size());
  report.dropped_eigenvalues = static_cast<Index>(values.size() - keep.size());
  CoreFactors factors{scale_columns(decomposition.right, keep, scales),
                      scale_columns(decomposition.left, keep, scales)};
  report.spectrum = std::move(decomposition.values);
  return factors;
}

template <class T>
Approximation<T> join_columns(CurColumns<T> columns, BlockCyclicMatrix core_matrix, MethodReport report) {
  Approximation<T> result;
  result.symmetric = false;
  result.left = std::move(columns.left);
  result.left_origin = std::move(columns.left_origin);
  if (columns.right) {
    result.right = std::move(columns.right->columns);
    result.right_origin = std::move(columns.right->origin);
  }
  result.core_matrix = DenseCore{std::move(core_matrix)};
  result.report = std::move(report);
  return result;
}

template <class T>
Approximation<T> embed_columns(const Execution& execution, CurColumns<T> columns, CoreFactors factors,
                               MethodReport report) {
  Approximation<T> result;
  result.symmetric = false;
  result.core_matrix = IdentityCore{factors.left.columns()};
  result.right = multiply_tall(columns.right ? columns.right->columns : columns.left, factors.right, execution.threads);
  result.right_origin = columns.right ? std::move(columns.right->origin) : columns.left_origin;
  columns.right.reset();
  result.left = multiply_tall(columns.left, factors.left, execution.threads);
  result.left_origin = std::move(columns.left_origin);
  result.left_origin->map = std::make_shared<const BlockCyclicMatrix>(std::move(factors.left));
  result.right_origin->map = std::make_shared<const BlockCyclicMatrix>(std::move(factors.right));
  result.report = std::move(report);
  return result;
}

template <class T>
Approximation<T> skeleton(Problem<T> input) {
  const std::vector<Index> sample = draw_apart(
      sampled_objects(input),
      method_parameters::second_sample_size(input.parameters, static_cast<Index>(input.landmarks.indices.size())),
      input.execution.seed);
  return join_samples(std::move(input), sample, default_skeleton_tolerance());
}

template <class T>
Approximation<T> sicur(Problem<T> input) {
  std::vector<Index> sample = input.landmarks.indices;
  const auto s1 = static_cast<Index>(sample.size());
  const EligibleObjects from = sampled_objects(input);
  const Index s2 = method_parameters::superset_size(input.parameters, s1, from.count());
  const std::vector<Index> beside =
      draw_beside(from, sample, s2 - s1, input.execution.seed, known_columns(input.similarity));
  sample.insert(sample.end(), beside.begin(), beside.end());
  return join_samples(std::move(input), sample, default_sicur_tolerance(std::is_same_v<T, float>));
}

template Approximation<float> skeleton(Problem<float>);
template Approximation<double> skeleton(Problem<double>);
template Approximation<float> sicur(Problem<float>);
template Approximation<double> sicur(Problem<double>);
template SecondSample<float> evaluate_second_sample(const Problem<float>&, const TallMatrix<float>&,
                                                    const std::vector<Index>&, const std::vector<Index>&);
template SecondSample<double> evaluate_second_sample(const Problem<double>&, const TallMatrix<double>&,
                                                     const std::vector<Index>&, const std::vector<Index>&);
template Approximation<float> join_columns(CurColumns<float>, BlockCyclicMatrix, MethodReport);
template Approximation<double> join_columns(CurColumns<double>, BlockCyclicMatrix, MethodReport);
template Approximation<float> embed_columns(const Execution&, CurColumns<float>, CoreFactors, MethodReport);
template Approximation<double> embed_columns(const Execution&, CurColumns<double>, CoreFactors, MethodReport);

namespace {

// Cost with two samples; `apart` columns are drawn independently of the landmarks.
MethodCost cost_of(const Values& values, const CostInput& input, Index s2, bool superset) {
  const Index s1 = input.landmarks;
  const auto order = static_cast<double>(s1);
  // Singular values and vectors of s2 x s1 [R-SVD; Golub and Van Loan 2013, section 8.6].
  const double singular = 6 * static_cast<double>(s2) * order * order + 20 * order * order * order;
  const bool embedding = values.flag("embedding");
  // Columns of the second sample are evaluated separately, then combined; all s2 columns exist before an embedding.
  const Index rows = (input.data.objects + input.ranks - 1) / input.ranks, fresh = superset ? s2 - s1 : s2;
  const Index beyond = embedding ? std::max<Index>(0, s2 - s1) : 0;
  return {.second = s2,
          .left = s1,
          .right = embedding ? s1 : s2,
          .columns = superset ? s2 : s1 + s2,
          .apart = superset ? 0 : s2,
          .whole_columns = !embedding,
          .embedding = embedding,
          .core_matrix = s1,
          .dense = {{s2, s1, DenseUse::singular}},
          .core_bytes = std::max(method_parameters::singular_core_bytes(s1, s2, input.ranks),
                                 rows * (fresh + beyond) * input.value_bytes),
          .eigen_flops = singular / input.ranks};
}

MethodCost skeleton_cost(const Values& values, const CostInput& input) {
  const Index s2 = method_parameters::second_sample_size(values, input.landmarks);
  return cost_of(values, input, std::min(s2, input.data.objects), false);
}

MethodCost sicur_cost(const Values& values, const CostInput& input) {
  return cost_of(values, input, method_parameters::superset_size(values, input.landmarks, input.data.objects), true);
}

}  // namespace

const MethodDescriptor& skeleton_method() {
  using namespace method_parameters;
  static const MethodDescriptor method{
      .name = "skeleton",
      .summary = "Skeleton approximation: K~ = K S1 (S2ᵀKS1)⁺ (K S2)ᵀ with a second sample that is drawn by itself.",
      .source = "Goreinov, Tyrtyshnikov, Zamarashkin 1997; Ray et al. 2022, section 3",
      .parameters = {tolerance(), second_sample("s1"), embedding(), symmetrize_result()},
      .check = check_second_sample,
      .cost = skeleton_cost,
      .run_single = skeleton<float>,
      .run_double = skeleton<double>};
  return method;
}

const MethodDescriptor& sicur_method() {
  using namespace method_parameters;
  static const MethodDescriptor method{
      .name = "sicur",
      .summary = "SiCUR: as skeleton, with a second sample that contains the landmarks; for indefinite similarities.",
      .source = "Ray et al. 2022, section 3",
      .parameters = {tolerance(), second_sample("2 s1"), embedding(), symmetrize_result()},
      .check = check_superset,
      .cost = sicur_cost,
      .run_single = sicur<float>,
      .run_double = sicur<double>};
  return method;
}

}  // namespace cairn
