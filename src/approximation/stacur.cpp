#include "approximation/stacur.hpp"

#include <cmath>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "approximation/landmark_block.hpp"
#include "approximation/landmark_columns.hpp"
#include "approximation/symmetric_joining.hpp"
#include "base/random.hpp"
#include "linalg/dense_algorithms.hpp"

namespace cairn {

double default_stacur_tolerance(bool single_precision) { return single_precision ? 1e-6 : 1e-12; }

JoiningFactors square_root_factors(BlockCyclicMatrix joining) {
  const SingularValues decomposition = singular_value_decomposition(std::move(joining));
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
BlockCyclicMatrix stacur_joining(const Execution& execution, const RowBlock<T>& columns, const BlockCyclicMatrix& block,
                                 double tolerance, MethodReport& report) {
  BlockCyclicMatrix normal = gram(block.shared_grid(), columns, columns, execution.threads);  // CᵀC
  const SymmetricRoot root =
      pseudo_inverse_root(std::move(normal), {tolerance, true, std::is_same_v<T, float>}, report, execution.threads);
  const double scale = static_cast<double>(columns.rows()) / static_cast<double>(block.columns());
  return multiply(root.map, false, multiply(root.map, true, block, false), false, scale);
}

template <class T>
Approximation<T> stacur(MethodInput<T> input) {
  const MethodParameters& parameters = input.parameters;
  const std::vector<Index>& landmarks = input.landmarks.indices;
  RowBlock<T> columns = landmark_columns(input);  // K S1
  std::optional<SecondSample<T>> second;
  if (parameters.samples == "different") {
    const std::vector<Index> sample = sample_without_replacement(input.objects.size(), parameters.s2,
                                                                 Random(input.execution.seed, Stream::second_sample));
    second = evaluate_second_sample(input, columns, landmarks, sample);
  }
  const auto phase = input.execution.phases.enter(joining_phase);
  const auto grid = std::make_shared<const ProcessGrid>(input.execution.communicator);
  const BlockCyclicMatrix block = second ? transpose(intersection_block(grid, columns, landmarks, second->columns,
                                                                        second->origin.indices, input.similarity))
                                         : landmark_block(grid, columns, landmarks, input.similarity);  // S1ᵀKS2
  MethodReport report;
  report.method = "stacur";
  report.s1 = columns.columns();
  report.s2 = block.columns();
  const double tolerance =
      parameters.tolerance >= 0.0 ? parameters.tolerance : default_stacur_tolerance(std::is_same_v<T, float>);
  BlockCyclicMatrix joining = stacur_joining(input.execution, columns, block, tolerance, report);
  CurColumns<T> parts{std::move(columns), landmark_origin(input), std::move(second)};
  if (parameters.embedding) {
    return embed_columns(input.execution, std::move(parts), square_root_factors(std::move(joining)), std::move(report));
  }
  return join_columns(std::move(parts), std::move(joining), std::move(report));
}

template Approximation<float> stacur(MethodInput<float>);
template Approximation<double> stacur(MethodInput<double>);
template BlockCyclicMatrix stacur_joining(const Execution&, const RowBlock<float>&, const BlockCyclicMatrix&, double,
                                          MethodReport&);
template BlockCyclicMatrix stacur_joining(const Execution&, const RowBlock<double>&, const BlockCyclicMatrix&, double,
                                          MethodReport&);

}  // namespace cairn
