#include "cairn/approximation/landmark_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cairn/approximation/relative_squares.hpp"
#include "cairn/base/buffer.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/schedule/schedule.hpp"
#include "cairn/data/digest.hpp"
#include "cairn/data/packed_bytes.hpp"
#include "cairn/linalg/dense/blas_threads.hpp"
#include "cairn/similarity/columns.hpp"

namespace cairn {

namespace {

constexpr Index held_bytes = Index{64} << 20;

// Tiles of rows of L, of which some numbers a row are kept.
template <class T>
class MappedTiles final : public TileWork {
 public:
  using Map = std::function<void(MatrixView<const T>, MatrixView<double>)>;
  MappedTiles(const Similarity<T>& similarity, const ObjectSet& objects, const ObjectBlock& landmarks, const Map& map,
              RowBlock<double>& out)
      : similarity_(similarity),
        objects_(objects),
        landmarks_(landmarks),
        map_(map),
        out_(out),
        height_(rows_of_tile(similarity, landmarks.size(), objects.size())) {}

  [[nodiscard]] std::vector<Tile> own_tiles() const {
    std::vector<Tile> tiles;
    for (Index begin = out_.range().begin; begin < out_.range().end; begin += height_) {
      const Range rows{begin, std::min(begin + height_, out_.range().end)};
      tiles.push_back({.id = begin / height_, .rows = rows, .cost = similarity_.cost(*objects_.block(rows))});
    }
    return tiles;
  }
  [[nodiscard]] Index total() const { return (out_.rows() + height_ - 1) / height_; }

  [[nodiscard]] std::vector<std::byte> pack(const Tile& tile) const override { return objects_.pack(tile.rows); }
  [[nodiscard]] std::span<std::byte> result(const Tile& tile) override {
    return std::as_writable_bytes(std::span(out_.row(tile.rows.begin).data(), numbers(tile)));
  }
  [[nodiscard]] Index result_bytes(const Tile& tile) const override {
    return static_cast<Index>(numbers(tile) * sizeof(double));
  }
  [[nodiscard]] double longest_seconds() const override {
    return similarity_.longest_seconds(height_ * landmarks_.size());
  }
  void compute(const Tile& tile, std::span<const std::byte> inputs, std::span<std::byte> result) const override {
    const bool own = objects_.range().contains(tile.rows.begin);
    const auto block = own ? objects_.block(tile.rows) : objects_.unpack(tile.rows, inputs);
    const Index rows = tile.rows.size(), columns = landmarks_.size();
    Buffer<T> values(rows * columns);
    similarity_.tile(*block, landmarks_, {values.data(), rows, columns});
    map_({values.data(), rows, columns}, {reinterpret_cast<double*>(result.data()), rows, out_.columns()});
  }

 private:
  [[nodiscard]] std::size_t numbers(const Tile& tile) const {
    return static_cast<std::size_t>(tile.rows.size() * out_.columns());
  }

  const Similarity<T>& similarity_;
  const ObjectSet& objects_;
  const ObjectBlock& landmarks_;
  const Map& map_;
  RowBlock<double>& out_;
  Index height_;
};

}  // namespace

template <class T>
RowBlock<double> LandmarkRows<T>::mapped(
    const Execution& execution, const std::string& loop, Index width,
    const std::function<void(MatrixView<const T> rows, MatrixView<double> out)>& map) const {
  require_objects();
  auto out = collectively(execution.communicator, [&] { return RowBlock<double>(partition_, rank_, width); });
  MappedTiles<T> tiles(*similarity_, *objects_, *landmarks_, map, out);
  const BlasThreads one(1);  // tiles are assigned to threads
  const TileStatistics statistics = Schedule(loop, tiles.own_tiles(), tiles.total()).run(execution, tiles);
  similarity_->count_restored(statistics.restored_rows * columns_);
  return out;
}

template <class T>
std::vector<double> LandmarkRows<T>::squared_norms(const Execution& execution) const {
  return relative_squares(execution.communicator, [&](double unit) {
    const char* const loop = unit > 1.0 ? "row-norms-of-small" : unit < 1.0 ? "row-norms-of-large" : "row-norms";
    const RowBlock<double> sums = mapped(execution, loop, 1, [unit](MatrixView<const T> rows, MatrixView<double> out) {
      for (Index i = 0; i < rows.rows; ++i) out(i, 0) = squared_norm(rows.row(i), rows.columns, unit);
    });
    return std::vector<double>(sums.local().data, sums.local().data + sums.range().size());
  });
}

template <class T>
RowBlock<T> LandmarkRows<T>::at(const Execution& execution, std::span<const Index> ids) const {
  require_objects();
  const std::string no_phase;  // whoever asks counts the evaluations
  constexpr bool base = false;
  return evaluate_block(execution, *similarity_, *objects_, ids, landmarks_->ids, no_phase,
                        fmt::format("rows-{:016x}", hash_bytes(std::as_bytes(ids), 5)), base);
}

template <class T>
Index LandmarkRows<T>::at_once(const Communicator& communicator) const {
  require_objects();
  const Index objects = held_bytes / (packed_bytes(communicator, *objects_) * communicator.size());
  const Index rows = held_bytes / (std::max<Index>(1, columns_) * static_cast<Index>(sizeof(T)));
  return std::max<Index>(1, std::min(objects, rows));
}

template class LandmarkRows<float>;
template class LandmarkRows<double>;

}  // namespace cairn
