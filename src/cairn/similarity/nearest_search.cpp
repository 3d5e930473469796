#include "cairn/similarity/nearest_search.hpp"

#include <algorithm>
#include <span>

#include "cairn/base/process/watchdog.hpp"
#include "cairn/similarity/columns.hpp"

namespace cairn {

namespace {

// Nearest targets of the queries of all ranks, which stand in the columns of blocks.
template <class T>
class EntrySearch {
 public:
  EntrySearch(const Execution& execution, const Similarity<T>& similarity, const SearchSide& targets, Index k)
      : execution_(execution), similarity_(similarity), targets_(targets), k_(static_cast<std::size_t>(k)) {}

  // @param rows, groups  of the queries, the same on every rank. Collective.
  std::vector<std::vector<Neighbor>> nearest(const ObjectSet& objects, std::span<const Index> rows,
                                             std::span<const Index> groups, const std::string& loop) {
    const Communicator& communicator = execution_.communicator;
    const auto block = objects.gather(communicator, rows);
    const RowBlock<T> values = evaluate_columns(execution_, similarity_, targets_.objects, *block, "nearest objects",
                                                loop, OtherDistances::not_kept);
    std::vector<Neighbor> own;
    std::vector<Index> sizes;
    std::vector<Neighbor> found;
    for (std::size_t c = 0; c < rows.size(); ++c) {
      found.clear();
      for (std::size_t t = 0; t < targets_.rows.size(); ++t) {
        if (!groups.empty() && groups[c] == targets_.groups[t]) continue;
        found.push_back({targets_.rows[t], static_cast<double>(values.row(targets_.rows[t])[c])});
        if (found.size() >= 4 * k_ + 4096) keep_nearest(found, k_, similarity_.traits().meaning);
      }
      keep_nearest(found, k_, similarity_.traits().meaning);
      sizes.push_back(std::ssize(found));
      own.insert(own.end(), found.begin(), found.end());
    }
    const std::vector<Neighbor> all = communicator.all_gather(own);
    const std::vector<Index> all_sizes = communicator.all_gather(sizes);
    std::vector<std::vector<Neighbor>> lists(rows.size());
    auto next = all.begin();
    for (std::size_t s = 0; s < all_sizes.size(); ++s) {
      auto& list = lists[s % rows.size()];
      list.insert(list.end(), next, next + all_sizes[s]);
      next += all_sizes[s];
    }
    for (auto& list : lists) keep_nearest(list, k_, similarity_.traits().meaning);
    return lists;
  }

 private:
  const Execution& execution_;
  const Similarity<T>& similarity_;
  const SearchSide& targets_;
  std::size_t k_;
};

}  // namespace

template <class T>
FoundNeighbors nearest_by_entries(const Execution& execution, const Similarity<T>& similarity,
                                  const SearchSide& queries, const SearchSide& targets, Index k) {
  constexpr Index block_bytes = Index{64} << 20, most_together = 1024;
  const Communicator& communicator = execution.communicator;
  const Index own_bytes = communicator.maximum(targets.objects.range().size()) * static_cast<Index>(sizeof(T));
  const Index together = std::clamp<Index>(block_bytes / std::max<Index>(1, own_bytes), 1, most_together);
  EntrySearch<T> search(execution, similarity, targets, k);
  FoundNeighbors result;
  Index blocks = 0;
  const bool grouped = communicator.maximum(static_cast<Index>(queries.groups.size())) > 0;
  for (int rank = 0; rank < communicator.size(); ++rank) {  // the queries of one rank after the other
    const bool own = rank == communicator.rank();
    Index count = own ? std::ssize(queries.rows) : 0;
    communicator.broadcast(std::span(&count, 1), rank);
    for (Index begin = 0; begin < count; begin += together) {
      const auto size = static_cast<std::size_t>(std::min(together, count - begin));
      std::vector<Index> rows, groups;
      if (own) rows.assign(queries.rows.begin() + begin, queries.rows.begin() + begin + static_cast<Index>(size));
      if (own && grouped) {
        groups.assign(queries.groups.begin() + begin, queries.groups.begin() + begin + static_cast<Index>(size));
      }
      communicator.broadcast(rows, rank);
      communicator.broadcast(groups, rank);
      const auto lists = search.nearest(queries.objects, rows, groups, "nearest-" + std::to_string(blocks++));
      Watchdog::beat();
      if (!own) continue;
      for (const auto& list : lists) {
        result.neighbors.insert(result.neighbors.end(), list.begin(), list.end());
        result.starts.push_back(std::ssize(result.neighbors));
      }
    }
  }
  return result;
}

template FoundNeighbors nearest_by_entries(const Execution&, const Similarity<float>&, const SearchSide&,
                                           const SearchSide&, Index);
template FoundNeighbors nearest_by_entries(const Execution&, const Similarity<double>&, const SearchSide&,
                                           const SearchSide&, Index);

SearchSide all_objects(const ObjectSet& objects) {
  std::vector<Index> all = numbers_of(objects.range());
  return {objects, all, all};
}

}  // namespace cairn
