#include "cairn/approximation/column_sampling/landmark_columns.hpp"

#include <fmt/format.h>

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
TallMatrix<T> whole_landmark_columns(Problem<T>& input) {
  if (input.landmarks.columns) return landmark_columns(input);
  return evaluate_whole_columns(input.execution, input.similarity, input.objects, *input.landmarks.objects,
                                similarities_phase, "columns");
}

template <class T>
FactorOrigin landmark_origin(Problem<T>& input) {
  return {input.landmarks.indices, std::move(input.landmarks.objects), nullptr};
}

template <class T>
EligibleObjects sampled_objects(const Problem<T>& input) {
  EligibleObjects objects(input.execution.communicator, input.objects, input.landmarks.split, "split");
  const std::string s2 = "s2";
  if (input.parameters.given(s2) && input.parameters.integer(s2) > objects.count()) {
    input.parameters.refuse(s2, fmt::format("is more than {}, {}", objects.count_text(), objects.count()));
  }
  return objects;
}

std::vector<Index> draw_apart(const EligibleObjects& from, Index count, std::uint64_t seed) {
  return from.numbers(sample_without_replacement(from.count(), count, Random(seed, Stream::second_sample)));
}

std::vector<Index> draw_beside(const EligibleObjects& from, const std::vector<Index>& sample, Index count,
                               std::uint64_t seed, const std::vector<Index>& known) {
  std::unordered_set<Index> taken(sample.begin(), sample.end());
  const Index draws = std::min(from.count(), static_cast<Index>(sample.size()) + count);
  std::vector<Index> beside;
  const auto take = [&](const std::vector<Index>& some) {
    for (const Index index : some) {
      if (static_cast<Index>(beside.size()) == count) return;
      if (taken.insert(index).second) beside.push_back(index);
    }
  };
  take(from.among(known));
  take(draw_apart(from, draws, seed));
  return beside;
}

template RowBlock<float> landmark_columns(Problem<float>&);
template RowBlock<double> landmark_columns(Problem<double>&);
template TallMatrix<float> whole_landmark_columns(Problem<float>&);
template TallMatrix<double> whole_landmark_columns(Problem<double>&);
template FactorOrigin landmark_origin(Problem<float>&);
template FactorOrigin landmark_origin(Problem<double>&);
template EligibleObjects sampled_objects(const Problem<float>&);
template EligibleObjects sampled_objects(const Problem<double>&);

}  // namespace cairn
