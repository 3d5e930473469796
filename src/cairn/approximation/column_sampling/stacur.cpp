#include "cairn/approximation/column_sampling/stacur.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "cairn/approximation/column_sampling/landmark_block.hpp"
#include "cairn/approximation/column_sampling/landmark_columns.hpp"
#include "cairn/approximation/method_parameters.hpp"
#include "cairn/approximation/symmetric_core.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"

namespace cairn {

double default_stacur_tolerance(bool single_precision) { return single_precision ? 1e-6 : 1e-12; }

CoreFactors square_root_factors(BlockCyclicMatrix core_matrix) {
  const SingularValues decomposition = singular_value_decomposition(std::move(core_matrix));
  const std::vector<double>& values = decomposition.values;
  const double rounding = std::numeric_limits<double>::epsilon() * static_cast<double>(values.size()) * values.front();
  std::vector<Index> keep;
  std::vector<double> scales;
  for (std::size_t k = 0; k < values.size() && values[k] > rounding; ++k) {
    keep.push_back(static_cast<Index>(k));
    scales.push_back(std::sqrt(values[k]));
  }
  return {scale_columns(decomposition.left, keep, scales), scale_columns(decomposition.right, keep, scales)};
}

template <class T>
BlockCyclicMatrix stacur_core(const Execution& execution, const TallMatrix<T>& columns, const BlockCyclicMatrix& block,
                              double tolerance, MethodReport& report) {
  BlockCyclicMatrix normal = gram(block.shared_grid(), columns, execution.threads);  // CᵀC
  const SymmetricRoot root =
      pseudo_inverse_root(std::move(normal), {tolerance, true, std::is_same_v<T, float>}, report);
  const double scale = static_cast<double>(columns.rows()) / static_cast<double>(block.columns());
  return multiply(root.map, false, multiply(root.map, true, block, false), false, scale);
}

template <class T>
Approximation<T> stacur(Problem<T> input) {
  const Values& parameters = input.parameters;
  const std::vector<Index>& landmarks = input.landmarks.indices;
  TallMatrix<T> columns = whole_landmark_columns(input);  // K S1
  std::optional<SecondSample<T>> second;
  if (parameters.text("samples") == "different") {
    const Index s2 = method_parameters::second_sample_size(parameters, static_cast<Index>(landmarks.size()));
    const std::vector<Index> sample = draw_apart(sampled_objects(input), s2, input.execution.seed);
    second = evaluate_second_sample(input, columns, landmarks, sample);
  }
  const auto phase = input.execution.phases.enter(core_phase);
  const auto grid = std::make_shared<const ProcessGrid>(input.execution.communicator);
  const BlockCyclicMatrix block = second ? transpose(intersection_block(grid, columns, landmarks, second->columns,
                                                                        second->origin.indices, input.similarity))
                                         : landmark_block(grid, columns, landmarks, input.similarity);  // S1ᵀKS2
  MethodReport report;
  report.s1 = columns.columns();
  report.s2 = block.columns();
  const double tolerance =
      method_parameters::tolerance_or(parameters, default_stacur_tolerance(std::is_same_v<T, float>));
  BlockCyclicMatrix core_matrix = stacur_core(input.execution, columns, block, tolerance, report);
  CurColumns<T> parts{std::move(columns), landmark_origin(input), std::move(second)};
  if (parameters.flag("embedding")) {
    return embed_columns(input.execution, std::move(parts), square_root_factors(std::move(core_matrix)),
                         std::move(report));
  }
  return join_columns(std::move(parts), std::move(core_matrix), std::move(report));
}

template Approximation<float> stacur(Problem<float>);
template Approximation<double> stacur(Problem<double>);
template BlockCyclicMatrix stacur_core(const Execution&, const TallMatrix<float>&, const BlockCyclicMatrix&, double,
                                       MethodReport&);
template BlockCyclicMatrix stacur_core(const Execution&, const TallMatrix<double>&, const BlockCyclicMatrix&, double,
                                       MethodReport&);

namespace {

void check(const Values& values, const ProblemShape& shape) {
  method_parameters::check_second_sample(values, shape);
  if (!values.given("s2") || shape.landmarks == 0 || values.text("samples") != "same") return;
  if (values.integer("s2") == shape.landmarks) return;
  values.refuse("s2", fmt::format("is not the number of landmarks, {}, which both samples have if {} = same",
                                  shape.landmarks, values.where("samples")));
}

MethodCost cost(const Values& values, const CostInput& input) {
  const Index s1 = input.landmarks;
  const Index s2 = std::min(method_parameters::second_sample_size(values, s1), input.data.objects);
  const bool one_sample = values.text("samples") == "same";
  const auto order = static_cast<double>(s1);
  const Index own_rows = (input.data.objects + input.ranks - 1) / input.ranks;
  const auto rows = static_cast<double>(own_rows);
  const bool embedding = values.flag("embedding");
  return {.second = s2,
          .left = s1,
          .right = one_sample ? 0 : (embedding ? s1 : s2),
          .columns = one_sample ? s1 : s1 + s2,
          .apart = one_sample ? 0 : s2,
          .whole_columns = !embedding,
          .embedding = embedding,
          .core_matrix = s1,
          .dense = {{s1, s1, DenseUse::eigen},
                    {s1, one_sample ? s1 : s2, embedding ? DenseUse::singular : DenseUse::stored}},
          .core_bytes = method_parameters::symmetric_core_bytes(s1, input.ranks, false),
          .collected_bytes = 2 * s1 * s1 * 8,
          .eigen_flops = 9 * order * order * order / input.ranks,
          .product_flops = 2 * rows * order * order};
}

}  // namespace

const MethodDescriptor& stacur_method() {
  using namespace method_parameters;
  static const MethodDescriptor method{
      .name = "stacur",
      .summary = "StaCUR: K~ = C (n / s) (CᵀC)⁺ (S1ᵀKS2) (K S2)ᵀ with C = K S1, stable without a superset.",
      .source = "Drineas, Kannan, Mahoney 2006; Ray et al. 2022, section 3",
      .parameters = {tolerance(),
                     second_sample("s1"),
                     {.name = "samples",
                      .value = "NAME",
                      .type = ValueType::choice,
                      .fallback = "same",
                      .help = "Whether both samples are the same.",
                      .choices = {"same", "different"},
                      .rare = true},
                     embedding(),
                     symmetrize_result()},
      .check = check,
      .cost = cost,
      .run_single = stacur<float>,
      .run_double = stacur<double>};
  return method;
}

}  // namespace cairn
