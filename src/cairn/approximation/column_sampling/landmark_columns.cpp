#include "cairn/approximation/column_sampling/landmark_columns.hpp"

#include <algorithm>
#include <unordered_set>

#include "cairn/base/random.hpp"
#include "cairn/similarity/columns.hpp"

namespace cairn {

template <class T>
RowBlock<T> landmark_columns(Problem<T>& input) {
  if (input.landmarks.columns) {
    RowBlock<T> columns = std::move(*input.landmarks.columns);
    input.landmarks.columns.reset();
    return columns;
  }
  return evaluate_columns(input.execution, input.similarity, input.objects, *input.landmarks.objects,
                          similarities_phase, "columns");
}

template <class T>
FactorOrigin landmark_origin(Problem<T>& input) {
  return {input.landmarks.indices, std::move(input.landmarks.objects), nullptr};
}

std::vector<Index> draw_beside(const std::vector<Index>& sample, Index count, Index population, std::uint64_t seed,
                               const std::vector<Index>& known) {
  std::unordered_set<Index> taken(sample.begin(), sample.end());
  const Index draws = std::min(population, static_cast<Index>(sample.size()) + count);
  std::vector<Index> beside;
  const auto take = [&](const std::vector<Index>& from) {
    for (const Index index : from) {
      if (static_cast<Index>(beside.size()) == count) return;
      if (taken.insert(index).second) beside.push_back(index);
    }
  };
  take(known);
  take(sample_without_replacement(population, draws, Random(seed, Stream::second_sample)));
  return beside;
}

template RowBlock<float> landmark_columns(Problem<float>&);
template RowBlock<double> landmark_columns(Problem<double>&);
template FactorOrigin landmark_origin(Problem<float>&);
template FactorOrigin landmark_origin(Problem<double>&);

}  // namespace cairn
