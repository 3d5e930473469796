#include <memory>
#include <string>
#include <vector>

#include "base/collective_guard.hpp"
#include "base/error.hpp"
#include "base/random.hpp"
#include "evaluation/exact_error.hpp"
#include "linalg/dense_algorithms.hpp"

namespace cairn {

namespace {

// K among the objects `sample`; each rank evaluates its rows as one tile.
template <class T>
RowBlock<T> principal_submatrix(const Execution& execution, const Similarity<T>& similarity, const ObjectSet& objects,
                                const std::vector<Index>& sample) {
  const Communicator& communicator = execution.communicator;
  const auto count = static_cast<Index>(sample.size());
  const RowPartition partition(count, communicator.size());
  const Range own = partition.range(communicator.rank());
  const auto columns = objects.gather(communicator, sample);
  auto block = collectively(communicator, [&] { return RowBlock<T>(partition, communicator.rank(), count); });
  const auto rows = objects.gather(communicator, std::span(sample).subspan(static_cast<std::size_t>(own.begin),
                                                                           static_cast<std::size_t>(own.size())));
  collectively(communicator, [&] { similarity.tile(*rows, *columns, block.local()); });
  return block;
}

}  // namespace

template <class T>
std::vector<double> sample_spectrum(const Execution& execution, const Similarity<T>& similarity,
                                    const ObjectSet& objects, Index count) {
  const Index n = objects.size();
  if (count < 1 || count > n) {
    throw Error(ErrorKind::usage, "a sample for the spectrum has between 1 and " + std::to_string(n) +
                                      " objects, not " + std::to_string(count));
  }
  auto phase = execution.phases.enter("spectrum");
  const Index evaluations_before = similarity.evaluations();
  const std::vector<Index> sample =
      sample_without_replacement(n, count, Random(execution.seed, Stream::evaluation_rows));
  const auto grid = std::make_shared<const ProcessGrid>(execution.communicator);
  std::vector<double> values =
      eigen_symmetric(to_block_cyclic(grid, principal_submatrix(execution, similarity, objects, sample))).values;
  for (double& value : values) value *= static_cast<double>(n) / static_cast<double>(count);
  phase.count_evaluations(similarity.evaluations() - evaluations_before);
  return values;
}

template std::vector<double> sample_spectrum(const Execution&, const Similarity<float>&, const ObjectSet&, Index);
template std::vector<double> sample_spectrum(const Execution&, const Similarity<double>&, const ObjectSet&, Index);

}  // namespace cairn
