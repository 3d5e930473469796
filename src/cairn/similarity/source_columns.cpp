#include "cairn/similarity/source_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "cairn/base/buffer.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/base/schedule/schedule.hpp"
#include "cairn/linalg/blas_threads.hpp"

namespace cairn {

namespace {

constexpr Index band_bytes = Index{512} << 20;  // what one rank may hand to another as one tile
constexpr Index fewest_bands = 8;               // of a slab: enough for some ranks
constexpr Index most_slabs = 8;                 // more would leave ranks idle at their ends

// Consecutive columns, cut into bands that are dealt; a rank owns bands in a row.
struct Slab {
  Index number = 0;
  Range columns;
  Index band = 1;  // columns of a band; the last has fewer

  [[nodiscard]] Index bands() const { return (columns.size() + band - 1) / band; }
  [[nodiscard]] Range band_columns(Index b) const {
    const Index begin = columns.begin + b * band;
    return {begin, std::min(begin + band, columns.end)};
  }
  [[nodiscard]] Range bands_of(int rank, int ranks) const {
    return {bands() * rank / ranks, bands() * (rank + 1) / ranks};
  }
};

std::vector<Slab> slabs_of(const SourceColumnBands& bands, Index count) {
  std::vector<Slab> slabs;
  for (Index begin = 0; begin < count; begin += bands.slab) {
    slabs.push_back({static_cast<Index>(slabs.size()), {begin, std::min(begin + bands.slab, count)}, bands.band});
  }
  return slabs;
}

// The columns of a slab, each a row here: source by source.
template <class T>
class SlabColumns final : public TileWork {
 public:
  SlabColumns(const Communicator& communicator, const SourceSimilarity& similarity, std::span<const Index> sources,
              const Slab& slab)
      : similarity_(similarity),
        sources_(sources),
        slab_(slab),
        own_(slab.bands_of(communicator.rank(), communicator.size())) {
    Index columns = 0;
    for (Index b = own_.begin; b < own_.end; ++b) columns += slab.band_columns(b).size();
    values_ = Buffer<T>(columns * similarity.size());
  }

  [[nodiscard]] std::vector<Tile> own_tiles() const {
    std::vector<Tile> tiles;
    for (Index b = own_.begin; b < own_.end; ++b) {
      const Range columns = slab_.band_columns(b);
      tiles.push_back({.id = b, .rows = columns, .cost = static_cast<double>(columns.size())});
    }
    return tiles;
  }

  // Values of a band of this rank, one column after the other.
  [[nodiscard]] T* band(Index b) { return values_.data() + (b - own_.begin) * slab_.band * similarity_.size(); }

  [[nodiscard]] std::vector<std::byte> pack(const Tile& /*tile*/) const override { return {}; }
  [[nodiscard]] std::span<std::byte> result(const Tile& tile) override {
    return {reinterpret_cast<std::byte*>(band(tile.id)), static_cast<std::size_t>(result_bytes(tile))};
  }
  [[nodiscard]] Index result_bytes(const Tile& tile) const override {
    return tile.rows.size() * similarity_.size() * static_cast<Index>(sizeof(T));
  }

  void compute(const Tile& tile, std::span<const std::byte> /*inputs*/, std::span<std::byte> result) const override {
    const Index count = tile.rows.size(), n = similarity_.size();
    const auto sources = sources_.subspan(static_cast<std::size_t>(tile.rows.begin), static_cast<std::size_t>(count));
    T* const out = reinterpret_cast<T*>(result.data());
    if constexpr (std::is_same_v<T, double>) {
      similarity_.to_all(sources, MatrixView<double>(out, count, n));
    } else {
      Buffer<double> values(count * n);
      similarity_.to_all(sources, MatrixView<double>(values.data(), count, n));
      std::transform(values.data(), values.data() + count * n, out, [](double v) { return static_cast<T>(v); });
    }
  }

