#include <memory>
#include <utility>
#include <vector>

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

template <class T>
class UniformGrowth final : public ChosenGrowth<T> {
 public:
  explicit UniformGrowth(const SelectionInput<T>& input)
      : ChosenGrowth<T>(input.execution, input.objects, input.entries),
        eligible_(input.execution.communicator, input.objects, input.values),
        keys_(input.values.keys()) {}

 private:
  std::vector<Index> first(Index count) override {
    return draw<T>(this->execution_, this->objects_, eligible_, count, keys_, false).indices;
  }

  EligibleObjects eligible_;
  KeyNames keys_;
};

template <class T>
std::unique_ptr<LandmarkGrowth<T>> grow(const SelectionInput<T>& input) {
  return std::make_unique<UniformGrowth<T>>(input);
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
      .run_double = run<double>,
      .grow_single = grow<float>,
      .grow_double = grow<double>};
  return selection;
}

}  // namespace cairn
