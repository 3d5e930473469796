#include "cairn/task/classification/folds.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

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

}  // namespace cairn
