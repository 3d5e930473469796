#include "cairn/data/matrix/sparse_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cairn/base/error.hpp"

namespace cairn {

EntriesOfRows EntryCollector::finish(const std::string& path, std::span<const Index> position) {
  const auto place_of = [&](Index column) { return position.empty() ? column : position[column]; };
  const auto before = [&](std::size_t a, std::size_t b) {
    return row_[a] != row_[b] ? row_[a] < row_[b] : place_of(column_[a]) < place_of(column_[b]);
  };
  std::size_t ordered = 1;
  while (ordered < row_.size() && !before(ordered, ordered - 1)) ++ordered;
  const std::size_t count = row_.size();
  std::vector<std::size_t> order;  // empty: the present order
  if (ordered < count) {
    order.resize(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, before);
  }
  const auto at = [&](std::size_t k) { return order.empty() ? k : order[k]; };
  EntriesOfRows found;
  found.columns.reserve(count);
  found.values.reserve(count);
  std::size_t next = 0;
  for (Index row = 0; row < rows_.size(); ++row) {
    while (next < count && row_[at(next)] == row) {
      const Index column = column_[at(next)], place = place_of(column);
      double sum = 0;
      for (; next < count && row_[at(next)] == row && column_[at(next)] == column; ++next) {
        sum += value_[at(next)];
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
