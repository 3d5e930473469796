#include "cairn/approximation/nearest_objects.hpp"

#include <algorithm>

namespace cairn {

std::vector<Neighbor> nearest_objects(const Communicator& communicator, Range own, std::span<const double> values,
                                      Index skipped, std::size_t k, Meaning meaning) {
  constexpr Index row_window = Index{1} << 16;
  std::vector<Neighbor> found;
  for (Index begin = own.begin; begin < own.end; begin += row_window) {
    for (Index object = begin; object < std::min(begin + row_window, own.end); ++object) {
      if (object != skipped) found.push_back({object, values[object - own.begin]});
    }
    keep_nearest(found, k, meaning);
  }
  found = communicator.all_gather(found);
  keep_nearest(found, k, meaning);
  return found;
}

std::vector<std::vector<Neighbor>> nearest_of_columns(const Communicator& communicator, const RowBlock<double>& columns,
                                                      std::size_t k, Meaning meaning) {
  const Range own = columns.range();
  const auto most = std::min<std::size_t>(k, static_cast<std::size_t>(own.size()));
  std::vector<Neighbor> all;
  for (Index column = 0; column < columns.columns(); ++column) {
    std::vector<Neighbor> found;
    for (Index object = own.begin; object < own.end; ++object) {
      found.push_back({object, columns.row(object)[column]});
      if (found.size() == 4 * std::max<std::size_t>(k, 1024)) keep_nearest(found, k, meaning);
    }
    keep_nearest(found, k, meaning);
    all.insert(all.end(), found.begin(), found.end());
  }
  all = communicator.all_gather(all);
  const std::vector<std::size_t> kept = communicator.all_gather_one(most);
  std::vector<std::vector<Neighbor>> nearest(columns.columns());
  auto next = all.begin();
  for (const std::size_t count : kept) {  // per rank, for each column
    for (std::vector<Neighbor>& list : nearest) {
      list.insert(list.end(), next, next + static_cast<std::ptrdiff_t>(count));
      next += static_cast<std::ptrdiff_t>(count);
    }
  }
  for (std::vector<Neighbor>& list : nearest) keep_nearest(list, k, meaning);
  return nearest;
}

}  // namespace cairn
