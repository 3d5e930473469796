#include "approximation/landmark_regions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace cairn {

namespace {

// Gives the label of every vertex in `queue` to all that can be reached and have none; `queue` grows by them.
void spread(const OperatorView& op, std::vector<std::int32_t>& queue, std::vector<std::int32_t>& labels) {
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const std::int32_t vertex = queue[head];
    for (Index arc = op.starts[vertex]; arc < op.starts[vertex + 1]; ++arc) {
      const std::int32_t other = op.neighbours[arc];
      std::int32_t& label = labels[static_cast<std::size_t>(other)];
      if (label >= 0) continue;
      label = labels[static_cast<std::size_t>(vertex)];
      queue.push_back(other);
    }
  }
}

}  // namespace

std::vector<std::int32_t> nearest_landmarks(const OperatorView& op, const std::vector<Index>& landmarks) {
  std::vector<std::int32_t> labels(static_cast<std::size_t>(op.size), -1), queue;
  queue.reserve(labels.size());
  for (std::size_t k = 0; k < landmarks.size(); ++k) {
    labels[static_cast<std::size_t>(landmarks[k])] = static_cast<std::int32_t>(k);
    queue.push_back(static_cast<std::int32_t>(landmarks[k]));
  }
  spread(op, queue, labels);
  const auto missed = std::ranges::find(labels, -1);
  if (missed != labels.end()) {
    const auto smallest = static_cast<std::int32_t>(missed - labels.begin());
    labels[static_cast<std::size_t>(smallest)] = 0;
    queue.assign(1, smallest);
    spread(op, queue, labels);
    throw Error(ErrorKind::numeric,
                fmt::format("the component of vertex {} ({} vertices) holds no landmark; take more landmarks, or the "
                            "largest component alone",
                            smallest, queue.size()));
  }
  return labels;
}

}  // namespace cairn
