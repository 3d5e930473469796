#include "cairn/task/classification/folds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/random.hpp"

namespace cairn {

std::vector<std::int32_t> stratified_folds(std::span<const std::int32_t> classes, std::span<const Index> rows,
                                           Index folds, std::uint64_t seed) {
  const Random random(seed, Stream::folds);
  std::vector<std::uint64_t> keys;
  for (const Index row : rows) keys.push_back(random.bits(static_cast<std::uint64_t>(row)));
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto place = [&](std::size_t i) { return std::tuple(classes[i], keys[i], rows[i]); };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return place(a) < place(b); });
  std::vector<std::int32_t> result(rows.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    result[order[i]] = static_cast<std::int32_t>(static_cast<Index>(i) % folds);
  }
  return result;
}

std::vector<std::int32_t> consecutive_folds(std::size_t rows, Index folds) {
  std::vector<std::int32_t> result(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    result[i] = static_cast<std::int32_t>(static_cast<Index>(i) * folds / static_cast<Index>(rows));
  }
  return result;
}

std::vector<std::int32_t> folds_of_groups(FoldOrder order, std::span<const Index> groups, std::span<const Index> rows,
                                          Index folds, std::uint64_t seed) {
  struct Group {
    std::uint64_t key = 0;
    Index first = 0, count = 0;
    std::int32_t fold = 0;
  };
  std::map<Index, Group> all;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Group& group = all[groups[i]];
    group.first = group.count == 0 ? rows[i] : std::min(group.first, rows[i]);
    ++group.count;
  }
  const Random random(seed, Stream::folds);
  std::vector<Group*> sorted;
  for (auto& [number, group] : all) {
    if (order == FoldOrder::random) group.key = random.bits(static_cast<std::uint64_t>(group.first));
    sorted.push_back(&group);
  }
  std::ranges::sort(sorted, {}, [](const Group* group) { return std::pair(group->key, group->first); });
  std::vector<Index> sizes(folds, 0);
  for (std::size_t g = 0; g < sorted.size(); ++g) {
    const auto fold = order == FoldOrder::random
                          ? std::ranges::min_element(sizes) - sizes.begin()
                          : static_cast<std::ptrdiff_t>(g) * folds / static_cast<std::ptrdiff_t>(sorted.size());
    sizes[fold] += sorted[g]->count;
    sorted[g]->fold = static_cast<std::int32_t>(fold);
  }
  std::vector<std::int32_t> result;
  for (const Index group : groups) result.push_back(all.at(group).fold);
  return result;
}

void require_several_folds(std::span<const std::int32_t> classes, std::span<const std::int32_t> folds,
                           const std::vector<std::string>& names) {
  std::vector<std::int32_t> first(names.size(), -1);
  std::vector<char> several(names.size(), 0);
  for (std::size_t i = 0; i < folds.size(); ++i) {
    const auto c = static_cast<std::size_t>(classes[i]);
    if (first[c] < 0) first[c] = folds[i];
    if (folds[i] != first[c]) several[c] = 1;
  }
  for (std::size_t c = 0; c < names.size(); ++c) {
    if (first[c] < 0 || several[c] != 0) continue;
    throw Error(
        ErrorKind::input,
        fmt::format("all rows of the class '{}' are in one fold: it cannot be both learned and tested", names[c]));
  }
}

std::vector<std::int32_t> deal_folds(FoldOrder order, const FoldRows& dealt, const std::vector<std::string>& names,
                                     Index folds, std::uint64_t seed, const KeyNames& keys) {
  const auto require = [&](Index there, const char* what) {
    if (folds <= there) return;
    throw Error(ErrorKind::usage, fmt::format("{} = {} is more than the {} {} to train on: a fold would be empty",
                                              keys("folds"), folds, there, what));
  };
  require(std::ssize(dealt.rows), "rows");
  if (order == FoldOrder::random && dealt.groups.empty()) {
    return stratified_folds(dealt.classes, dealt.rows, folds, seed);
  }
  std::vector<std::int32_t> result;
  if (dealt.groups.empty()) {
    result = consecutive_folds(dealt.rows.size(), folds);
  } else {
    require(std::ssize(std::set<Index>(dealt.groups.begin(), dealt.groups.end())), "groups of rows");
    result = folds_of_groups(order, dealt.groups, dealt.rows, folds, seed);
  }
  require_several_folds(dealt.classes, result, names);
  return result;
}

}  // namespace cairn
