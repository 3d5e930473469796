#include "cairn/landmark/diagonal.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/schedule/schedule.hpp"

namespace cairn {

namespace {

template <class T>
class DiagonalWork final : public TileWork {
 public:
  DiagonalWork(const Similarity<T>& similarity, const ObjectSet& objects, RowBlock<T>& diagonal)
      : similarity_(similarity), objects_(objects), diagonal_(diagonal) {}

  std::vector<std::byte> pack(const Tile& tile) const override { return objects_.pack(tile.rows); }

  std::span<std::byte> result(const Tile& tile) override {
    return std::as_writable_bytes(
        std::span(diagonal_.row(tile.rows.begin).data(), static_cast<std::size_t>(tile.rows.size())));
  }

  Index result_bytes(const Tile& tile) const override { return tile.rows.size() * static_cast<Index>(sizeof(T)); }

  double longest_seconds() const override {
    return similarity_.longest_seconds(RowPartition::unit(objects_.partition().rows()));
  }

  void compute(const Tile& tile, std::span<const std::byte> inputs, std::span<std::byte> result) const override {
    const bool own = objects_.range().contains(tile.rows.begin);  // an owner may pack nothing
    const auto block = own ? objects_.block(tile.rows) : objects_.unpack(tile.rows, inputs);
    std::vector<T> values(tile.rows.size());
    similarity_.pairs(*block, *block, values);
    std::memcpy(result.data(), values.data(), result.size());
  }

 private:
  const Similarity<T>& similarity_;
  const ObjectSet& objects_;
  RowBlock<T>& diagonal_;
};

}  // namespace

template <class T>
RowBlock<T> evaluate_diagonal(const Execution& execution, const Similarity<T>& similarity, const ObjectSet& objects,
                              const std::string& loop) {
  auto phase = execution.phases.enter("landmarks");
  const Communicator& communicator = execution.communicator;
  const RowPartition& partition = objects.partition();
  const Index unit = RowPartition::unit(partition.rows());
  const Range own = objects.range();
  const Index before = similarity.evaluations();
  auto diagonal = collectively(communicator, [&] { return RowBlock<T>(partition, communicator.rank(), 1); });
  std::vector<Tile> tiles;
  for (Index begin = own.begin; begin < own.end; begin += unit) {
    const Range rows{begin, std::min(begin + unit, own.end)};
    tiles.push_back({begin / unit, rows, similarity.cost(*objects.block(rows))});
  }
  DiagonalWork<T> work(similarity, objects, diagonal);
  const Index total = (partition.rows() + unit - 1) / unit;
  const TileStatistics statistics = Schedule(loop, std::move(tiles), total).run(execution, work);
  phase.count_busy(statistics.busy_seconds);
  similarity.count_restored(statistics.restored_rows);
  phase.count_evaluations(similarity.evaluations() - before);
  return diagonal;
}

template RowBlock<float> evaluate_diagonal(const Execution&, const Similarity<float>&, const ObjectSet&,
                                           const std::string&);
template RowBlock<double> evaluate_diagonal(const Execution&, const Similarity<double>&, const ObjectSet&,
                                            const std::string&);

}  // namespace cairn
