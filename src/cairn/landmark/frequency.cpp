#include "cairn/base/error.hpp"
#include "cairn/data/corpus/word_set.hpp"
#include "cairn/landmark/landmark_count.hpp"
#include "cairn/landmark/word_order.hpp"

namespace cairn {

const WordSet& require_words(const ObjectSet& objects, const Values& values) {
  const auto* words = dynamic_cast<const WordSet*>(&objects);
  if (words == nullptr) values.refuse("selection", "needs the words of a corpus, but the objects are not words");
  return *words;
}

namespace {

template <class T>
Landmarks<T> run(const SelectionInput<T>& input) {
  require_landmark_count(input.count, input.objects.size(), input.values.keys());
  static_cast<void>(require_words(input.objects, input.values));
  const auto phase = input.execution.phases.enter("landmarks");
  Landmarks<T> landmarks;
  landmarks.indices = numbers_of({0, input.count});  // words are numbered by decreasing frequency
  if (input.takes_objects) landmarks.objects = input.objects.gather(input.execution.communicator, landmarks.indices);
  return landmarks;
}

}  // namespace

const LandmarkSelection& frequency_selection() {
  static const LandmarkSelection selection = {.name = "frequency",
                                              .summary = "The most frequent words of a corpus, by falling frequency.",
                                              .source = "",
                                              .objects = {objects::words},
                                              .default_for = {objects::words},
                                              .run_single = run<float>,
                                              .run_double = run<double>};
  return selection;
}

}  // namespace cairn
