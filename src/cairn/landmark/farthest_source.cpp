// Farthest landmarks by a distance that comes by source.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>
#include <string>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/mpi/node_array.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/base/progress.hpp"
#include "cairn/base/random.hpp"
#include "cairn/landmark/landmark_count.hpp"
#include "cairn/landmark/landmark_selection.hpp"

namespace cairn {

namespace {

constexpr double chosen = -std::numeric_limits<double>::infinity();  // a landmark is not chosen twice

struct Candidate {
  double distance = chosen;
  Index vertex = -1;
};

// The own vertices' first that is farthest, and of those of all ranks the first: ties go to the lowest.
Index farthest(const Communicator& communicator, std::span<const double> nearest, Range own) {
  Candidate best;
  for (Index v = own.begin; v < own.end; ++v) {
    const double distance = nearest[static_cast<std::size_t>(v)];
    if (distance > best.distance) best = {distance, v};
  }
  Candidate overall;
  for (const Candidate& candidate : communicator.all_gather_one(best)) {
    if (candidate.distance > overall.distance) overall = candidate;
  }
  return overall.vertex;
}

}  // namespace

template <class T>
Landmarks<T> select_farthest(const Execution& execution, const SourceSimilarity& similarity, const ObjectSet& objects,
                             Index count, const KeyNames& keys) {
  const Communicator& communicator = execution.communicator;
  require_landmark_count(count, objects.size(), keys);
  if (similarity.traits().meaning != Meaning::distance) {
    throw Error(ErrorKind::usage, fmt::format("{} = {} takes a distance if whole rows are evaluated, and {} is a "
                                              "similarity",
                                              keys("selection"), farthest_selection().name, similarity.traits().name));
  }
  auto phase = execution.phases.enter("landmarks");
  const Index before = similarity.evaluations();
  NodeArray<double> nearest(communicator, objects.size());
  const bool searches = nearest.node().is_root();  // for its node
  if (searches) std::ranges::fill(nearest.writable(), std::numeric_limits<double>::infinity());
  Landmarks<T> landmarks;
  Progress progress("farthest landmarks", count, communicator.is_root());
  Index landmark = Random(execution.seed, Stream::landmarks).below(objects.size(), 0);
  for (Index k = 0; k < count; ++k) {
    landmarks.indices.push_back(landmark);
    if (k + 1 < count) {
      collectively(communicator, [&] {
        if (!searches) return;
        similarity.lower(landmark, nearest.writable());
        nearest.writable()[static_cast<std::size_t>(landmark)] = chosen;
      });
      nearest.publish();
      landmark = farthest(communicator, nearest.values(), objects.range());  // after which nobody reads it any more
    }
    Watchdog::beat();
    progress.advance(1);
  }
  landmarks.objects = objects.gather(communicator, landmarks.indices);
  phase.count_evaluations(similarity.evaluations() - before);
  return landmarks;
}

template Landmarks<float> select_farthest(const Execution&, const SourceSimilarity&, const ObjectSet&, Index,
                                          const KeyNames&);
template Landmarks<double> select_farthest(const Execution&, const SourceSimilarity&, const ObjectSet&, Index,
                                           const KeyNames&);

}  // namespace cairn