 private:
  const SourceSimilarity& similarity_;
  std::span<const Index> sources_;
  Slab slab_;
  Range own_;  // bands
  Buffer<T> values_;
};

// Every rank hands one band in a round to the owners of the rows: memory for two bands, not for two slabs.
template <class T>
void deliver(const Communicator& communicator, const Slab& slab, SlabColumns<T>& columns, RowBlock<T>& out,
             Index first_column) {
  const int ranks = communicator.size();
  const Range own_bands = slab.bands_of(communicator.rank(), ranks), rows = out.range();
  Index rounds = 0;
  for (int r = 0; r < ranks; ++r) rounds = std::max(rounds, slab.bands_of(r, ranks).size());
  for (Index round = 0; round < rounds; ++round) {
    auto send = collectively(communicator, [&] {
      std::vector<std::vector<T>> pieces(static_cast<std::size_t>(ranks));
      const Index b = own_bands.begin + round;
      if (b >= own_bands.end) return pieces;
      const Index count = slab.band_columns(b).size();
      for (int r = 0; r < ranks; ++r) {
        const Range theirs = out.partition().range(r);
        std::vector<T>& piece = pieces[static_cast<std::size_t>(r)];
        piece.reserve(static_cast<std::size_t>(count * theirs.size()));
        for (Index k = 0; k < count; ++k) {
          const T* const column = columns.band(b) + k * out.rows();
          piece.insert(piece.end(), column + theirs.begin, column + theirs.end);
        }
      }
      return pieces;
    });
    const auto received = communicator.exchange(send);
    for (int r = 0; r < ranks; ++r) {
      const Index b = slab.bands_of(r, ranks).begin + round;
      if (b >= slab.bands_of(r, ranks).end) continue;
      const Range taken = slab.band_columns(b);
      const T* const values = received[static_cast<std::size_t>(r)].data();
      for (Index v = rows.begin; v < rows.end; ++v) {
        T* const row = out.row(v).data() + first_column + taken.begin;
        for (Index k = 0; k < taken.size(); ++k) row[k] = values[k * rows.size() + v - rows.begin];
      }
    }
    Watchdog::beat();
  }
}

}  // namespace

SourceColumnBands source_column_bands(Index n, Index count, Index batch, Index number_bytes, Index slab_bytes) {
  const Index column_bytes = std::max<Index>(1, n * number_bytes);
  const Index band = std::clamp<Index>(band_bytes / column_bytes, 1, std::max<Index>(1, batch));
  const Index bands =
      std::max({fewest_bands, slab_bytes / column_bytes / band, (count + most_slabs * band - 1) / (most_slabs * band)});
  return {band, bands * band};
}

template <class T>
void evaluate_source_columns(const Execution& execution, const SourceSimilarity& similarity,
                             std::span<const Index> columns, RowBlock<T>& out, Index first_column, Phases::Scope& phase,
                             const std::string& loop, Index slab_bytes) {
  const Communicator& communicator = execution.communicator;
  const BlasThreads one(1);  // bands are dealt to threads
  const Index before = similarity.evaluations();
  const auto count = static_cast<Index>(columns.size());
  const SourceColumnBands bands =
      source_column_bands(out.rows(), count, similarity.traits().batch, static_cast<Index>(sizeof(T)), slab_bytes);
  for (const Slab& slab : slabs_of(bands, count)) {
    auto work = collectively(communicator,
                             [&] { return std::make_unique<SlabColumns<T>>(communicator, similarity, columns, slab); });
    const Schedule schedule(fmt::format("{} {}", loop, slab.number), work->own_tiles(), slab.bands());
    const TileStatistics statistics = schedule.run(execution, *work);
    phase.count_busy(statistics.busy_seconds);
    similarity.count_restored(statistics.restored_rows * similarity.size());
    deliver(communicator, slab, *work, out, first_column);
  }
  phase.count_evaluations(similarity.evaluations() - before);
}

template void evaluate_source_columns(const Execution&, const SourceSimilarity&, std::span<const Index>,
                                      RowBlock<float>&, Index, Phases::Scope&, const std::string&, Index);
template void evaluate_source_columns(const Execution&, const SourceSimilarity&, std::span<const Index>,
                                      RowBlock<double>&, Index, Phases::Scope&, const std::string&, Index);

}  // namespace cairn
