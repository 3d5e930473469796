#include "cairn/approximation/biharmonic/landmark_regions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"

namespace cairn {

namespace {

// Propagates the label of every vertex in `queue` to all reachable vertices without label; appends these to `queue`.
void label_neighbors(const OperatorView& op, std::vector<std::int32_t>& queue, std::vector<std::int32_t>& labels) {
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const std::int32_t vertex = queue[head];
    for (Index arc = op.starts[vertex]; arc < op.starts[vertex + 1]; ++arc) {
      const std::int32_t other = op.neighbors[arc];
      std::int32_t& label = labels[other];
      if (label >= 0) continue;
      label = labels[vertex];
      queue.push_back(other);
    }
  }
}

}  // namespace

std::vector<std::int32_t> nearest_landmarks(const OperatorView& op, const std::vector<Index>& landmarks,
                                            const std::string& advice) {
  std::vector<std::int32_t> labels(op.size, -1), queue;
  queue.reserve(labels.size());
  for (std::size_t k = 0; k < landmarks.size(); ++k) {
    labels[landmarks[k]] = static_cast<std::int32_t>(k);
    queue.push_back(static_cast<std::int32_t>(landmarks[k]));
  }
  label_neighbors(op, queue, labels);
  const auto missed = std::ranges::find(labels, -1);
  if (missed != labels.end()) {
    const auto smallest = static_cast<std::int32_t>(missed - labels.begin());
    labels[smallest] = 0;
    queue.assign(1, smallest);
    label_neighbors(op, queue, labels);
    throw Error(ErrorKind::numeric, fmt::format("the component of vertex {} ({} vertices) holds no landmark; {}",
                                                smallest, queue.size(), advice));
  }
  return labels;
}

namespace {

// Adjacent regions of each region, in compressed rows.
struct Touching {
  std::vector<Index> starts{0};
  std::vector<std::int32_t> list, crossings;

  // Appends the next region.
  void append(const OperatorView& op, const LandmarkRegions& regions, std::int32_t region) {
    others_.clear();
    for (const std::int32_t v : regions.members(region)) {
      for (Index arc = op.starts[v]; arc < op.starts[v + 1]; ++arc) {
        const std::int32_t other = regions.of(op.neighbors[arc]);
        if (other != region) others_.push_back(other);
      }
    }
    std::ranges::sort(others_);
    for (std::size_t k = 0; k < others_.size(); ++k) {
      if (k == 0 || others_[k] != others_[k - 1]) list.push_back(others_[k]), crossings.push_back(0);
      ++crossings.back();
    }
    starts.push_back(static_cast<Index>(list.size()));
  }

 private:
  std::vector<std::int32_t> others_;
};

}  // namespace

LandmarkRegions::LandmarkRegions(const Communicator& communicator, const OperatorView& op,
                                 const std::vector<Index>& landmarks)
    : region_of_(communicator, op.size),
      index_(communicator, op.size),
      members_(communicator, op.size),
      landmark_of_(communicator, static_cast<Index>(landmarks.size())),
      starts_(communicator, static_cast<Index>(landmarks.size()) + 1),
      touching_starts_(communicator, static_cast<Index>(landmarks.size()) + 1) {
  const Communicator& node = members_.node();
  Touching touching;
  collectively(communicator, [&] {
    if (!node.is_root()) return;
    std::ranges::copy(landmarks, landmark_of_.writable().begin());
    fill_members(nearest_landmarks(op, landmarks));
    for (std::int32_t k = 0; k < static_cast<std::int32_t>(landmarks.size()); ++k) touching.append(op, *this, k);
    std::ranges::copy(touching.starts, touching_starts_.writable().begin());
  });
  auto arcs = static_cast<Index>(touching.list.size());
  node.broadcast(std::span(&arcs, 1), 0);
  touching_ = NodeArray<std::int32_t>(communicator, arcs);
  crossings_ = NodeArray<std::int32_t>(communicator, arcs);
  if (node.is_root()) {
    std::ranges::copy(touching.list, touching_.writable().begin());
    std::ranges::copy(touching.crossings, crossings_.writable().begin());
  }
  for (const auto* array : {&region_of_, &index_, &members_, &landmark_of_, &touching_, &crossings_}) array->publish();
  for (const auto* array : {&starts_, &touching_starts_}) array->publish();
}

void LandmarkRegions::fill_members(const std::vector<std::int32_t>& nearest) {
  std::ranges::copy(nearest, region_of_.writable().begin());
  const auto starts = starts_.writable();
  std::ranges::fill(starts, 0);
  const auto index = index_.writable(), members = members_.writable();
  for (std::size_t v = 0; v < nearest.size(); ++v) {
    index[v] = static_cast<std::int32_t>(starts[static_cast<std::size_t>(nearest[v]) + 1]++);
  }
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  for (std::size_t v = 0; v < nearest.size(); ++v) {
    members[starts[nearest[v]] + index[v]] = static_cast<std::int32_t>(v);
  }
}

bool RegionSet::insert(std::int32_t region) {
  char& inside = inside_[region];
  if (inside != 0) return false;
  inside = 1;
  list_.push_back(region);
  vertices_ += static_cast<Index>(regions_.members(region).size());
  return true;
}

std::size_t RegionSet::add_ring(std::size_t first) {
  const std::size_t end = list_.size();
  for (std::size_t k = first; k < end; ++k) {
    for (const std::int32_t other : regions_.touching(list_[k])) insert(other);
  }
  return end;
}

void RegionSet::spread(std::size_t first, Index rings, Index vertices) {
  for (Index ring = 0; (ring < rings || vertices_ < vertices) && first < list_.size(); ++ring) first = add_ring(first);
}

void RegionSet::clear() {
  for (const std::int32_t region : list_) inside_[region] = 0;
  list_.clear();
  vertices_ = 0;
}

}  // namespace cairn
