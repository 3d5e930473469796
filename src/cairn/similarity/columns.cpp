#include "cairn/similarity/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/schedule/schedule.hpp"
#include "cairn/linalg/dense/blas_threads.hpp"
#include "cairn/similarity/distance_table.hpp"
#include "cairn/similarity/source_columns.hpp"

namespace cairn {

namespace {

// Tiles of a tall matrix, written in place. A tile has RowPartition::unit(n) rows, or fewer where entries are
// expensive.
template <class T>
class TallTiles : public TileWork {
 public:
  [[nodiscard]] std::span<std::byte> result(const Tile& tile) final {
    const std::span<T> first = out_.row(tile.rows.begin);
    return std::as_writable_bytes(std::span(first.data(), values(tile)));
  }

  [[nodiscard]] Index result_bytes(const Tile& tile) const final {
    return static_cast<Index>(values(tile) * sizeof(T));
  }

  [[nodiscard]] double longest_seconds() const final { return similarity_.longest_seconds(tile_rows_ * width()); }

  [[nodiscard]] std::vector<Tile> own_tiles() const {
    const Range mine = out_.range();
    std::vector<Tile> tiles;
    for (Index begin = mine.begin; begin < mine.end; begin += tile_rows_) {
      const Range rows{begin, std::min(begin + tile_rows_, mine.end)};
      tiles.push_back({.id = begin / tile_rows_, .rows = rows, .cost = cost(rows)});
    }
    return tiles;
  }

  [[nodiscard]] Index width() const { return columns_.size(); }

  [[nodiscard]] Index total_tiles() const { return (out_.rows() + tile_rows_ - 1) / tile_rows_; }

 protected:
  TallTiles(const Similarity<T>& similarity, const ObjectBlock& columns, RowBlock<T>& out, bool base)
      : similarity_(similarity),
        columns_(columns),
        out_(out),
        tile_rows_(rows_of_tile(similarity, columns.size(), out.rows())),
        base_(base) {}
  [[nodiscard]] virtual double cost(Range rows) const = 0;
  [[nodiscard]] const Similarity<T>& similarity() const { return similarity_; }
  [[nodiscard]] Index tile_rows() const { return tile_rows_; }

  // Similarities of `rows` with all columns, or their base distances.
  void evaluate(const ObjectBlock& rows, std::span<std::byte> result) const {
    const MatrixView<T> out(reinterpret_cast<T*>(result.data()), rows.size(), columns_.size());
    base_ ? similarity_.base_tile(rows, columns_, out) : similarity_.tile(rows, columns_, out);
  }

 private:
  [[nodiscard]] std::size_t values(const Tile& tile) const {
    return static_cast<std::size_t>(tile.rows.size() * columns_.size());
  }

  const Similarity<T>& similarity_;
  const ObjectBlock& columns_;
  RowBlock<T>& out_;
  Index tile_rows_;
  bool base_;
};

// Tiles of K S.
template <class T>
class ColumnTiles final : public TallTiles<T> {
 public:
  ColumnTiles(const Similarity<T>& similarity, const ObjectSet& objects, const ObjectBlock& columns, RowBlock<T>& out,
              bool base)
      : TallTiles<T>(similarity, columns, out, base), objects_(objects) {}

  [[nodiscard]] std::vector<std::byte> pack(const Tile& tile) const override { return objects_.pack(tile.rows); }

  // Ownership of the tile decides where its objects are, not `inputs`: what an owner packs may be empty.
  void compute(const Tile& tile, std::span<const std::byte> inputs, std::span<std::byte> result) const override {
    const bool own = objects_.range().contains(tile.rows.begin);
    this->evaluate(own ? *objects_.block(tile.rows) : *objects_.unpack(tile.rows, inputs), result);
  }

 private:
  [[nodiscard]] double cost(Range rows) const override { return this->similarity().cost(*objects_.block(rows)); }

  const ObjectSet& objects_;
};

// Tiles of some objects with others. Every rank holds the objects of every tile, so a tile has no inputs.
template <class T>
class SampleTiles final : public TallTiles<T> {
 public:
  using Units = std::vector<std::unique_ptr<ObjectBlock>>;

  /// @param units  the objects, one block for each tile
  SampleTiles(const Similarity<T>& similarity, const Units& units, const ObjectBlock& columns, RowBlock<T>& out,
              bool base)
      : TallTiles<T>(similarity, columns, out, base), units_(units) {}

  [[nodiscard]] std::vector<std::byte> pack(const Tile& /*tile*/) const override { return {}; }

  void compute(const Tile& tile, std::span<const std::byte> /*inputs*/, std::span<std::byte> result) const override {
    this->evaluate(*units_[tile.id], result);
  }

 private:
  [[nodiscard]] double cost(Range rows) const override {
    return this->similarity().cost(*units_[rows.begin / this->tile_rows()]);
  }

