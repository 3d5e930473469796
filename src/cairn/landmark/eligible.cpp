#include "cairn/landmark/eligible.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/base/error.hpp"
#include "cairn/landmark/landmark_count.hpp"

namespace cairn {

Parameter landmark_split() {
  return {.name = "split",
          .value = "NAME",
          .help =
              "Only objects of this split become landmarks, train for example, so that nothing of the others is "
              "known. Further samples of a method (s2) are drawn from all objects."};
}

EligibleObjects::EligibleObjects(const Communicator& communicator, const ObjectSet& objects)
    : communicator_(communicator), objects_(objects), before_(objects.range().begin), count_(objects.size()) {}

EligibleObjects::EligibleObjects(const Communicator& communicator, const ObjectSet& objects, const Values& values)
    : EligibleObjects(communicator, objects) {
  if (!values.given("split")) return;
  split_ = values.text("split");
  const std::vector<std::string>& splits = objects.splits();
  if (communicator.maximum(static_cast<Index>(splits.size())) == 0) {
    throw Error(ErrorKind::input, fmt::format("{} = {}: the data have no splits", values.where("split"), split_));
  }
  const auto own = static_cast<Index>(std::count(splits.begin(), splits.end(), split_));
  before_ = count_ = 0;
  int rank = 0;
  for (const Index of_rank : communicator.all_gather_one(own)) {
    if (rank++ < communicator.rank()) before_ += of_rank;
    count_ += of_rank;
  }
  if (count_ > 0) return;
  throw Error(ErrorKind::input, fmt::format("{} = {}: no object is of this split", values.where("split"), split_));
}

bool EligibleObjects::contains(Index row) const {
  return split_.empty() || objects_.splits()[static_cast<std::size_t>(row - objects_.range().begin)] == split_;
}

std::vector<Index> EligibleObjects::numbers(std::vector<Index> places) const {
  if (split_.empty()) return places;
  std::vector<std::pair<Index, std::size_t>> sorted;  // place, and where it is wanted
  for (std::size_t k = 0; k < places.size(); ++k) sorted.emplace_back(places[k], k);
  std::sort(sorted.begin(), sorted.end());
  std::vector<Index> rows(places.size(), 0);
  auto next = std::lower_bound(sorted.begin(), sorted.end(), std::pair(before_, std::size_t{0}));
  Index place = before_;
  const Range own = objects_.range();
  for (Index row = own.begin; row < own.end && next != sorted.end(); ++row) {
    if (!contains(row)) continue;
    for (; next != sorted.end() && next->first == place; ++next) rows[next->second] = row;
    ++place;
  }
  communicator_.sum(std::span(rows));  // all but one summand are 0
  return rows;
}

void EligibleObjects::require(Index landmarks, const KeyNames& keys) const {
  if (split_.empty()) return require_landmark_count(landmarks, count_, keys);
  if (landmarks >= 1 && landmarks <= count_) return;
  throw Error(ErrorKind::usage, fmt::format("{} is {}; it must be between 1 and the number of objects of the split "
                                            "'{}', {}",
                                            keys("count"), landmarks, split_, count_));
}

}  // namespace cairn
