#include "cairn/evaluation/pair_values.hpp"

#include <algorithm>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"

namespace cairn {

namespace {
constexpr Index pairs_a_batch = Index{1} << 16;
}

template <class T>
std::vector<double> exact_entries(const Execution& execution, const Similarity<T>& similarity, const ObjectSet& objects,
                                  std::span<const Index> rows, std::span<const Index> columns) {
  const Communicator& communicator = execution.communicator;
  const auto own = static_cast<Index>(rows.size());
  if (const SourceSimilarity* const sources = similarity.by_source())
    sources->expect_pairs(communicator, communicator.sum(own));
  const Index batch = std::min(pairs_a_batch, similarity.traits().most_entries_in_tile);
  const Index batches = communicator.maximum((own + batch - 1) / batch);
  const Watchdog::Patience patience(similarity.longest_seconds(batch));  // grace period for ranks with more pairs
  std::vector<double> values;
  for (Index b = 0; b < batches; ++b) {
    const auto begin = static_cast<std::size_t>(std::min(b * batch, own));
    const auto count = static_cast<std::size_t>(std::min((b + 1) * batch, own)) - begin;
    const ObjectPairs gathered =
        objects.gather_pairs(communicator, rows.subspan(begin, count), columns.subspan(begin, count));
    collectively(communicator, [&] {
      std::vector<T> part(count);
      if (count > 0) similarity.pairs(*gathered.first, *gathered.second, part);
      values.insert(values.end(), part.begin(), part.end());
    });
    Watchdog::beat();
  }
  return values;
}

template std::vector<double> exact_entries(const Execution&, const Similarity<float>&, const ObjectSet&,
                                           std::span<const Index>, std::span<const Index>);
template std::vector<double> exact_entries(const Execution&, const Similarity<double>&, const ObjectSet&,
                                           std::span<const Index>, std::span<const Index>);

std::vector<double> exact_entries(const Execution& execution, const SourceSimilarity& similarity,
                                  std::span<const Index> rows, std::span<const Index> columns) {
  similarity.expect_pairs(execution.communicator, execution.communicator.sum(std::ssize(rows)));
  return collectively(execution.communicator, [&] {
    std::vector<double> values(rows.size());
    similarity.pairs(rows, columns, values);
    return values;
  });
}

}  // namespace cairn
