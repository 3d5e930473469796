#include "cairn/approximation/column_sampling/nystrom.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

#include "cairn/approximation/column_sampling/block_core.hpp"
#include "cairn/approximation/column_sampling/landmark_block.hpp"
#include "cairn/approximation/column_sampling/landmark_columns.hpp"
#include "cairn/approximation/column_sampling/principal_block.hpp"
#include "cairn/approximation/method_parameters.hpp"
#include "cairn/approximation/symmetric_core.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"

namespace cairn {

namespace {

// K~ = K S J SᵀK with J from K among `rows` objects.
template <class T>
Approximation<T> nystrom_of_block(Problem<T> input, TallMatrix<T> columns, Index rows, const SpectrumRule& rule,
                                  MethodReport report) {
  const bool kept = input.sample != nullptr && input.similarity.distances() == nullptr;
  SampleBlock<T> beside = kept ? std::move(*input.sample) : SampleBlock<T>{};
  const auto draw = [&] {
    const auto phase = input.execution.phases.enter(core_phase);
    const std::unordered_set<Index> landmarks(input.landmarks.indices.begin(), input.landmarks.indices.end());
    const Index there = std::ranges::count_if(beside.indices, [&](Index x) { return !landmarks.contains(x); });
    // The columns come by entries.
    return leverage_rows(input, columns.numbers(), beside.indices, std::max<Index>(0, rows - report.s1 - there));
  };
  const std::vector<Index> more = draw();
  if (kept) {
    add_to_block(input, std::span(more), beside);
  } else {
    beside = evaluate_among(input, more, block_strips);
  }
  const auto phase = input.execution.phases.enter(core_phase);
  const auto grid = std::make_shared<const ProcessGrid>(input.execution.communicator);
  SymmetricRoot root =
      block_core(principal_block(input, columns, input.landmarks.indices, beside, grid), report.s1, rule, report);
  report.s2 = rows;
  if (kept) *input.sample = std::move(beside);
  return join_root(input.execution, std::move(columns), std::move(root), input.parameters.flag("embedding"),
                   landmark_origin(input), std::move(report));
}

// K~ from K among the landmarks alone; L is evaluated whenever it is needed.
template <class T>
Approximation<T> nystrom_of_landmarks(Problem<T> input, const SpectrumRule& rule) {
  const Communicator& communicator = input.execution.communicator;
  MethodReport report;
  report.s1 = std::ssize(input.landmarks.indices);
  const SampleBlock<T> among = evaluate_among(input, input.landmarks.indices, block_strips);
  const auto phase = input.execution.phases.enter(core_phase);
  const TallMatrix<T> none(RowBlock<T>(input.objects.partition(), communicator.rank(), 0));
  BlockCyclicMatrix block = principal_block(input, none, {}, among, std::make_shared<const ProcessGrid>(communicator));
  Approximation<T> result;
  result.left_origin = landmark_origin(input);
  const LandmarkRows<T> left(communicator.rank(), input.similarity, input.objects, result.left_origin->objects);
  const auto are_zero = [&] {
    const std::vector<double> squares = left.squared_norms(input.execution);
    return communicator.maximum(squares.empty() ? 0.0 : *std::max_element(squares.begin(), squares.end())) == 0.0;
  };
  if (frobenius_norm(block) == 0.0 && are_zero()) {
    report.dropped_eigenvalues = report.s1;
    note_of_zero(report);
    result.core_matrix = DenseCore{std::move(block)};
  } else {
    result.core_matrix = DenseCore{pseudo_inverse(std::move(block), rule, report)};
  }
  result.left = left;
  result.report = std::move(report);
  return result;
}

}  // namespace

template <class T>
Approximation<T> nystrom(Problem<T> input) {
  if (!method_parameters::stores_left(input.parameters)) {
    const SpectrumRule rule = method_parameters::spectrum_rule<T>(input.parameters);
    Approximation<T> result = nystrom_of_landmarks(std::move(input), rule);
    result.projected = true;
    return result;
  }
  TallMatrix<T> columns = whole_landmark_columns(input);  // K S
  MethodReport report;
  report.s1 = columns.columns();
  const bool embedding = input.parameters.flag("embedding");
  const SpectrumRule rule = method_parameters::spectrum_rule<T>(input.parameters);
  // In single precision the core matrix drops more than rounding in F Fᵀ, and so do other tolerances.
  const bool whole = std::is_same_v<T, double> && !input.parameters.given("tolerance");
  std::optional<RowBlock<T>> factor = std::move(input.landmarks.factor);
  if (!whole || !embedding) factor.reset();
  const Index rows = method_parameters::core_rows_of(input.parameters, report.s1, sampled_objects(input).count());
  if (rows > 0 && !are_zero(input.execution.communicator, columns)) {
    factor.reset();
    return nystrom_of_block(std::move(input), std::move(columns), rows, rule, std::move(report));
  }
  const auto phase = input.execution.phases.enter(core_phase);
  const auto grid = std::make_shared<const ProcessGrid>(input.execution.communicator);
  BlockCyclicMatrix block = landmark_block(grid, columns, input.landmarks.indices, input.similarity);  // SᵀKS
  const std::optional<double> trace = whole ? input.landmarks.trace_of_error : std::nullopt;
  Approximation<T> result;
  if (factor && !are_zero(input.execution.communicator, columns)) {
    columns = TallMatrix<T>();
    result = join_factor(input.execution, std::move(*factor), std::move(block), rule, landmark_origin(input),
                         std::move(report));
  } else {
    factor.reset();
    result = join_symmetric(input.execution, std::move(columns), std::move(block), rule, embedding,
                            landmark_origin(input), std::move(report));
  }
  if (trace && result.report.dropped_eigenvalues == 0) result.report.metrics.emplace_back("trace_of_error", *trace);
  result.projected = true;
  return result;
}

template Approximation<float> nystrom(Problem<float>);
template Approximation<double> nystrom(Problem<double>);

namespace {

void check(const Values& values, const ProblemShape& shape) {
  method_parameters::check_core_rows(values, shape);
  method_parameters::check_store_left(values, shape);
}

MethodCost cost(const Values& values, const CostInput& input) {
  const Index s = input.landmarks;
  const double work = static_cast<double>(s) * static_cast<double>(s) * static_cast<double>(s) / input.ranks;
  if (const Index p = method_parameters::core_rows_of(values, s, input.data.objects); p > 0) {
    const auto rows = static_cast<double>(p);
    return {.second = p,
            .left = s,
            .columns = s,
            .block = p - s,
            .block_sample = p,
            .block_entries = entries_of_strips(p - s, block_strips),
            .whole_columns = !values.flag("embedding"),
            .embedding = values.flag("embedding"),
            .core_matrix = p,
            .dense = {{p, s, DenseUse::singular}, {p, p}, {s, s, DenseUse::eigen}},
            .core_bytes = std::max(method_parameters::singular_core_bytes(p, s, input.ranks) + p * p * 8 / input.ranks,
                                   4 * p * p * 8 / input.ranks),
            .collected_bytes = p * s * 8,
            .eigen_flops = 9 * work + 6 * rows * work / static_cast<double>(s),
            .product_flops = static_cast<double>(input.data.objects) * static_cast<double>(s) * static_cast<double>(s) /
                             input.ranks};
  }
  const bool stored = method_parameters::stores_left(values);
  return {.left = s,
          .left_stored = stored,
          .columns = s,
          .block = stored ? 0 : s,
          .block_sample = stored ? 0 : s,
          .block_entries = stored ? 0 : entries_of_strips(s, block_strips),
          .whole_columns = stored && !values.flag("embedding"),
          .cholesky = input.definite,
          .embedding = values.flag("embedding"),
          .core_matrix = s,
          .dense = {{s, s, DenseUse::eigen}},  // whether or not the Cholesky factor suffices
          .core_bytes = method_parameters::symmetric_core_bytes(s, input.ranks, input.definite),
          .collected_bytes = values.flag("embedding") ? s * s * 8 : 0,
          .cholesky_flops = input.definite ? work : 0,
          .eigen_flops = input.definite ? 0 : 9 * work};
}

}  // namespace

const MethodDescriptor& nystrom_method() {
  using namespace method_parameters;
  static const MethodDescriptor method{
      .name = "nystrom",
      .summary =
          "The Nystrom method: K~ = K S (SᵀKS)⁺ SᵀK with S the landmarks; for positive semidefinite similarities.",
      .source = "Williams and Seeger 2001; Ray et al. 2022, eq. 1",
      .parameters = {tolerance(), spectrum(), core_rows(), embedding(), symmetrize_result(), store_left()},
      .takes_factor = true,
      .diagonal_core = true,
      .check = check,
      .cost = cost,
      .run_single = nystrom<float>,
      .run_double = nystrom<double>};
  return method;
}

}  // namespace cairn
