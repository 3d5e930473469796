#include "cairn/data/matrix/sparse_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cairn/base/error.hpp"

namespace cairn {

EntriesOfRows EntryCollector::finish(const std::string& path, std::span<const Index> position) {
  std::vector<std::size_t> order(row_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto before = [&](std::size_t a, std::size_t b) {
    return row_[a] != row_[b]
               ? row_[a] < row_[b]
               : position[static_cast<std::size_t>(column_[a])] < position[static_cast<std::size_t>(column_[b])];
  };
  if (!std::ranges::is_sorted(order, before)) std::ranges::stable_sort(order, before);
  EntriesOfRows found;
  std::size_t next = 0;
  for (Index row = 0; row < rows_.size(); ++row) {
    while (next < order.size() && row_[order[next]] == row) {
      const Index column = column_[order[next]];
      const Index place = position[static_cast<std::size_t>(column)];
      double sum = 0;
      for (; next < order.size() && row_[order[next]] == row && column_[order[next]] == column; ++next) {
        sum += value_[order[next]];
      }
      if (place < 0) continue;
      if (!std::isfinite(sum)) {
        throw Error(ErrorKind::input, fmt::format("{}: entry ({}, {}) is {}", path, rows_.begin + row, column, sum));
      }
      if (sum == 0) continue;
      found.columns.push_back(place);
      found.values.push_back(sum);
    }
    found.starts.push_back(std::ssize(found.columns));
  }
  return found;
}

}  // namespace cairn
