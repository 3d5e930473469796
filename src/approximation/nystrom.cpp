#include "approximation/nystrom.hpp"

#include <memory>
#include <type_traits>
#include <utility>

#include "approximation/landmark_block.hpp"
#include "approximation/landmark_columns.hpp"
#include "approximation/symmetric_joining.hpp"

namespace cairn {

template <class T>
Approximation<T> nystrom(MethodInput<T> input) {
  RowBlock<T> columns = landmark_columns(input);  // K S
  const auto phase = input.execution.phases.enter(joining_phase);
  const auto grid = std::make_shared<const ProcessGrid>(input.execution.communicator);
  BlockCyclicMatrix block = landmark_block(grid, columns, input.landmarks.indices, input.similarity);  // SᵀKS
  MethodReport report;
  report.method = "nystrom";
  report.s1 = columns.columns();
  const SpectrumRule rule{input.parameters.tolerance, input.parameters.spectrum == "positive",
                          std::is_same_v<T, float>};
  return join_symmetric(input.execution, std::move(columns), std::move(block), rule, input.parameters.embedding,
                        landmark_origin(input), std::move(report));
}

template Approximation<float> nystrom(MethodInput<float>);
template Approximation<double> nystrom(MethodInput<double>);

}  // namespace cairn