  const Units& units_;
};

// Objects of another set are compared by content. A table, or a similarity of ids, knows the ids of one set only.
// (Random documents have negative ids and belong to no set.)
template <class T>
void require_comparable(const Similarity<T>& similarity, const ObjectSet& objects, const ObjectBlock& columns) {
  if (columns.set == objects.identity()) return;
  if (!similarity.traits().defined_for_unseen) {
    throw Error(ErrorKind::usage,
                "the similarity " + similarity.traits().name + " is defined between the objects of its data set only");
  }
  if (similarity.distances() != nullptr && std::ranges::any_of(columns.ids, [](Index id) { return id >= 0; })) {
    throw Error(ErrorKind::internal, "stored distances of one data set are asked for objects of another one");
  }
}

template <class N>
void require_room(const ObjectSet& objects, const ObjectBlock& columns, const RowBlock<N>& out, Index first_column) {
  if (out.partition() == objects.partition() && first_column >= 0 && first_column + columns.size() <= out.columns()) {
    return;
  }
  throw Error(ErrorKind::internal,
              fmt::format("columns {} to {} of {} x {} do not fit {} x {}", first_column, first_column + columns.size(),
                          out.rows(), out.columns(), objects.size(), columns.size()));
}

template <class T>
void run(const Execution& execution, const Similarity<T>& similarity, TallTiles<T>& tiles, Phases::Scope* phase,
         const std::string& loop) {
  const BlasThreads one(1);  // tiles are assigned to threads
  const Index before = similarity.evaluations();
  const TileStatistics statistics = Schedule(loop, tiles.own_tiles(), tiles.total_tiles()).run(execution, tiles);
  similarity.count_restored(statistics.restored_rows * tiles.width());
  if (phase == nullptr) return;
  phase->count_evaluations(similarity.evaluations() - before);
  phase->count_busy(statistics.busy_seconds);
}

}  // namespace

template <class T>
Index rows_of_tile(const Similarity<T>& similarity, Index columns, Index n) {
  const Index most = similarity.traits().most_entries_in_tile / std::max<Index>(columns, 1);
  const auto rows = static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(std::max<Index>(most, 1))));
  return std::min(rows, RowPartition::unit(n));
}

template <class T>
RowBlock<T> evaluate_columns(const Execution& execution, const Similarity<T>& similarity, const ObjectSet& objects,
                             const ObjectBlock& columns, const std::string& phase, const std::string& loop,
                             OtherDistances others) {
  const int rank = execution.communicator.rank();
  auto out =
      collectively(execution.communicator, [&] { return RowBlock<T>(objects.partition(), rank, columns.size()); });
  evaluate_columns_into(execution, similarity, objects, columns, out, 0, phase, loop, others);
  return out;
}

template <class T>
Index whole_column_bytes(const Similarity<T>& similarity) {
  constexpr Index all = sizeof(T);
  const SourceSimilarity* const sources = similarity.by_source();
  const Index bytes = sources != nullptr ? delivered_integer_bytes(*sources) : 0;
  return bytes > 0 && bytes < all ? bytes : all;
}

template <class T>
TallMatrix<T> evaluate_whole_columns(const Execution& execution, const Similarity<T>& similarity,
                                     const ObjectSet& objects, const ObjectBlock& columns, const std::string& phase,
                                     const std::string& loop) {
  auto out = collectively(execution.communicator, [&] {
    return TallMatrix<T>::of_bytes(whole_column_bytes(similarity), objects.partition(), execution.communicator.rank(),
                                   columns.size());
  });
  evaluate_columns_into(execution, similarity, objects, columns, out, 0, phase, loop);
  return out;
}

template <class T>
void evaluate_columns_into(const Execution& execution, const Similarity<T>& similarity, const ObjectSet& objects,
                           const ObjectBlock& columns, TallMatrix<T>& out, Index first_column, const std::string& phase,
                           const std::string& loop) {
  out.visit([&]<class N>(RowBlock<N>& rows) {
    if constexpr (std::is_same_v<N, T>) {
      evaluate_columns_into(execution, similarity, objects, columns, rows, first_column, phase, loop);
    } else {
      require_room(objects, columns, rows, first_column);
      require_comparable(similarity, objects, columns);
      auto scope = execution.phases.enter(phase);
      evaluate_source_columns(execution, *similarity.by_source(), columns.ids, rows, first_column, scope, loop);
    }
  });
}

template <class T>
void evaluate_columns_into(const Execution& execution, const Similarity<T>& similarity, const ObjectSet& objects,
                           const ObjectBlock& columns, RowBlock<T>& out, Index first_column, const std::string& phase,
                           const std::string& loop, OtherDistances others) {
  require_room(objects, columns, out, first_column);
  require_comparable(similarity, objects, columns);
  if (const SourceSimilarity* const sources = similarity.by_source()) {
    auto scope = execution.phases.enter(phase);
    evaluate_source_columns(execution, *sources, columns.ids, out, first_column, scope, loop);
    return;
  }
  if (similarity.distances() != nullptr) {
    columns_from_distances(execution, similarity, objects, columns, out, first_column, phase, loop, others);
    return;
  }
  if (columns.size() != out.columns()) {
    const auto columns_alone = evaluate_columns(execution, similarity, objects, columns, phase, loop);
    for (Index i = out.range().begin; i < out.range().end; ++i) {
      std::ranges::copy(columns_alone.row(i), out.row(i).begin() + first_column);
    }
    return;
  }
  auto scope = execution.phases.enter(phase);
  ColumnTiles<T> tiles(similarity, objects, columns, out, false);
  run(execution, similarity, tiles, &scope, loop);
}

