#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "cairn/approximation/biharmonic/biharmonic.hpp"
#include "cairn/approximation/tree_rows.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/schedule/schedule.hpp"
#include "cairn/linalg/dense/blas_threads.hpp"
#include "cairn/linalg/tiles/tile_numbers.hpp"

namespace cairn {

namespace {

constexpr Index slab_bytes = Index{512} << 20;  // of data held twice for a while, over all ranks
constexpr Index fewest_slab_rows = 4096;        // enough bands for many ranks between two exchanges

// Consecutive rows of W, cut into bands that are assigned to ranks; a rank owns consecutive bands. Ends at the end of a
// row of tiles.
struct Slab {
  Index number = 0;
  Range rows;
  Index columns = 0;  // starting at 0
  Index band = 1;     // rows per band; the last has fewer

  [[nodiscard]] Index bands() const { return (rows.size() + band - 1) / band; }
  [[nodiscard]] Range band_rows(Index b) const {
    const Index begin = rows.begin + b * band;
    return {begin, std::min(begin + band, rows.end)};
  }
  [[nodiscard]] Range bands_of(int rank, int ranks) const {
    return {bands() * rank / ranks, bands() * (rank + 1) / ranks};
  }
  [[nodiscard]] Range rows_of(int rank, int ranks) const {
    const Range own = bands_of(rank, ranks);
    return own.empty() ? Range{rows.end, rows.end} : Range{band_rows(own.begin).begin, band_rows(own.end - 1).end};
  }
};

// Slabs do not depend on the number of ranks, because a run may be resumed on a different number. Many slabs are good
// if the similarity is symmetric: a slab needs only the columns up to its end.
std::vector<Slab> slabs_of(Index size, Index order, Index number_bytes, bool half, Index band) {
  std::vector<Slab> slabs;
  for (Index begin = 0; begin < size;) {
    const auto columns = [&](Index end) { return half ? end : size; };
    const Index most = half ? std::max(fewest_slab_rows, size / 8) : size;
    Index end = std::min(begin + order, size);
    for (Index next = std::min(end + order, size);
         end < size && next - begin <= most && (next - begin) * columns(next) * number_bytes <= slab_bytes;
         next = std::min(end + order, size)) {
      end = next;
    }
    slabs.push_back({static_cast<Index>(slabs.size()), {begin, end}, columns(end), band});
    begin = end;
  }
  return slabs;
}

// Rows of a slab, in the number type of the tiles.
class SlabRows final : public TileWork {
 public:
  SlabRows(const Execution& execution, const SourceSimilarity& similarity, const std::vector<Index>& landmarks,
           TileNumber number, const Slab& slab)
      : similarity_(similarity),
        landmarks_(landmarks),
        number_(number),
        slab_(slab),
        own_(slab.rows_of(execution.communicator.rank(), execution.communicator.size())),
        targets_(similarity.prepare({landmarks.begin(), landmarks.begin() + slab.columns})),
        values_(own_.size() * row_bytes()),
        scratch_(static_cast<std::size_t>(execution.threads)) {}

  [[nodiscard]] std::vector<Tile> own_tiles(int rank, int ranks) const {
    std::vector<Tile> tiles;
    const Range own = slab_.bands_of(rank, ranks);
    for (Index b = own.begin; b < own.end; ++b) {
      const Range rows = slab_.band_rows(b);
      tiles.push_back({.id = b, .rows = rows, .cost = static_cast<double>(rows.size())});
    }
    return tiles;
  }

  [[nodiscard]] Index row_bytes() const { return slab_.columns * bytes_of(number_); }
  [[nodiscard]] const std::byte* row(Index i) const { return values_.data() + (i - own_.begin) * row_bytes(); }

  [[nodiscard]] std::vector<std::byte> pack(const Tile& /*tile*/) const override { return {}; }
  [[nodiscard]] std::span<std::byte> result(const Tile& tile) override {
    return values_.span().subspan((tile.rows.begin - own_.begin) * row_bytes(), result_bytes(tile));
  }
  [[nodiscard]] Index result_bytes(const Tile& tile) const override { return tile.rows.size() * row_bytes(); }

  void compute(const Tile& tile, std::span<const std::byte> /*inputs*/, std::span<std::byte> result) const override {
    Buffer<double>& scratch = scratch_[omp_get_thread_num()];
    if (scratch.size() == 0) scratch = Buffer<double>(slab_.band * slab_.columns);
    const MatrixView<double> values(scratch.data(), tile.rows.size(), slab_.columns);
    const auto sources = std::span(landmarks_).subspan(tile.rows.begin, tile.rows.size());
    similarity_.to_targets(sources, *targets_, values);
    with_number(number_, [&](auto zero) {
      convert(values.data, reinterpret_cast<decltype(zero)*>(result.data()), values.rows * values.columns);
    });
  }

 private:
  // Integers beyond the type mean that the similarity is not a metric.
  template <class Number>
  static void convert(const double* values, Number* out, Index count) {
    double largest = 0.0;
    for (Index i = 0; i < count; ++i) {
      largest = std::max(largest, values[i]);
      out[i] = static_cast<Number>(values[i]);
    }
    if (largest > static_cast<double>(std::numeric_limits<Number>::max())) {
      throw Error(ErrorKind::numeric, fmt::format("the value {} between two landmarks exceeds the bound from the other "
                                                  "values: the similarity is not a metric",
                                                  largest));
    }
  }

  const SourceSimilarity& similarity_;
  const std::vector<Index>& landmarks_;
  TileNumber number_;
  Slab slab_;
  Range own_;
  std::unique_ptr<TargetSet> targets_;
  Buffer<std::byte> values_;
  mutable std::vector<Buffer<double>> scratch_;  // by thread
};

// Copies pieces of rows into own tiles.
class Placing {
 public:
  // @param size  number of rows and columns that are placed, from the first tile on
  Placing(SymmetricTiles& tiles, Index size, bool half) : tiles_(tiles), open_(tiles), size_(size), half_(half) {}

  /// Number of block columns that row i contributes to.
  [[nodiscard]] Index pieces(Index i) const {
    return half_ ? i / tiles_.order() + 1 : (size_ + tiles_.order() - 1) / tiles_.order();
  }
  [[nodiscard]] Range columns(Index piece) const {
    return {piece * tiles_.order(), std::min((piece + 1) * tiles_.order(), size_)};
  }
  [[nodiscard]] Index tile(Index i, Index piece) const { return tiles_.tile_of(i, piece * tiles_.order()); }

  /// Writes the open tiles to their storage.
  void close() { open_.close(); }

  void place(Index i, Index piece, const std::byte* values) {
    with_number(tiles_.number(), [&](auto zero) {
      using Number = decltype(zero);
      half_ ? copy<Number>(i, piece, values) : add_half<Number>(i, piece, reinterpret_cast<const Number*>(values));
    });
  }

 private:
  template <class Number>
  void copy(Index i, Index piece, const std::byte* values) {
    const Index t = tile(i, piece);
    const SymmetricTiles::Place at = tiles_.place(t);
    auto* const out = reinterpret_cast<Number*>(open_.bytes(t).data());
    const Index width = at.columns.size(), row = i - at.rows.begin;
    const bool diagonal = at.rows == at.columns;
    std::memcpy(out + row * width, values, static_cast<std::size_t>(diagonal ? row + 1 : width) * sizeof(Number));
    for (Index j = 0; diagonal && j < row; ++j) out[j * width + row] = out[row * width + j];
  }

  template <class Number>
  void add_half(Index i, Index piece, const Number* values) {
    const Index t = tile(i, piece);
    const SymmetricTiles::Place at = tiles_.place(t);
    auto* const out = reinterpret_cast<Number*>(open_.bytes(t).data());
    const Index width = at.columns.size();
    const Range from = columns(piece);
    for (Index j = from.begin; j < from.end; ++j) {
      const auto half = static_cast<Number>(0.5 * static_cast<double>(values[j - from.begin]));
      const bool below = at.rows.contains(i) && at.columns.contains(j),
                 above = at.rows.contains(j) && at.columns.contains(i);
      if (below) out[(i - at.rows.begin) * width + j - at.columns.begin] += half;
      if (above) out[(j - at.rows.begin) * width + i - at.columns.begin] += half;
    }
  }

  SymmetricTiles& tiles_;
  OpenTiles open_;
  Index size_;
  bool half_;
};

// Sends each piece of a finished row to the rank of its tile. Both sides traverse rows and pieces in the same order, so
// that only the values are sent.
void deliver(const Communicator& communicator, const Slab& slab, const SlabRows& rows, SymmetricTiles& tiles,
             Index size, bool half) {
  Placing placing(tiles, size, half);
  const int me = communicator.rank(), ranks = communicator.size();
  const Index bytes = bytes_of(tiles.number());
  const auto for_pieces = [&](int rank, auto visit) {
    const Range own = slab.rows_of(rank, ranks);
    for (Index i = own.begin; i < own.end; ++i) {
      for (Index piece = 0; piece < placing.pieces(i); ++piece) visit(i, piece, tiles.owner(placing.tile(i, piece)));
    }
  };
  std::vector<std::vector<std::byte>> send(ranks);
  collectively(communicator, [&] {
    std::vector<Index> sizes(send.size());
    for_pieces(me, [&](Index, Index piece, int owner) {
      if (owner != me) sizes[owner] += placing.columns(piece).size() * bytes;
    });
    for (std::size_t r = 0; r < send.size(); ++r) send[r].reserve(sizes[r]);
    for_pieces(me, [&](Index i, Index piece, int owner) {
      const Range columns = placing.columns(piece);
      const std::byte* const values = rows.row(i) + columns.begin * bytes;
      auto& to = send[owner];
      if (owner == me)
        placing.place(i, piece, values);
      else
        to.insert(to.end(), values, values + columns.size() * bytes);
    });
  });
  const auto received = communicator.exchange(send);
  collectively(communicator, [&] {
    for (int r = 0; r < ranks; ++r) {
      if (r == me) continue;
      const std::byte* values = received[r].data();
      for_pieces(r, [&](Index i, Index piece, int owner) {
        if (owner != me) return;
        placing.place(i, piece, values);
        values += placing.columns(piece).size() * bytes;
      });
    }
    placing.close();
  });
}

// The last two rows: zeros except for a 1 in the last-but-one row of the last column and its mirror. Also writes tiles
// that contain no other row.
void exchange_last_two(const Communicator& communicator, SymmetricTiles& tiles) {
  const Index row = tiles.size() - 1, column = row - 1;
  collectively(communicator, [&] {
    OpenTiles open(tiles);
    for (Index tile = tiles.tile_of(column, 0); tile < tiles.tiles(); ++tile) {
      if (!tiles.mine(tile)) continue;
      const std::span<std::byte> bytes = open.bytes(tile);
      const SymmetricTiles::Place at = tiles.place(tile);
      with_number(tiles.number(), [&](auto zero) {
        using Number = decltype(zero);
        const MatrixView<Number> values(reinterpret_cast<Number*>(bytes.data()), at.rows.size(), at.columns.size());
        const auto set = [&](Index i, Index j) {
          if (at.rows.contains(i) && at.columns.contains(j)) values(i - at.rows.begin, j - at.columns.begin) = 1;
        };
        set(row, column);
        set(column, row);
      });
      open.close();
    }
  });
}

// No two landmarks are farther apart than twice the distance from any landmark to its farthest one. Four landmarks are
// tried: the first, the farthest from it, the farthest from that, and one halfway between these two, which comes close
// to the diameter.
double largest_value_bound(const SourceSimilarity& similarity, const std::vector<Index>& landmarks) {
  const auto targets = similarity.prepare(landmarks);
  const auto from = [&](std::size_t source) {
    std::vector<double> values(landmarks.size());
    similarity.to_targets(std::span(&landmarks[source], 1), *targets,
                          {values.data(), 1, static_cast<Index>(values.size())});
    return values;
  };
  const auto farthest = [](const std::vector<double>& values) {
    return static_cast<std::size_t>(std::ranges::max_element(values) - values.begin());
  };
  const std::vector<double> first = from(0), one_end = from(farthest(first)), other_end = from(farthest(one_end));
  std::size_t middle = 0;
  for (std::size_t k = 0; k < landmarks.size(); ++k) {
    if (std::max(one_end[k], other_end[k]) < std::max(one_end[middle], other_end[middle])) middle = k;
  }
  double bound = std::numeric_limits<double>::infinity();
  for (const auto& values : {first, one_end, other_end, from(middle)})
    bound = std::min(bound, 2.0 * values[farthest(values)]);
  return bound;
}

// Only one rank evaluates, so that the number of evaluations does not depend on the number of ranks.
TileNumber number_for(const Communicator& communicator, const SourceSimilarity& similarity,
                      const std::vector<Index>& landmarks, bool single_precision) {
  if (!similarity.traits().integral || !similarity.traits().symmetric_by_construction)
    return single_precision ? TileNumber::float32 : TileNumber::float64;
  bool small = collectively(communicator, [&] {
    return communicator.is_root() &&
           largest_value_bound(similarity, landmarks) <= std::numeric_limits<std::uint16_t>::max();
  });
  communicator.broadcast(std::span(&small, 1), 0);
  return small ? TileNumber::uint16 : TileNumber::uint32;
}

}  // namespace

Index largest_landmark_slab(Index landmarks, Index order, Index number_bytes, bool half) {
  Index largest = 0;
  for (const Slab& slab : slabs_of(landmarks, order, number_bytes, half, 1)) {
    largest = std::max(largest, slab.rows.size() * slab.columns * number_bytes);
  }
  return largest;
}

SymmetricTiles landmark_matrix(const Execution& execution, const SourceSimilarity& similarity,
                               const std::vector<Index>& landmarks, bool single_precision, const TileStorage& storage,
                               bool exchanged) {
  const Communicator& communicator = execution.communicator;
  auto phase = execution.phases.enter("landmark matrix");
  const BlasThreads one(1);  // bands are assigned to threads
  const Index before = similarity.evaluations();
  const bool half = similarity.traits().symmetric_by_construction;
  const TileNumber number = number_for(communicator, similarity, landmarks, single_precision);
  const auto size = static_cast<Index>(landmarks.size()), all = size + (exchanged ? tree_columns : 0);
  SymmetricTiles tiles = make_tiles(communicator, all, SymmetricTiles::default_order(all), number, storage);
  for (const Slab& slab : slabs_of(size, tiles.order(), bytes_of(number), half, similarity.traits().batch)) {
    auto rows = collectively(communicator, [&] {
      return std::make_unique<SlabRows>(execution, similarity, landmarks, tiles.number(), slab);
    });
    const Schedule schedule(fmt::format("landmark matrix {}", slab.number),
                            rows->own_tiles(communicator.rank(), communicator.size()), slab.bands());
    const TileStatistics statistics = schedule.run(execution, *rows);
    phase.count_busy(statistics.busy_seconds);
    similarity.count_restored(statistics.restored_rows * slab.columns);
    deliver(communicator, slab, *rows, tiles, size, half);
  }
  if (exchanged) exchange_last_two(communicator, tiles);
  phase.count_evaluations(similarity.evaluations() - before);
  return tiles;
}

}  // namespace cairn
