#include "similarity/columns.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/collective_guard.hpp"
#include "base/error.hpp"
#include "base/schedule.hpp"
#include "linalg/blas_threads.hpp"

namespace cairn {

namespace {

// Tiles of RowPartition::unit(n) rows of K S, written where they belong.
template <class T>
class ColumnTiles final : public TileWork {
 public:
  ColumnTiles(const Similarity<T>& similarity, const ObjectSet& objects, const ObjectBlock& columns, RowBlock<T>& out)
      : similarity_(similarity), objects_(objects), columns_(columns), out_(out) {}

  [[nodiscard]] std::vector<std::byte> pack(const Tile& tile) const override { return objects_.pack(tile.rows); }

  [[nodiscard]] std::span<std::byte> result(const Tile& tile) override {
    const std::span<T> first = out_.row(tile.rows.begin);
    return std::as_writable_bytes(std::span(first.data(), values(tile)));
  }

  [[nodiscard]] Index result_bytes(const Tile& tile) const override {
    return static_cast<Index>(values(tile) * sizeof(T));
  }

  // Whose tile it is decides where its objects are: what an owner packs may be empty.
  void compute(const Tile& tile, std::span<const std::byte> inputs, std::span<std::byte> result) const override {
    const bool own = objects_.range().contains(tile.rows.begin);
    const auto rows = own ? objects_.block(tile.rows) : objects_.unpack(tile.rows, inputs);
    similarity_.tile(*rows, columns_,
                     MatrixView<T>(reinterpret_cast<T*>(result.data()), tile.rows.size(), columns_.size()));
  }

  [[nodiscard]] std::vector<Tile> own_tiles() const {
    const Index unit = RowPartition::unit(objects_.size());
    const Range mine = objects_.range();
    std::vector<Tile> tiles;
    for (Index begin = mine.begin; begin < mine.end; begin += unit) {
      const Range rows{begin, std::min(begin + unit, mine.end)};
      const double cost = similarity_.cost(objects_, rows) * static_cast<double>(columns_.size());
      tiles.push_back({.id = begin / unit, .rows = rows, .cost = cost});
    }
    return tiles;
  }

  [[nodiscard]] Index total_tiles() const {
    const Index unit = RowPartition::unit(objects_.size());
    return (objects_.size() + unit - 1) / unit;
  }

 private:
  [[nodiscard]] std::size_t values(const Tile& tile) const {
    return static_cast<std::size_t>(tile.rows.size() * columns_.size());
  }

  const Similarity<T>& similarity_;
  const ObjectSet& objects_;
  const ObjectBlock& columns_;
  RowBlock<T>& out_;
};

}  // namespace

template <class T>
RowBlock<T> evaluate_columns(const Execution& execution, const Similarity<T>& similarity, const ObjectSet& objects,
                             const ObjectBlock& columns, const std::string& phase, const std::string& loop) {
  const int rank = execution.communicator.rank();
  auto out =
      collectively(execution.communicator, [&] { return RowBlock<T>(objects.partition(), rank, columns.size()); });
  evaluate_columns_into(execution, similarity, objects, columns, out, 0, phase, loop);
  return out;
}

template <class T>
void evaluate_columns_into(const Execution& execution, const Similarity<T>& similarity, const ObjectSet& objects,
                           const ObjectBlock& columns, RowBlock<T>& out, Index first_column, const std::string& phase,
                           const std::string& loop) {
  if (out.partition() != objects.partition() || first_column < 0 || first_column + columns.size() > out.columns()) {
    throw Error(ErrorKind::internal,
                fmt::format("columns {} to {} of {} x {} do not fit {} x {}", first_column,
                            first_column + columns.size(), out.rows(), out.columns(), objects.size(), columns.size()));
  }
  if (columns.size() != out.columns()) {
    const auto columns_alone = evaluate_columns(execution, similarity, objects, columns, phase, loop);
    for (Index i = out.range().begin; i < out.range().end; ++i) {
      std::ranges::copy(columns_alone.row(i), out.row(i).begin() + first_column);
    }
    return;
  }
  auto scope = execution.phases.enter(phase);
  const BlasThreads one(1);  // tiles are dealt to threads
  const Index before = similarity.evaluations();
  ColumnTiles<T> tiles(similarity, objects, columns, out);
  const Schedule schedule(loop, tiles.own_tiles(), tiles.total_tiles());
  const TileStatistics statistics = schedule.run(execution, tiles);
  scope.count_evaluations(similarity.evaluations() - before);
  scope.count_busy(statistics.busy_seconds);
}

#define CAIRN_INSTANTIATE(T)                                                                                          \
  template RowBlock<T> evaluate_columns(const Execution&, const Similarity<T>&, const ObjectSet&, const ObjectBlock&, \
                                        const std::string&, const std::string&);                                      \
  template void evaluate_columns_into(const Execution&, const Similarity<T>&, const ObjectSet&, const ObjectBlock&,   \
                                      RowBlock<T>&, Index, const std::string&, const std::string&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn
