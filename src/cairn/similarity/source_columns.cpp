#include "cairn/similarity/source_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "cairn/base/buffer.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/schedule/schedule.hpp"
#include "cairn/linalg/dense/blas_threads.hpp"
#include "cairn/similarity/column_delivery.hpp"
#include "cairn/similarity/panel_source.hpp"

namespace cairn {

namespace {

using namespace column_delivery;

constexpr Index band_bytes = Index{1} << 30;  // most bytes that one rank sends to another as one tile
constexpr Index fewest_bands = 8;             // bands of a slab: enough for some ranks
constexpr Index most_slabs = 8;               // more would leave ranks without work at the end of slabs

// If bands can be cut into parts, a slab needs fewer of them, and its memory is used again for the next one.
constexpr Index cut_slab = 4;          // such slabs have a fourth of the bytes
constexpr Index pieces_of_slab = 64;   // enough for many ranks
constexpr Index part_vertices = 4096;  // at least: a part also takes the ancestors of sources
constexpr Index fewest_in_parts = 3;   // columns that are searched for one by one, which takes less

std::vector<Slab> slabs_of(const SourceColumnBands& bands, Index count, Index vertices) {
  std::vector<Slab> slabs;
  for (Index begin = 0; begin < count; begin += bands.slab) {
    const Range columns{begin, std::min(begin + bands.slab, count)};
    slabs.push_back({std::ssize(slabs), columns, bands.band, bands.parts, vertices});
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

  // As PanelSource::vertex_order, if columns are kept as they come.
  [[nodiscard]] std::span<const std::int32_t> order() const {
    return narrow() ? panels->vertex_order() : std::span<const std::int32_t>();
  }

  // Calls use(Number{}) with the stored number type.
  template <class Use>
  void with_number(Use use) const {
    if (!narrow()) return use(T{});
    if constexpr (std::is_integral_v<T>) {
      use(T{});
    } else {
      with_panel_number(
          bytes, [&]<class Number>(Number) { use(std::conditional_t<std::is_same_v<Number, double>, T, Number>{}); });
    }
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

// Columns of a slab, piece by piece: the values of one vertex in a band are contiguous.
template <class T>
class SlabColumns final : public TileWork {
 public:
  /// @param values  memory of the slab before, or none: it is reused because new pages take longest
  SlabColumns(const Communicator& communicator, const Kept<T>& kept, std::span<const Index> sources, const Slab& slab,
              Buffer<std::byte>& values)
      : kept_(kept),
        sources_(sources),
        slab_(slab),
        own_(slab.pieces_of(communicator.rank(), communicator.size())),
        values_(values) {
    starts_.push_back(0);
    for (Index p = own_.begin; p < own_.end; ++p) {
      constexpr Index line = 64;  // sweeps write whole lines
      starts_.push_back(starts_.back() + (bytes(slab.piece(p)) + line - 1) / line * line);
    }
    if (values_.size() < starts_.back()) values_ = Buffer<std::byte>(starts_.back());
  }

  [[nodiscard]] std::vector<Tile> own_tiles() const {
    std::vector<Tile> tiles;
    for (Index p = own_.begin; p < own_.end; ++p) {
      const Index values = slab_.piece(p).values();
      tiles.push_back({.id = p, .rows = {0, values}, .cost = static_cast<double>(values)});
    }
    return tiles;
  }

  // The values of each own piece.
  [[nodiscard]] std::vector<std::byte*> pieces() {
    std::vector<std::byte*> all;
    for (Index p = own_.begin; p < own_.end; ++p) all.push_back(piece(p));
    return all;
  }

  [[nodiscard]] std::vector<std::byte> pack(const Tile& /*tile*/) const override { return {}; }
  [[nodiscard]] std::span<std::byte> result(const Tile& tile) override {
    return {piece(tile.id), static_cast<std::size_t>(result_bytes(tile))};
  }
  [[nodiscard]] Index result_bytes(const Tile& tile) const override { return bytes(slab_.piece(tile.id)); }

  void compute(const Tile& tile, std::span<const std::byte> /*inputs*/, std::span<std::byte> result) const override {
    const Piece piece = slab_.piece(tile.id);
    const auto sources = sources_.subspan(piece.columns.begin, piece.columns.size());
    if (slab_.parts > 1) return kept_.panels->to_panel_part(sources, piece.places, result.data());
    kept_.compute(sources, result.data());
  }

 private:
  [[nodiscard]] std::byte* piece(Index p) { return values_.data() + starts_[p - own_.begin]; }
  [[nodiscard]] Index bytes(const Piece& piece) const { return piece.values() * kept_.bytes; }

  const Kept<T>& kept_;
  std::span<const Index> sources_;
  Slab slab_;
  Range own_;                  // pieces
  std::vector<Index> starts_;  // of own pieces, and the end
  Buffer<std::byte>& values_;
};

}  // namespace

SourceColumnBands source_column_bands(Index n, Index count, Index batch, Index number_bytes, bool in_parts,
                                      Index slab_bytes) {
  const Index column_bytes = std::max<Index>(1, n * number_bytes);
  if (in_parts && count > fewest_in_parts) {
    const Index band = std::clamp<Index>(batch, 1, count), all = (count + band - 1) / band;
    const Index together = std::clamp<Index>(slab_bytes / cut_slab / column_bytes / band, 1, all);
    const Index most_parts = std::max<Index>(1, n / std::min(part_vertices, slab_bytes));
    return {band, together * band, std::min((pieces_of_slab + together - 1) / together, most_parts)};
  }
  const Index band = std::clamp<Index>(band_bytes / column_bytes, 1, std::max<Index>(1, batch));
  const Index bands =
      std::max({fewest_bands, slab_bytes / column_bytes / band, (count + most_slabs * band - 1) / (most_slabs * band)});
  return {band, bands * band, 1};
}

Index delivered_integer_bytes(const SourceSimilarity& similarity) {
  constexpr Index all = sizeof(double);
  const auto* const panels = dynamic_cast<const PanelSource*>(&similarity);
  if (panels != nullptr && panels->panel_value_bytes() < all) return panels->panel_value_bytes();
  return similarity.traits().integral ? static_cast<Index>(sizeof(std::uint32_t)) : 0;
}

template <class T>
void evaluate_source_columns(const Execution& execution, const SourceSimilarity& similarity,
                             std::span<const Index> columns, RowBlock<T>& out, Index first_column, Phases::Scope& phase,
                             const std::string& loop, Index slab_bytes) {
  if (std::is_integral_v<T> && delivered_integer_bytes(similarity) != sizeof(T)) {
    throw Error(ErrorKind::internal, "columns of K are asked for in integers that it does not deliver");
  }
  const Communicator& communicator = execution.communicator;
  const BlasThreads one(1);  // bands are assigned to threads
  const Index before = similarity.evaluations();
  const auto count = static_cast<Index>(columns.size());
  const Kept<T> kept(similarity);
  const SourceColumnBands bands =
      source_column_bands(out.rows(), count, similarity.traits().batch, kept.bytes, !kept.order().empty(), slab_bytes);
  Buffer<std::byte> values;
  for (const Slab& slab : slabs_of(bands, count, out.rows())) {
    auto work = collectively(
        communicator, [&] { return std::make_unique<SlabColumns<T>>(communicator, kept, columns, slab, values); });
    const Schedule schedule(fmt::format("{} {}", loop, slab.number), work->own_tiles(), slab.pieces());
    const TileStatistics statistics = schedule.run(execution, *work);
    phase.count_busy(statistics.busy_seconds);
    similarity.count_restored(statistics.restored_rows);
    const std::vector<std::byte*> own = work->pieces();
    kept.with_number([&]<class Number>(Number) {
      if (slab.parts > 1) {
        PartDelivery<T>(communicator, slab, kept.order(), own, out, first_column).template run<Number>();
      } else {
        Delivery<T>(communicator, slab, own, out, first_column).template run<Number>();
      }
    });
  }
  phase.count_evaluations(similarity.evaluations() - before);
}

#define CAIRN_INSTANTIATE(T)                                                                               \
  template void evaluate_source_columns(const Execution&, const SourceSimilarity&, std::span<const Index>, \
                                        RowBlock<T>&, Index, Phases::Scope&, const std::string&, Index);
CAIRN_INSTANTIATE(std::uint16_t)
CAIRN_INSTANTIATE(std::uint32_t)
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn
