#include "cairn/run/answers/nearest_exact.hpp"

#include <algorithm>
#include <vector>

#include "cairn/base/process/watchdog.hpp"

namespace cairn {

Index answer_nearest_exact(const Execution& execution, const NearestSearch& search, const SearchSide& queries,
                           const SearchSide& targets, Index k, const NeighborLines& lines, bool headed,
                           const std::function<void(const std::string& lines)>& take) {
  constexpr Index together = 4096;
  const Communicator& communicator = execution.communicator;
  const FoundNeighbors found = search.nearest(execution, queries, targets, k);
  if (headed) take(lines.heading());
  Index answered = 0;
  for (int rank = 0; rank < communicator.size(); ++rank) {  // rows of ranks ascend
    const bool own = rank == communicator.rank();
    Index count = own ? std::ssize(queries.rows) : 0;
    communicator.broadcast(std::span(&count, 1), rank);
    for (Index begin = 0; begin < count; begin += together) {
      const Index end = std::min(begin + together, count);
      std::vector<Index> objects, sizes;
      std::vector<Neighbor> neighbors;
      for (Index q = begin; own && q < end; ++q) {
        objects.push_back(queries.rows[q]);
        const auto list = found.of(q);
        sizes.push_back(std::ssize(list));
        neighbors.insert(neighbors.end(), list.begin(), list.end());
      }
      communicator.broadcast(objects, rank);
      communicator.broadcast(sizes, rank);
      communicator.broadcast(neighbors, rank);
      std::vector<std::vector<Neighbor>> lists;
      auto next = neighbors.begin();
      for (const Index size : sizes) {
        lists.emplace_back(next, next + size);
        next += size;
      }
      take(lines.lines(objects, lists));
      Watchdog::beat();
    }
    answered += count;
  }
  return answered;
}

}  // namespace cairn