template <class T>
RowBlock<T> evaluate_distances(const Execution& execution, const Similarity<T>& similarity, const ObjectSet& objects,
                               const ObjectBlock& columns, const std::string& phase, const std::string& loop) {
  auto scope = execution.phases.enter(phase);
  auto out = collectively(execution.communicator, [&] {
    return RowBlock<T>(objects.partition(), execution.communicator.rank(), columns.size());
  });
  ColumnTiles<T> tiles(similarity, objects, columns, out, true);
  run(execution, similarity, tiles, &scope, loop);
  return out;
}

template <class T>
RowBlock<T> evaluate_principal_submatrix(const Execution& execution, const Similarity<T>& similarity,
                                         const ObjectSet& objects, std::span<const Index> sample,
                                         const std::string& phase, const std::string& loop) {
  if (similarity.distances() != nullptr) {
    return block_from_distances(execution, similarity, objects, sample, phase, loop);
  }
  return evaluate_block(execution, similarity, objects, sample, sample, phase, loop, false);
}

template <class T>
RowBlock<T> evaluate_submatrix(const Execution& execution, const Similarity<T>& similarity, const ObjectSet& objects,
                               std::span<const Index> rows, std::span<const Index> columns, const std::string& phase,
                               const std::string& loop) {
  if (similarity.distances() != nullptr) {
    return submatrix_from_distances(execution, similarity, objects, rows, columns, phase, loop);
  }
  return evaluate_block(execution, similarity, objects, rows, columns, phase, loop, false);
}

template <class T>
RowBlock<T> evaluate_block(const Execution& execution, const Similarity<T>& similarity, const ObjectSet& objects,
                           std::span<const Index> rows, std::span<const Index> columns, const std::string& phase,
                           const std::string& loop, bool base) {
  const Communicator& communicator = execution.communicator;
  std::optional<Phases::Scope> scope;
  if (!phase.empty()) scope.emplace(execution.phases, phase);
  auto out = collectively(communicator, [&] {
    return RowBlock<T>(RowPartition(std::ssize(rows), communicator.size()), communicator.rank(), std::ssize(columns));
  });
  const auto right = objects.gather(communicator, columns);
  std::vector<std::unique_ptr<ObjectBlock>> units;
  const auto height = static_cast<std::size_t>(rows_of_tile(similarity, right->size(), out.rows()));
  for (std::size_t begin = 0; begin < rows.size(); begin += height) {
    units.push_back(objects.gather(communicator, rows.subspan(begin, std::min(height, rows.size() - begin))));
  }
  SampleTiles<T> tiles(similarity, units, *right, out, base);
  run(execution, similarity, tiles, scope ? &*scope : nullptr, loop);
  return out;
}

#define CAIRN_INSTANTIATE(T)                                                                                          \
  template Index rows_of_tile(const Similarity<T>&, Index, Index);                                                    \
  template RowBlock<T> evaluate_columns(const Execution&, const Similarity<T>&, const ObjectSet&, const ObjectBlock&, \
                                        const std::string&, const std::string&, OtherDistances);                      \
  template void evaluate_columns_into(const Execution&, const Similarity<T>&, const ObjectSet&, const ObjectBlock&,   \
                                      RowBlock<T>&, Index, const std::string&, const std::string&, OtherDistances);   \
  template void evaluate_columns_into(const Execution&, const Similarity<T>&, const ObjectSet&, const ObjectBlock&,   \
                                      TallMatrix<T>&, Index, const std::string&, const std::string&);                 \
  template TallMatrix<T> evaluate_whole_columns(const Execution&, const Similarity<T>&, const ObjectSet&,             \
                                                const ObjectBlock&, const std::string&, const std::string&);          \
  template Index whole_column_bytes(const Similarity<T>&);                                                            \
  template RowBlock<T> evaluate_distances(const Execution&, const Similarity<T>&, const ObjectSet&,                   \
                                          const ObjectBlock&, const std::string&, const std::string&);                \
  template RowBlock<T> evaluate_block(const Execution&, const Similarity<T>&, const ObjectSet&,                       \
                                      std::span<const Index>, std::span<const Index>, const std::string&,             \
                                      const std::string&, bool);                                                      \
  template RowBlock<T> evaluate_submatrix(const Execution&, const Similarity<T>&, const ObjectSet&,                   \
                                          std::span<const Index>, std::span<const Index>, const std::string&,         \
                                          const std::string&);                                                        \
  template RowBlock<T> evaluate_principal_submatrix(const Execution&, const Similarity<T>&, const ObjectSet&,         \
                                                    std::span<const Index>, const std::string&, const std::string&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn
