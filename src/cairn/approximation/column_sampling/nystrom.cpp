#include "cairn/approximation/column_sampling/nystrom.hpp"

#include <memory>
#include <utility>

#include "cairn/approximation/column_sampling/landmark_block.hpp"
#include "cairn/approximation/column_sampling/landmark_columns.hpp"
#include "cairn/approximation/method_parameters.hpp"
#include "cairn/approximation/symmetric_core.hpp"

namespace cairn {

template <class T>
Approximation<T> nystrom(Problem<T> input) {
  RowBlock<T> columns = landmark_columns(input);  // K S
  const auto phase = input.execution.phases.enter(core_phase);
  const auto grid = std::make_shared<const ProcessGrid>(input.execution.communicator);
  BlockCyclicMatrix block = landmark_block(grid, columns, input.landmarks.indices, input.similarity);  // SᵀKS
  MethodReport report;
  report.s1 = columns.columns();
  return join_symmetric(input.execution, std::move(columns), std::move(block),
                        method_parameters::spectrum_rule<T>(input.parameters), input.parameters.flag("embedding"),
                        landmark_origin(input), std::move(report));
}

template Approximation<float> nystrom(Problem<float>);
template Approximation<double> nystrom(Problem<double>);

namespace {

MethodCost cost(const Values& values, const CostInput& input) {
  const Index s = input.landmarks;
  const double work = static_cast<double>(s) * static_cast<double>(s) * static_cast<double>(s) / input.ranks;
  return {.left = s,
          .columns = s,
          .cholesky = input.definite,
          .embedding = values.flag("embedding"),
          .core_matrix = s,
          .dense = {{s, s, DenseUse::eigen}},  // whether or not the Cholesky factor suffices
          .core_bytes = method_parameters::symmetric_core_bytes(s, input.ranks, input.definite),
          .cholesky_flops = input.definite ? 10.0 / 3.0 * work : 0,
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
      .parameters = {tolerance(), spectrum(), embedding(), symmetrize_result()},
      .diagonal_core = true,
      .cost = cost,
      .run_single = nystrom<float>,
      .run_double = nystrom<double>};
  return method;
}

}  // namespace cairn
