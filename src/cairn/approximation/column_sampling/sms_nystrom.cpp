#include "cairn/approximation/column_sampling/sms_nystrom.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "cairn/approximation/column_sampling/cur.hpp"
#include "cairn/approximation/column_sampling/landmark_block.hpp"
#include "cairn/approximation/column_sampling/landmark_columns.hpp"
#include "cairn/approximation/column_sampling/nystrom.hpp"
#include "cairn/approximation/method_parameters.hpp"
#include "cairn/approximation/symmetric_core.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"

namespace cairn {

namespace {

constexpr double large_shift = 0.1;  // relative to the root mean square eigenvalue; see docs/method-nystrom.md

}  // namespace

template <class T>
double submatrix_shift(const Problem<T>& input, const TallMatrix<T>& columns, const std::vector<Index>& landmarks,
                       const BlockCyclicMatrix& block, const SampleBlock<T>& beside, MethodReport& report) {
  BlockCyclicMatrix principal = principal_block(input, columns, landmarks, beside, block.shared_grid());
  report.s2 = principal.rows();
  // The root mean square of the sample's eigenvalues: |A|_F / sqrt(s).
  const double typical = frobenius_norm(principal) / std::sqrt(static_cast<double>(principal.rows()));
  const double smallest = smallest_eigenvalue(std::move(principal), input.execution.seed);
  const double shift = std::max(0.0, -input.parameters.number("alpha") * smallest);
  report.shift = shift;
  if (shift > large_shift * typical) {
    report.warnings.push_back(fmt::format(
        "the shift {:.4g} is large against the spectrum (the sample's smallest eigenvalue is {:.4g}, their root mean "
        "square {:.4g}): the similarity is far from positive semidefinite; {}, or {} with "
        "{} = 1e-3, is likely to be more accurate",
        shift, smallest, typical, sicur_method().name, nystrom_method().name, input.parameters.keys()("tolerance")));
  }
  return shift;
}

BlockCyclicMatrix shifted(BlockCyclicMatrix block, double shift, bool rescale, MethodReport& report) {
  double beta = 1.0;
  if (rescale && shift > 0.0) {
    const std::vector<double> values = eigen_symmetric(block.copy()).values;
    beta = std::max(std::abs(values.front()), std::abs(values.back())) /
           std::max(std::abs(values.front() + shift), std::abs(values.back() + shift));
  }
  for (Index j = 0; j < block.local_columns(); ++j) {
    for (Index i = 0; i < block.local_rows(); ++i) {
      if (block.global_row(i) == block.global_column(j)) block.local(i, j) += shift;
      block.local(i, j) *= beta;
    }
  }
  report.rescale = beta;
  return block;
}

template <class T>
Approximation<T> sms_nystrom(Problem<T> input) {
  const Values& parameters = input.parameters;
  const std::vector<Index>& landmarks = input.landmarks.indices;
  const auto s1 = static_cast<Index>(landmarks.size());
  const Index s2 = method_parameters::superset_size(parameters, s1, sampled_objects(input).count());
  prepare_smallest_eigenvalue(input.execution.communicator, s2);
  const bool shifts_columns = parameters.text("shift") == "both";
  TallMatrix<T> columns =
      shifts_columns ? TallMatrix<T>(landmark_columns(input)) : whole_landmark_columns(input);  // K S1
  const SampleBlock<T> beside = evaluate_beside(input, landmarks, s2 - s1);
  const auto phase = input.execution.phases.enter(core_phase);
  const auto grid = std::make_shared<const ProcessGrid>(input.execution.communicator);
  BlockCyclicMatrix block = landmark_block(grid, columns, landmarks, input.similarity);  // S1ᵀKS1
  MethodReport report;
  report.s1 = s1;
  const double shift = submatrix_shift(input, columns, landmarks, block, beside, report);
  for (Index j = 0; shifts_columns && j < s1; ++j) {
    const Index row = landmarks[j];
    if (columns.range().contains(row)) columns.numbers().row(row)[j] += static_cast<T>(shift);
  }
  block = shifted(std::move(block), shift, parameters.flag("rescale"), report);
  return join_symmetric(input.execution, std::move(columns), std::move(block),
                        method_parameters::spectrum_rule<T>(parameters), parameters.flag("embedding"),
                        landmark_origin(input), std::move(report));
}

template Approximation<float> sms_nystrom(Problem<float>);
template Approximation<double> sms_nystrom(Problem<double>);
template double submatrix_shift(const Problem<float>&, const TallMatrix<float>&, const std::vector<Index>&,
                                const BlockCyclicMatrix&, const SampleBlock<float>&, MethodReport&);
template double submatrix_shift(const Problem<double>&, const TallMatrix<double>&, const std::vector<Index>&,
                                const BlockCyclicMatrix&, const SampleBlock<double>&, MethodReport&);

namespace {

MethodCost cost(const Values& values, const CostInput& input) {
  const Index s1 = input.landmarks, s2 = method_parameters::superset_size(values, s1, input.data.objects);
  const auto cubed = [&](Index s) {
    return static_cast<double>(s) * static_cast<double>(s) * static_cast<double>(s) / input.ranks;
  };
  // The smallest eigenvalue of the larger sample needs no eigenvectors, but the tridiagonal form, which takes half of
  // the time of a decomposition, at the speed of memory.
  constexpr double of_decomposition = 5;
  return {.second = s2,
          .left = s1,
          .columns = s1,
          .block = s2 - s1,
          .block_sample = s2,
          .whole_columns = !values.flag("embedding") && values.text("shift") != "both",
          .cholesky = input.definite,
          .embedding = values.flag("embedding"),
          .core_matrix = s2,
          .dense = {{s2, s2}, {s1, s1, DenseUse::eigen}},
          .library_bytes = smallest_eigenvalue_libraries(s2),
          .core_bytes = method_parameters::symmetric_core_bytes(s2, input.ranks, input.definite),
          .cholesky_flops = input.definite ? cubed(s1) : 0,
          .eigen_flops = of_decomposition * cubed(s2) + (input.definite ? 0 : 9 * cubed(s1))};
}

}  // namespace

const MethodDescriptor& sms_nystrom_method() {
  using namespace method_parameters;
  static const MethodDescriptor method{
      .name = "sms-nystrom",
      .summary =
          "Submatrix-shifted Nystrom: the landmarks' block is shifted by the least eigenvalue of a larger sample; "
          "for similarities that are slightly indefinite.",
      .source = "Ray et al. 2022, algorithm 1",
      .parameters = {tolerance(),
                     spectrum(),
                     second_sample("2 s1"),
                     shift_factor(),
                     {.name = "shift",
                      .value = "NAME",
                      .type = ValueType::choice,
                      .fallback = "joining",
                      .help =
                          "What is shifted: the core matrix, or both it and the landmarks' own entries of the columns.",
                      .choices = {"joining", "both"},
                      .rare = true},
                     {.name = "rescale",
                      .value = "BOOL",
                      .type = ValueType::flag,
                      .fallback = "false",
                      .help = "Rescale the shifted core matrix.",
                      .rare = true},
                     embedding(),
                     symmetrize_result()},
      .check = check_superset,
      .cost = cost,
      .run_single = sms_nystrom<float>,
      .run_double = sms_nystrom<double>};
  return method;
}

}  // namespace cairn
