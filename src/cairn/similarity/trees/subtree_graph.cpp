#include "cairn/similarity/trees/subtree_graph.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace cairn {

SubtreeGraph::SubtreeGraph(const DistinctSubtrees& subtrees, std::span<const std::int32_t> roots,
                           std::span<const std::int32_t> classes, std::span<const std::int32_t> ranks) {
  const auto size = static_cast<std::size_t>(subtrees.size());
  std::vector<std::int32_t> sorted(size);
  std::iota(sorted.begin(), sorted.end(), 0);
  const auto rank = [&](std::int32_t node) { return ranks.empty() ? 0 : ranks[node]; };
  std::ranges::sort(sorted, [&](std::int32_t a, std::int32_t b) {
    const std::int32_t first = classes[a], second = classes[b];
    if (first != second) return first < second;
    return rank(a) != rank(b) ? rank(a) < rank(b) : a < b;
  });
  numbers_.resize(size);
  class_starts_ = {0};
  for (std::size_t k = 0; k < size; ++k) {
    const std::int32_t node = sorted[k];
    numbers_[node] = static_cast<std::int32_t>(k);
    labels_.push_back(subtrees.label(node));
    class_of_.push_back(classes[node]);
    while (std::ssize(class_starts_) <= class_of_.back()) class_starts_.push_back(static_cast<std::int32_t>(k));
  }
  class_starts_.push_back(static_cast<std::int32_t>(size));
  for (const std::int32_t node : sorted) {
    for (const std::int32_t child : subtrees.children(node)) {
      children_.push_back(numbers_[child]);
    }
    starts_.push_back(std::ssize(children_));
  }
  order_ = numbers_;  // subtrees are numbered with children first
  for (const std::int32_t root : roots) roots_.push_back(numbers_[root]);
}

void SubtreeGraph::sum_over_trees(double* values, MatrixView<double> out) const {
  constexpr auto width = static_cast<std::size_t>(lanes);
  const std::int32_t* const below = children_.data();
  for (const std::int32_t node : order_) {
    const Index first = starts_[node], last = starts_[static_cast<std::size_t>(node) + 1];
    if (first == last) continue;
    double* const target = values + static_cast<std::size_t>(node) * width;
    std::array<double, width> sums;
    for (std::size_t r = 0; r < width; ++r) sums[r] = target[r];
    for (Index k = first; k < last; ++k) {
      const double* const more = values + static_cast<std::size_t>(below[k]) * width;
      for (std::size_t r = 0; r < width; ++r) sums[r] += more[r];
    }
    for (std::size_t r = 0; r < width; ++r) target[r] = sums[r];
  }
  for (Index b = 0; b < out.columns; ++b) {
    const double* const sums = values + static_cast<std::size_t>(roots_[b]) * width;
    for (Index r = 0; r < out.rows; ++r) out(r, b) = sums[r];
  }
}

double stack_bytes(Index numbers, Index nodes) {
  constexpr double number = sizeof(double), grown = 2.0;
  return number * (grown * static_cast<double>(numbers) + static_cast<double>(SubtreeGraph::lanes * nodes));
}

}  // namespace cairn
