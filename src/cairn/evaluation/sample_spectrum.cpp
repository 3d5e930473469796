#include <memory>
#include <string>
#include <vector>

#include "cairn/approximation/column_sampling/landmark_block.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/random.hpp"
#include "cairn/evaluation/exact_error.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"
#include "cairn/similarity/columns.hpp"

namespace cairn {

template <class T>
std::vector<double> sample_spectrum(const Execution& execution, const Similarity<T>& similarity,
                                    const ObjectSet& objects, Index count) {
  const Index n = objects.size();
  if (count < 1 || count > n) {
    throw Error(ErrorKind::usage, "a sample for the spectrum has between 1 and " + std::to_string(n) +
                                      " objects, not " + std::to_string(count));
  }
  const std::string phase = "spectrum";
  const std::vector<Index> sample =
      sample_without_replacement(n, count, Random(execution.seed, Stream::evaluation_rows));
  const RowBlock<T> submatrix = evaluate_principal_submatrix(execution, similarity, objects, sample, phase, phase);
  const auto scope = execution.phases.enter(phase);
  const auto grid = std::make_shared<const ProcessGrid>(execution.communicator);
  BlockCyclicMatrix block = to_block_cyclic(grid, submatrix);
  if (similarity.traits().one_sided) {
    const BlockCyclicMatrix mirrored = transpose(block);
    block = mean_of(std::move(block), mirrored);
  }
  std::vector<double> values = eigen_symmetric(std::move(block)).values;
  for (double& value : values) value *= static_cast<double>(n) / static_cast<double>(count);
  return values;
}

template std::vector<double> sample_spectrum(const Execution&, const Similarity<float>&, const ObjectSet&, Index);
template std::vector<double> sample_spectrum(const Execution&, const Similarity<double>&, const ObjectSet&, Index);

}  // namespace cairn
