#include "cairn/task/clusters/average_linkage.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/base/progress.hpp"

namespace cairn {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The nearest-neighbor chain: each element is the nearest to the one before it, and successive pairs get nearer.
class Chain {
 public:
  Chain(const Execution& execution, ClusterAverages& clusters)
      : communicator_(execution.communicator), clusters_(clusters), rounding_(clusters.rounding()) {
    const Range own = clusters.partition().range(communicator_.rank());
    for (Index i = own.begin; i < own.end; ++i) own_.push_back(i);
    values_.resize(own_.size());
  }

  // Extends the chain until two clusters are each other's nearest.
  Merge next_merge() {
    if (chain_.empty()) {
      chain_.push_back(communicator_.minimum(own_.empty() ? clusters_.partition().rows() : own_.front()));
    }
    for (;;) {
      const Index tip = chain_.back(), before = chain_.size() > 1 ? chain_[chain_.size() - 2] : -1;
      values_.resize(own_.size());
      clusters_.averages(tip, own_, values_);
      const auto [nearest, to_before] = look(tip, before);
      const Index next = first_within(tip, nearest - rounding_);
      // Only rounding of ties leads back to an element of the chain: no cluster is nearer than the preceding one.
      const bool back = std::find(chain_.begin(), chain_.end(), next) != chain_.end();
      if (before >= 0 && (back || to_before >= nearest - rounding_)) {
        chain_.resize(chain_.size() - 2);
        return merged(tip, before, sign() * to_before);
      }
      chain_.push_back(next);
      Watchdog::beat();
    }
  }

 private:
  [[nodiscard]] double sign() const { return clusters_.meaning() == Meaning::similarity ? 1.0 : -1.0; }

  // The largest nearness to the tip, and the nearness of `before`, over all ranks.
  std::pair<double, double> look(Index tip, Index before) const {
    std::array<double, 2> found{-infinity, -infinity};
    for (std::size_t k = 0; k < own_.size(); ++k) {
      const double nearness = sign() * values_[k];
      if (own_[k] != tip) found[0] = std::max(found[0], nearness);
      if (own_[k] == before) found[1] = nearness;
    }
    communicator_.maximum(std::span<double>(found));
    return {found[0], found[1]};
  }

  [[nodiscard]] Index first_within(Index tip, double least) const {
    Index first = clusters_.partition().rows();
    for (std::size_t k = 0; k < own_.size() && first == clusters_.partition().rows(); ++k) {
      if (own_[k] != tip && sign() * values_[k] >= least) first = own_[k];
    }
    return communicator_.minimum(first);
  }

  Merge merged(Index a, Index b, double average) {
    const Merge merge{std::min(a, b), std::max(a, b), average};
    clusters_.merge(merge.into, merge.from);
    const auto place = std::lower_bound(own_.begin(), own_.end(), merge.from);
    if (place != own_.end() && *place == merge.from) own_.erase(place);
    return merge;
  }

  const Communicator& communicator_;
  ClusterAverages& clusters_;
  double rounding_;
  std::vector<Index> own_;  // remaining clusters of this rank, ascending
  std::vector<double> values_;
  std::vector<Index> chain_;
};

// The root of an object's tree.
Index root_of(std::vector<Index>& parent, Index i) {
  while (parent[i] != i) {
    Index& up = parent[i];
    up = parent[up];
    i = up;
  }
  return i;
}

// Sorts best first. No merge may precede those that made its clusters: in exact arithmetic it is never better than they
// are (a mean of means); after rounding it is set equal to them.
void put_best_first(std::vector<Merge>& merges, Index objects, double sign) {
  std::vector<double> last(objects, infinity);  // nearness at which each cluster was made
  for (Merge& merge : merges) {
    double& made = last[merge.into];
    made = std::min({sign * merge.average, made, last[merge.from]});
    merge.average = sign * made;
  }
  std::stable_sort(merges.begin(), merges.end(),
                   [&](const Merge& a, const Merge& b) { return sign * a.average > sign * b.average; });
}

}  // namespace

std::vector<Merge> average_linkage(const Execution& execution, ClusterAverages& clusters) {
  const Index objects = clusters.partition().rows();
  std::vector<Merge> merges;
  Chain chain(execution, clusters);
  Progress progress("merges", std::max<Index>(0, objects - 1), execution.communicator.is_root(), "merges/s");
  for (Index m = 1; m < objects; ++m) {
    merges.push_back(chain.next_merge());
    progress.advance(1);
  }
  put_best_first(merges, objects, clusters.meaning() == Meaning::similarity ? 1.0 : -1.0);
  return merges;
}

std::vector<Index> cut(std::span<const Merge> merges, std::size_t count, Index objects) {
  std::vector<Index> parent(objects);
  std::iota(parent.begin(), parent.end(), Index{0});
  for (const Merge& merge : merges.first(count)) {
    const Index a = root_of(parent, merge.into), b = root_of(parent, merge.from);
    parent[std::max(a, b)] = std::min(a, b);
  }
  std::vector<Index> cluster(parent.size(), -1);
  Index clusters = 0;
  for (Index i = 0; i < objects; ++i) {  // a root is the lowest object of its tree
    const Index root = root_of(parent, i);
    cluster[i] = root == i ? clusters++ : cluster[root];
  }
  return cluster;
}

ClusterSizes sizes_of(std::span<const Index> cluster) {
  std::vector<Index> objects(static_cast<std::size_t>(*std::ranges::max_element(cluster)) + 1);
  for (const Index c : cluster) ++objects[c];
  std::ranges::sort(objects);
  return {objects.back(), objects[(objects.size() - 1) / 2], std::ranges::count(objects, Index{1})};
}

std::size_t merges_within(std::span<const Merge> merges, double threshold, Meaning meaning) {
  const auto within = [&](const Merge& merge) {
    return meaning == Meaning::similarity ? merge.average >= threshold : merge.average <= threshold;
  };
  return static_cast<std::size_t>(std::partition_point(merges.begin(), merges.end(), within) - merges.begin());
}

}  // namespace cairn
