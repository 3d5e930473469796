#include "cairn/similarity/source_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

#include "cairn/base/buffer.hpp"
#include "cairn/base/each_level.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/mpi/reused_arrays.hpp"
#include "cairn/base/past_caches.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/base/schedule/schedule.hpp"
#include "cairn/linalg/dense/blas_threads.hpp"
#include "cairn/similarity/panel_source.hpp"

namespace cairn {

namespace {

constexpr Index band_bytes = Index{1} << 30;  // most bytes that one rank sends to another as one tile
constexpr Index fewest_bands = 8;             // bands of a slab: enough for some ranks
constexpr Index most_slabs = 8;               // more would leave ranks without work at the end of slabs

// Consecutive columns, cut into bands that are assigned to ranks; a rank owns consecutive bands.
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

// Storage of the columns of a similarity: in the narrow numbers that it delivers, or in the precision of the run.
template <class T>
struct Kept {
  const SourceSimilarity& similarity;
  const PanelSource* panels = nullptr;  // null: values are delivered as doubles
  Index bytes = sizeof(T);              // bytes of a value

  explicit Kept(const SourceSimilarity& of) : similarity(of), panels(dynamic_cast<const PanelSource*>(&of)) {
    if (panels != nullptr && panels->panel_value_bytes() < static_cast<Index>(sizeof(double))) {
      bytes = panels->panel_value_bytes();
    }
  }
  [[nodiscard]] bool narrow() const { return panels != nullptr && bytes == panels->panel_value_bytes(); }

  // Calls use(Number{}) with the stored number type.
  template <class Use>
  void with_number(Use use) const {
    if (!narrow()) return use(T{});
    with_panel_number(
        bytes, [&]<class Number>(Number) { use(std::conditional_t<std::is_same_v<Number, double>, T, Number>{}); });
  }

  // out[v * sources.size() + a], for all vertices v.
  void compute(std::span<const Index> sources, std::byte* out) const {
    if (narrow()) return panels->to_panel(sources, out);
    const Index count = std::ssize(sources), n = similarity.size();
    Buffer<double> values(count * n);
    T* const panel = reinterpret_cast<T*>(out);
    if (panels != nullptr || count == 1) {
      panels != nullptr ? panels->to_panel(sources, reinterpret_cast<std::byte*>(values.data()))
                        : similarity.to_all(sources, MatrixView<double>(values.data(), 1, n));
      for (Index i = 0; i < count * n; ++i) panel[i] = static_cast<T>(values[i]);
      return;
    }
    similarity.to_all(sources, MatrixView<double>(values.data(), count, n));
    constexpr Index together = 64;  // vertices whose values stay in the L1 cache
    for (Index begin = 0; begin < n; begin += together) {
      const Index end = std::min(begin + together, n);
      for (Index a = 0; a < count; ++a) {
        for (Index v = begin; v < end; ++v) panel[v * count + a] = static_cast<T>(values[a * n + v]);
      }
    }
  }
};

// Columns of a slab, band by band: the values of one vertex in a band are contiguous.
template <class T>
class SlabColumns final : public TileWork {
 public:
  /// @param values  memory of the slab before, or none: it is reused because new pages take longest
  SlabColumns(const Communicator& communicator, const Kept<T>& kept, std::span<const Index> sources, const Slab& slab,
              Buffer<std::byte>& values)
      : kept_(kept),
        sources_(sources),
        slab_(slab),
        own_(slab.bands_of(communicator.rank(), communicator.size())),
        values_(values) {
    Index columns = 0;
    for (Index b = own_.begin; b < own_.end; ++b) columns += slab.band_columns(b).size();
    const Index bytes = columns * objects() * kept.bytes;
    if (values_.size() < bytes) values_ = Buffer<std::byte>(bytes);
  }

  [[nodiscard]] std::vector<Tile> own_tiles() const {
    std::vector<Tile> tiles;
    for (Index b = own_.begin; b < own_.end; ++b) {
      const Range columns = slab_.band_columns(b);
      tiles.push_back({.id = b, .rows = columns, .cost = static_cast<double>(columns.size())});
    }
    return tiles;
  }

  // Values of a band of this rank, starting at `vertex`.
  [[nodiscard]] std::byte* band(Index b, Index vertex) {
    return values_.data() +
           ((b - own_.begin) * slab_.band * objects() + vertex * slab_.band_columns(b).size()) * kept_.bytes;
  }

  [[nodiscard]] std::vector<std::byte> pack(const Tile& /*tile*/) const override { return {}; }
  [[nodiscard]] std::span<std::byte> result(const Tile& tile) override {
    return {band(tile.id, 0), static_cast<std::size_t>(result_bytes(tile))};
  }
  [[nodiscard]] Index result_bytes(const Tile& tile) const override {
    return tile.rows.size() * objects() * kept_.bytes;
  }

  void compute(const Tile& tile, std::span<const std::byte> /*inputs*/, std::span<std::byte> result) const override {
    kept_.compute(sources_.subspan(tile.rows.begin, tile.rows.size()), result.data());
  }

 private:
  [[nodiscard]] Index objects() const { return kept_.similarity.size(); }

  const Kept<T>& kept_;
  std::span<const Index> sources_;
  Slab slab_;
  Range own_;  // bands
  Buffer<std::byte>& values_;
};

// out[k] = values[k] with streaming stores, four at a time, aligned to 16 bytes.
template <class Number, class T>
[[gnu::always_inline]] inline void widen_fours(const Number* values, Index fours, T* out) {
  typedef Number Narrow __attribute__((vector_size(4 * sizeof(Number))));
  typedef T Wide __attribute__((vector_size(4 * sizeof(T))));
  for (Index k = 0; k < fours; ++k) {
    Narrow four;
    std::memcpy(&four, values + 4 * k, sizeof four);
    store_past_caches(out + 4 * k, __builtin_convertvector(four, Wide));
  }
}
CAIRN_EACH_LEVEL void widen_most(const std::uint16_t* values, Index fours, double* out) {
  widen_fours(values, fours, out);
}
template <class Number, class T>
void widen_most(const Number* values, Index fours, T* out) {
  widen_fours(values, fours, out);
}

template <class Number, class T>
void widen(const Number* values, Index count, T* out) {
  Index k = 0;
  for (; k < count && reinterpret_cast<std::uintptr_t>(out + k) % 16 != 0; ++k) out[k] = static_cast<T>(values[k]);
  const Index fours = (count - k) / 4;
  widen_most(values + k, fours, out + k);
  for (k += 4 * fours; k < count; ++k) out[k] = static_cast<T>(values[k]);
}

// Sends the columns of a slab to the owners of the rows, some rows at a time and all columns of a row at once. No rank
// holds a second copy of more than some MB.
template <class T>
class Delivery {
 public:
  Delivery(const Communicator& communicator, const Slab& slab, SlabColumns<T>& columns, RowBlock<T>& out,
           Index first_column)
      : communicator_(communicator), slab_(slab), columns_(columns), out_(out), first_column_(first_column) {}

  template <class Number>
  void run() {
    const int me = communicator_.rank(), ranks = communicator_.size();
    const Index row_bytes = std::max<Index>(slab_.columns.size() * static_cast<Index>(sizeof(Number)), 1);
    const Index together = std::max<Index>(delivered_column_bytes / row_bytes, 1);  // rows
    Index most = 0;
    for (int r = 0; r < ranks; ++r) most = std::max(most, out_.partition().range(r).size());
    std::vector<std::vector<std::byte>> send(ranks);
    ReusedArrays<std::byte> received;
    for (Index begin = 0; begin < most; begin += together) {
      const auto part = [&](int rank) {
        const Range all = out_.partition().range(rank);
        return Range{std::min(all.begin + begin, all.end), std::min(all.begin + begin + together, all.end)};
      };
      collectively(communicator_, [&] {
        for (int r = 0; r < ranks; ++r) pack<Number>(r == me ? Range{} : part(r), send[r]);
      });
      communicator_.exchange(send, received);
      for (int r = 0; r < ranks; ++r) {
        const std::byte* values = r == me ? nullptr : received[r].data();
        place<Number>(r, part(me), values);
      }
      Watchdog::beat();
    }
  }

 private:
  // Packs own bands of some rows, one after another.
  template <class Number>
  void pack(Range rows, std::vector<std::byte>& piece) {
    const Range bands = slab_.bands_of(communicator_.rank(), communicator_.size());
    Index bytes = 0;
    const auto size = [&](Index b) {
      return rows.size() * slab_.band_columns(b).size() * static_cast<Index>(sizeof(Number));
    };
    for (Index b = bands.begin; b < bands.end; ++b) bytes += size(b);
    piece.resize(bytes);
    bytes = 0;
    for (Index b = bands.begin; b < bands.end && !rows.empty(); bytes += size(b++)) {
      std::copy_n(columns_.band(b, rows.begin), size(b), piece.data() + bytes);
    }
  }

  // Writes the bands of a rank to own rows. @param values  as packed by that rank; null: own bands
  template <class Number>
  void place(int rank, Range rows, const std::byte* values) {
    const Range bands = slab_.bands_of(rank, communicator_.size());
    std::vector<const Number*> from;
    for (Index b = bands.begin; b < bands.end; ++b) {
      const std::byte* const own = values == nullptr ? columns_.band(b, rows.begin) : values;
      from.push_back(reinterpret_cast<const Number*>(own));
      if (values != nullptr) values += rows.size() * slab_.band_columns(b).size() * static_cast<Index>(sizeof(Number));
    }
    for (Index v = rows.begin; v < rows.end; ++v) {
      T* const row = out_.row(v).data() + first_column_;
      for (Index b = bands.begin; b < bands.end; ++b) {
        const Range taken = slab_.band_columns(b);
        widen(from[b - bands.begin] + (v - rows.begin) * taken.size(), taken.size(), row + taken.begin);
      }
    }
    finish_past_caches();
  }

  const Communicator& communicator_;
  const Slab& slab_;
  SlabColumns<T>& columns_;
  RowBlock<T>& out_;
  Index first_column_;
};

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
  const BlasThreads one(1);  // bands are assigned to threads
  const Index before = similarity.evaluations();
  const auto count = static_cast<Index>(columns.size());
  const Kept<T> kept(similarity);
  const SourceColumnBands bands =
      source_column_bands(out.rows(), count, similarity.traits().batch, kept.bytes, slab_bytes);
  Buffer<std::byte> values;
  for (const Slab& slab : slabs_of(bands, count)) {
    auto work = collectively(
        communicator, [&] { return std::make_unique<SlabColumns<T>>(communicator, kept, columns, slab, values); });
    const Schedule schedule(fmt::format("{} {}", loop, slab.number), work->own_tiles(), slab.bands());
    const TileStatistics statistics = schedule.run(execution, *work);
    phase.count_busy(statistics.busy_seconds);
    similarity.count_restored(statistics.restored_rows * similarity.size());
    kept.with_number([&]<class Number>(Number) {
      Delivery<T>(communicator, slab, *work, out, first_column).template run<Number>();
    });
  }
  phase.count_evaluations(similarity.evaluations() - before);
}

template void evaluate_source_columns(const Execution&, const SourceSimilarity&, std::span<const Index>,
                                      RowBlock<float>&, Index, Phases::Scope&, const std::string&, Index);
template void evaluate_source_columns(const Execution&, const SourceSimilarity&, std::span<const Index>,
                                      RowBlock<double>&, Index, Phases::Scope&, const std::string&, Index);

}  // namespace cairn
