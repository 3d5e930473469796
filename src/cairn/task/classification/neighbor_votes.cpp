#include "cairn/task/classification/neighbor_votes.hpp"

#include <algorithm>

namespace cairn {

namespace {

// What each neighbor counts, by its value.
std::vector<double> weights_of(std::span<const Neighbor> neighbors, const NeighborVoting& voting) {
  std::vector<double> weights(neighbors.size(), 1.0);
  if (!voting.by_distance || neighbors.empty()) return weights;
  const bool distances = voting.meaning == Meaning::distance;
  const bool coincide = distances && neighbors.front().value <= 0.0;
  for (std::size_t j = 0; j < neighbors.size(); ++j) {
    const double value = neighbors[j].value;
    weights[j] = !distances ? std::max(0.0, value) : coincide ? (value <= 0.0 ? 1.0 : 0.0) : 1.0 / value;
  }
  if (std::ranges::all_of(weights, [](double weight) { return weight <= 0.0; })) std::ranges::fill(weights, 1.0);
  return weights;
}

}  // namespace

std::int32_t vote(std::span<const Neighbor> neighbors, const LabelledNeighbors& labelled, const NeighborVoting& voting,
                  std::span<double> scores) {
  std::ranges::fill(scores, 0.0);
  const auto nearest = neighbors.first(std::min(neighbors.size(), static_cast<std::size_t>(voting.k)));
  if (nearest.empty()) return 0;
  const std::vector<double> weights = weights_of(nearest, voting);
  std::vector<std::int32_t> classes;
  double sum = 0.0;
  for (std::size_t j = 0; j < nearest.size(); ++j) {
    const auto place = std::ranges::lower_bound(labelled.rows, nearest[j].object) - labelled.rows.begin();
    classes.push_back(labelled.classes[place]);
    scores[classes.back()] += weights[j];
    sum += weights[j];
  }
  for (double& score : scores) score /= sum;
  std::int32_t best = classes.front();
  for (const std::int32_t its : classes) {
    if (scores[its] > scores[best]) best = its;
  }
  return best;
}

template <class T>
FoundNeighbors find_neighbors(const Execution& execution, const Similarity<T>& similarity, const SearchSide& queries,
                              const SearchSide& targets, Index k) {
  auto phase = execution.phases.enter("nearest objects");
  const NearestSearch* const search = nearest_search(similarity);
  if (search == nullptr) return nearest_by_entries(execution, similarity, queries, targets, k);
  const Index before = similarity.evaluations();
  FoundNeighbors found = search->nearest(execution, queries, targets, k);
  phase.count_evaluations(similarity.evaluations() - before);
  return found;
}

template FoundNeighbors find_neighbors(const Execution&, const Similarity<float>&, const SearchSide&, const SearchSide&,
                                       Index);
template FoundNeighbors find_neighbors(const Execution&, const Similarity<double>&, const SearchSide&,
                                       const SearchSide&, Index);

}  // namespace cairn
