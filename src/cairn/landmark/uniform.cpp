#include "cairn/base/random.hpp"
#include "cairn/landmark/eligible.hpp"
#include "cairn/landmark/landmark_selection.hpp"

namespace cairn {

namespace {

template <class T>
Landmarks<T> draw(const Execution& execution, const ObjectSet& objects, const EligibleObjects& eligible, Index count,
                  const KeyNames& keys, bool takes_objects) {
  eligible.require(count, keys);
  const auto phase = execution.phases.enter("landmarks");
  Landmarks<T> landmarks;
  landmarks.indices =
      eligible.numbers(sample_without_replacement(eligible.count(), count, Random(execution.seed, Stream::landmarks)));
  if (takes_objects) landmarks.objects = objects.gather(execution.communicator, landmarks.indices);
  return landmarks;
}

}  // namespace

template <class T>
Landmarks<T> select_uniform(const Execution& execution, const ObjectSet& objects, Index count, const KeyNames& keys,
                            bool takes_objects) {
  const EligibleObjects all(execution.communicator, objects);
  return draw<T>(execution, objects, all, count, keys, takes_objects);
}

template Landmarks<float> select_uniform(const Execution&, const ObjectSet&, Index, const KeyNames&, bool);
template Landmarks<double> select_uniform(const Execution&, const ObjectSet&, Index, const KeyNames&, bool);

namespace {

template <class T>
Landmarks<T> run(const SelectionInput<T>& input) {
  const EligibleObjects eligible(input.execution.communicator, input.objects, input.values);
  return draw<T>(input.execution, input.objects, eligible, input.count, input.values.keys(), input.takes_objects);
}

}  // namespace

const LandmarkSelection& uniform_selection() {
  static const LandmarkSelection selection = {
      .name = "uniform",
      .summary = "Objects are drawn uniformly without replacement; the first of them are those of a smaller number.",
      .source = "",
      .parameters = {landmark_split()},
      .any_order = true,
      .run_single = run<float>,
      .run_double = run<double>};
  return selection;
}

}  // namespace cairn
