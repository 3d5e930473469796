#include "cairn/landmark/farthest_sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/base/progress.hpp"
#include "cairn/base/random.hpp"
#include "cairn/landmark/landmark_count.hpp"

namespace cairn {

namespace {

constexpr double chosen = -std::numeric_limits<double>::infinity();  // a landmark is not chosen twice
constexpr double unreached = std::numeric_limits<double>::infinity();
constexpr Index most_together = 64;  // landmarks between two exchanges

// Finds the vertex that is farthest from its nearest landmark. Distances only decrease, and few change after the first
// landmarks. Vertices are therefore kept in buckets of about equal distance, each in the bucket of some earlier
// distance: only the first nonempty bucket is searched, and vertices whose distance has decreased move to their own
// bucket.
class FarthestVertex {
 public:
  explicit FarthestVertex(Index vertices) : nearest_(static_cast<std::size_t>(vertices), unreached) {}

  // The farthest vertex after `landmark` has been added; ties to the lowest.
  Index after(const SourceSimilarity& similarity, Index landmark) {
    similarity.lower(landmark, nearest_);
    nearest_[landmark] = chosen;
    if (buckets_.empty()) fill();
    for (; first_ < buckets_.size(); ++first_) {
      if (const Index found = farthest_of_first(); found >= 0) return found;
    }
    throw Error(ErrorKind::internal, "there is no vertex left that is no landmark");
  }

 private:
  static constexpr int dropped_bits = 45;  // of a double: the remaining number grows by 1 per 1/128 of the distance
  static constexpr Index most_buckets = 1 << 12;  // down to 2^-32 of the largest distance; smaller ones share the last

  [[nodiscard]] std::size_t bucket_of(double distance) const {
    if (!(distance > 0.0)) return most_buckets - 1;
    const auto number = static_cast<Index>(std::bit_cast<std::uint64_t>(distance) >> dropped_bits);
    return static_cast<std::size_t>(std::clamp<Index>(top_ - number, 0, most_buckets - 1));
  }

  void fill() {
    double largest = 0.0;
    for (const double distance : nearest_) {
      if (distance != unreached) largest = std::max(largest, distance);
    }
    top_ = static_cast<Index>(std::bit_cast<std::uint64_t>(largest) >> dropped_bits);
    buckets_.resize(most_buckets);
    for (std::size_t v = 0; v < nearest_.size(); ++v) {
      if (nearest_[v] != chosen) buckets_[bucket_of(nearest_[v])].push_back(static_cast<std::int32_t>(v));
    }
  }

  // -1 if it is empty by now.
  Index farthest_of_first() {
    std::vector<std::int32_t>& bucket = buckets_[first_];
    std::size_t kept = 0;
    double largest = chosen;
    Index best = -1;
    for (const std::int32_t v : bucket) {
      const double distance = nearest_[v];
      if (distance == chosen) continue;
      if (const std::size_t own = bucket_of(distance); own > first_) {
        buckets_[own].push_back(v);
        continue;
      }
      bucket[kept++] = v;
      if (distance > largest || (distance == largest && v < best)) largest = distance, best = v;
    }
    bucket.resize(kept);
    return best;
  }

  std::vector<double> nearest_;
  std::vector<std::vector<std::int32_t>> buckets_;
  std::size_t first_ = 0;  // all buckets before it are empty
  Index top_ = 0;          // number of the largest distance
};

// Landmarks one after the other, on every rank; rank 0 searches for them.
class FarthestSources {
 public:
  FarthestSources(const Execution& execution, const SourceSimilarity& similarity, Index vertices, const KeyNames& keys)
      : execution_(execution), similarity_(similarity) {
    if (similarity.traits().meaning != Meaning::distance) {
      throw Error(ErrorKind::usage,
                  fmt::format("{} = {} needs a distance when whole rows of K are evaluated, but {} is a similarity",
                              keys("selection"), farthest_selection().name, similarity.traits().name));
    }
    const Communicator& communicator = execution.communicator;
    farthest_ = collectively(communicator,
                             [&] { return std::make_unique<FarthestVertex>(communicator.is_root() ? vertices : 0); });
    landmarks_ = {Random(execution.seed, Stream::landmarks).below(vertices, 0)};
  }

  // The first `count` landmarks, or more that were found before. Collective.
  const std::vector<Index>& first(Index count);

 private:
  const Execution& execution_;
  const SourceSimilarity& similarity_;
  std::unique_ptr<FarthestVertex> farthest_;
  std::vector<Index> landmarks_;
};

const std::vector<Index>& FarthestSources::first(Index count) {
  const Communicator& communicator = execution_.communicator;
  auto phase = execution_.phases.enter("landmarks");
  const Index before = similarity_.evaluations();
  Progress progress("farthest landmarks", count, communicator.is_root(), "landmarks/s");
  progress.advance(std::ssize(landmarks_) - 1);
  while (std::ssize(landmarks_) < count) {
    const Index done = std::ssize(landmarks_);
    std::vector<Index> next(std::min({done, most_together, count - done}));
    collectively(communicator, [&] {
      if (!communicator.is_root()) return;
      for (Index landmark = landmarks_.back(); Index & found : next) {
        landmark = found = farthest_->after(similarity_, landmark);
        Watchdog::beat();
      }
    });
    communicator.broadcast(std::span(next), 0);
    landmarks_.insert(landmarks_.end(), next.begin(), next.end());
    Watchdog::beat();
    progress.advance(static_cast<Index>(next.size()));
  }
  phase.count_evaluations(similarity_.evaluations() - before);
  return landmarks_;
}

template <class T>
class SourceGrowth final : public ChosenGrowth<T> {
 public:
  explicit SourceGrowth(const SelectionInput<T>& input)
      : ChosenGrowth<T>(input.execution, input.objects, input.entries),
        nearest_(input.nearest ? input.nearest() : nullptr),
        sources_(input.execution, nearest_ ? *nearest_ : *input.rows, input.objects.size(), input.values.keys()) {}

 private:
  std::vector<Index> first(Index count) override { return sources_.first(count); }

  std::unique_ptr<SourceSimilarity> nearest_;
  FarthestSources sources_;
};

}  // namespace

template <class T>
Landmarks<T> select_farthest(const Execution& execution, const SourceSimilarity& similarity, const ObjectSet& objects,
                             Index count, const KeyNames& keys) {
  require_landmark_count(count, objects.size(), keys);
  Landmarks<T> landmarks;
  landmarks.indices = FarthestSources(execution, similarity, objects.size(), keys).first(count);
  landmarks.objects = objects.gather(execution.communicator, landmarks.indices);
  return landmarks;
}

template <class T>
std::unique_ptr<LandmarkGrowth<T>> grow_farthest_sources(const SelectionInput<T>& input) {
  return std::make_unique<SourceGrowth<T>>(input);
}

#define CAIRN_INSTANTIATE(T)                                                                                \
  template Landmarks<T> select_farthest(const Execution&, const SourceSimilarity&, const ObjectSet&, Index, \
                                        const KeyNames&);                                                   \
  template std::unique_ptr<LandmarkGrowth<T>> grow_farthest_sources(const SelectionInput<T>&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn
