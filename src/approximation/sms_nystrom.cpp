#include "approximation/sms_nystrom.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "approximation/fetch_rows.hpp"
#include "approximation/landmark_block.hpp"
#include "approximation/landmark_columns.hpp"
#include "approximation/symmetric_joining.hpp"
#include "base/collective_guard.hpp"
#include "linalg/dense_algorithms.hpp"
#include "similarity/columns.hpp"

namespace cairn {

namespace {

constexpr double large_shift = 0.1;  // of the root mean square eigenvalue; see docs/method-nystrom.md

// S2ᵀKS2, S2 the landmarks and then `beside`. Entries between the two come from K S1; its first columns are those of
// the landmarks.
template <class T>
BlockCyclicMatrix principal_block(const MethodInput<T>& input, const RowBlock<T>& columns,
                                  const std::vector<Index>& landmarks, const SampleBlock<T>& beside,
                                  const std::shared_ptr<const ProcessGrid>& grid) {
  const Communicator& communicator = input.execution.communicator;
  std::vector<Index> sample = landmarks;
  sample.insert(sample.end(), beside.indices.begin(), beside.indices.end());
  const auto s1 = static_cast<Index>(landmarks.size()), s2 = static_cast<Index>(sample.size());
  const RowPartition partition(s2, communicator.size());
  const Range own = partition.range(communicator.rank());
  std::vector<Index> new_rows;
  for (Index r = std::max(own.begin, s1); r < own.end; ++r) new_rows.push_back(r - s1);
  const Buffer<T> known =
      fetch_rows(communicator, columns,
                 std::span(sample).subspan(static_cast<std::size_t>(own.begin), static_cast<std::size_t>(own.size())));
  const Buffer<T> evaluated = fetch_rows(communicator, beside.values, new_rows);
  const RowBlock<T> rows = collectively(communicator, [&] {
    RowBlock<T> values(partition, communicator.rank(), s2);
    for (Index r = own.begin; r < own.end; ++r) {
      T* out = std::copy_n(known.data() + (r - own.begin) * columns.columns(), s1, values.row(r).data());
      if (r < s1) {
        std::fill_n(out, s2 - s1, T{0});  // known as the transpose
      } else {
        std::copy_n(evaluated.data() + (r - std::max(own.begin, s1)) * (s2 - s1), s2 - s1, out);
      }
    }
    return values;
  });
  BlockCyclicMatrix block = to_block_cyclic(grid, rows);
  const BlockCyclicMatrix mirrored = transpose(block);
  for (Index j = 0; j < block.local_columns(); ++j) {
    if (block.global_column(j) < s1) continue;
    for (Index i = 0; i < block.local_rows(); ++i) {
      if (block.global_row(i) < s1) block.local(i, j) = mirrored.local(i, j);
    }
  }
  const BlockCyclicMatrix whole_mirrored = transpose(block);
  if (input.similarity.one_sided()) return mean_of(std::move(block), whole_mirrored);
  require_mirror_image(block, whole_mirrored, sample, sample, input.similarity.rounds_to_single());
  return block;
}

}  // namespace

template <class T>
SampleBlock<T> evaluate_beside(const MethodInput<T>& input, const std::vector<Index>& landmarks, Index count) {
  std::vector<Index> sample =
      draw_beside(landmarks, count, input.objects.size(), input.execution.seed, known_columns(input.similarity));
  auto values = evaluate_principal_submatrix(input.execution, input.similarity, input.objects, sample,
                                             similarities_phase, "sample-beside");
  return {std::move(sample), std::move(values)};
}

template <class T>
double submatrix_shift(const MethodInput<T>& input, const RowBlock<T>& columns, const std::vector<Index>& landmarks,
                       const BlockCyclicMatrix& block, const SampleBlock<T>& beside, MethodReport& report) {
  const BlockCyclicMatrix principal = principal_block(input, columns, landmarks, beside, block.shared_grid());
  const double smallest = smallest_eigenvalue(principal, input.execution.seed);
  const double shift = std::max(0.0, -input.parameters.alpha * smallest);
  report.s2 = principal.rows();
  report.shift = shift;
  // The root mean square of the sample's eigenvalues: |A|_F / sqrt(s).
  const double typical = frobenius_norm(principal) / std::sqrt(static_cast<double>(principal.rows()));
  if (shift > large_shift * typical) {
    report.warnings.push_back(fmt::format(
        "the shift {:.4g} is large against the spectrum (the sample's smallest eigenvalue is {:.4g}, their root mean "
        "square {:.4g}): the similarity is far from positive semidefinite; sicur, or nystrom with "
        "approximation.tolerance = 1e-3, is likely to be more accurate",
        shift, smallest, typical));
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
Approximation<T> sms_nystrom(MethodInput<T> input) {
  const MethodParameters& parameters = input.parameters;
  const std::vector<Index>& landmarks = input.landmarks.indices;
  const auto s1 = static_cast<Index>(landmarks.size());
  RowBlock<T> columns = landmark_columns(input);  // K S1
  const SampleBlock<T> beside = evaluate_beside(input, landmarks, parameters.s2 - s1);
  const auto phase = input.execution.phases.enter(joining_phase);
  const auto grid = std::make_shared<const ProcessGrid>(input.execution.communicator);
  BlockCyclicMatrix block = landmark_block(grid, columns, landmarks, input.similarity);  // S1ᵀKS1
  MethodReport report;
  report.method = "sms-nystrom";
  report.s1 = s1;
  const double shift = submatrix_shift(input, columns, landmarks, block, beside, report);
  if (parameters.shift == "both") {
    for (Index j = 0; j < s1; ++j) {
      const Index row = landmarks[static_cast<std::size_t>(j)];
      if (columns.range().contains(row)) columns.row(row)[static_cast<std::size_t>(j)] += static_cast<T>(shift);
    }
  }
  block = shifted(std::move(block), shift, parameters.rescale, report);
  const SpectrumRule rule{parameters.tolerance, parameters.spectrum == "positive", std::is_same_v<T, float>};
  return join_symmetric(input.execution, std::move(columns), std::move(block), rule, parameters.embedding,
                        landmark_origin(input), std::move(report));
}

template Approximation<float> sms_nystrom(MethodInput<float>);
template Approximation<double> sms_nystrom(MethodInput<double>);
template SampleBlock<float> evaluate_beside(const MethodInput<float>&, const std::vector<Index>&, Index);
template double submatrix_shift(const MethodInput<float>&, const RowBlock<float>&, const std::vector<Index>&,
                                const BlockCyclicMatrix&, const SampleBlock<float>&, MethodReport&);
template SampleBlock<double> evaluate_beside(const MethodInput<double>&, const std::vector<Index>&, Index);
template double submatrix_shift(const MethodInput<double>&, const RowBlock<double>&, const std::vector<Index>&,
                                const BlockCyclicMatrix&, const SampleBlock<double>&, MethodReport&);

}  // namespace cairn
