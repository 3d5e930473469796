#include "cairn/base/random.hpp"
#include "cairn/landmark/landmark_count.hpp"
#include "cairn/landmark/landmark_selection.hpp"

namespace cairn {

template <class T>
Landmarks<T> select_uniform(const Execution& execution, const ObjectSet& objects, Index count, const KeyNames& keys,
                            bool takes_objects) {
  require_landmark_count(count, objects.size(), keys);
  const auto phase = execution.phases.enter("landmarks");
  Landmarks<T> landmarks;
  landmarks.indices = sample_without_replacement(objects.size(), count, Random(execution.seed, Stream::landmarks));
  if (takes_objects) landmarks.objects = objects.gather(execution.communicator, landmarks.indices);
  return landmarks;
}

template Landmarks<float> select_uniform(const Execution&, const ObjectSet&, Index, const KeyNames&, bool);
template Landmarks<double> select_uniform(const Execution&, const ObjectSet&, Index, const KeyNames&, bool);

namespace {

template <class T>
Landmarks<T> run(const SelectionInput<T>& input) {
  return select_uniform<T>(input.execution, input.objects, input.count, input.values.keys(), input.takes_objects);
}

}  // namespace

const LandmarkSelection& uniform_selection() {
  static const LandmarkSelection selection = {
      .name = "uniform",
      .summary = "Objects are drawn uniformly without replacement; the first of them are those of a smaller number.",
      .source = "",
      .any_order = true,
      .run_single = run<float>,
      .run_double = run<double>};
  return selection;
}

}  // namespace cairn
