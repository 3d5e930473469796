#include "cairn/task/classification/folds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

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
    throw Error(ErrorKind::input,
                fmt::format("all rows of the class '{}' are in one fold in the order of the file: it cannot be both "
                            "learned and tested",
                            names[c]));
  }
}

std::vector<std::int32_t> deal_folds(FoldOrder order, std::span<const std::int32_t> classes,
                                     std::span<const Index> rows, const std::vector<std::string>& names, Index folds,
                                     std::uint64_t seed, const KeyNames& keys) {
  if (folds > std::ssize(rows)) {
    throw Error(ErrorKind::usage, fmt::format("{} = {} is more than the {} rows to train on: a fold would be empty",
                                              keys("folds"), folds, rows.size()));
  }
  if (order == FoldOrder::random) return stratified_folds(classes, rows, folds, seed);
  std::vector<std::int32_t> dealt = consecutive_folds(rows.size(), folds);
  require_several_folds(classes, dealt, names);
  return dealt;
}

}  // namespace cairn
