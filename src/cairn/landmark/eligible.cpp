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
              "Landmarks are chosen from this split only, for example train, so that the other splits are not used. "
              "Further samples of a method (s2) come from this split, too."};
}

EligibleObjects::EligibleObjects(const Communicator& communicator, const ObjectSet& objects)
    : communicator_(communicator), objects_(objects), before_(objects.range().begin), count_(objects.size()) {}

EligibleObjects::EligibleObjects(const Communicator& communicator, const ObjectSet& objects, const Values& values)
    : EligibleObjects(communicator, objects, values.given("split") ? values.text("split") : "",
                      values.given("split") ? values.where("split") : "") {}

EligibleObjects::EligibleObjects(const Communicator& communicator, const ObjectSet& objects, const std::string& split,
                                 const std::string& where)
    : EligibleObjects(communicator, objects) {
  if (split.empty()) return;
  split_ = split;
  const std::vector<std::string>& splits = objects.splits();
  if (communicator.maximum(static_cast<Index>(splits.size())) == 0) {
    throw Error(ErrorKind::input, fmt::format("{} = {}: the data have no splits", where, split_));
  }
  const auto own = static_cast<Index>(std::count(splits.begin(), splits.end(), split_));
  before_ = count_ = 0;
  int rank = 0;
  for (const Index of_rank : communicator.all_gather_one(own)) {
    if (rank++ < communicator.rank()) before_ += of_rank;
    count_ += of_rank;
  }
  if (count_ > 0) return;
  throw Error(ErrorKind::input, fmt::format("{} = {}: no object is of this split", where, split_));
}

bool EligibleObjects::contains(Index row) const {
  return split_.empty() || objects_.splits()[row - objects_.range().begin] == split_;
}

std::vector<Index> EligibleObjects::numbers(std::vector<Index> places) const {
  if (split_.empty()) return places;
  std::vector<std::pair<Index, std::size_t>> sorted;  // position, and index of its result
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
  communicator_.sum(std::span(rows));  // all but one term are 0
  return rows;
}

std::vector<Index> EligibleObjects::among(const std::vector<Index>& rows) const {
  if (split_.empty() || rows.empty()) return rows;
  std::vector<Index> chosen(rows.size(), 0);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (objects_.range().contains(rows[k]) && contains(rows[k])) chosen[k] = 1;
  }
  communicator_.sum(std::span(chosen));
  std::vector<Index> eligible;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (chosen[k] != 0) eligible.push_back(rows[k]);
  }
  return eligible;
}

std::string EligibleObjects::count_text() const {
  return split_.empty() ? "the number of objects" : fmt::format("the number of objects of the split '{}'", split_);
}

void EligibleObjects::require(Index landmarks, const KeyNames& keys) const {
  if (split_.empty()) return require_landmark_count(landmarks, count_, keys);
  if (landmarks >= 1 && landmarks <= count_) return;
  throw Error(ErrorKind::usage,
              fmt::format("{} is {}; it must be between 1 and {}, {}", keys("count"), landmarks, count_text(), count_));
}

}  // namespace cairn
