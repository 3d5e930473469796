#include "cairn/base/random.hpp"
#include "cairn/landmark/landmark_count.hpp"
#include "cairn/landmark/landmarks.hpp"

namespace cairn {

template <class T>
Landmarks<T> select_uniform(const Execution& execution, const ObjectSet& objects, Index count, const KeyNames& keys) {
  require_landmark_count(count, objects.size(), keys);
  const auto phase = execution.phases.enter("landmarks");
  Landmarks<T> landmarks;
  landmarks.indices = sample_without_replacement(objects.size(), count, Random(execution.seed, Stream::landmarks));
  landmarks.objects = objects.gather(execution.communicator, landmarks.indices);
  return landmarks;
}

template Landmarks<float> select_uniform(const Execution&, const ObjectSet&, Index, const KeyNames&);
template Landmarks<double> select_uniform(const Execution&, const ObjectSet&, Index, const KeyNames&);

}  // namespace cairn
