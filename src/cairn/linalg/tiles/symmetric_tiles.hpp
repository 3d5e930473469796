// Large symmetric matrices, of which one half is stored in square tiles.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cairn/base/buffer.hpp"
#include "cairn/base/matrix_view.hpp"
#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/schedule/tile_ledger.hpp"

namespace cairn {

/// Number type of the entries of a tile: path lengths fit into unsigned 16 or 32 bits.
enum class TileNumber { uint16, uint32, float32, float64 };

[[nodiscard]] Index bytes_of(TileNumber number);
/// "uint16", "uint32", "float32", "float64".
[[nodiscard]] const char* name_of(TileNumber number);

/// The bytes of a tile: the matrix' own, or a copy of those on disk.
class TileValues {
 public:
  explicit TileValues(std::span<const std::byte> held) : bytes_(held) {}
  explicit TileValues(Buffer<std::byte> copy) : copy_(std::move(copy)), bytes_(copy_.span()) {}

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  /// Row-major. @param shape  rows and columns of the tile
  template <class Number>
  [[nodiscard]] MatrixView<const Number> as(Index rows, Index columns) const {
    return {reinterpret_cast<const Number*>(bytes_.data()), rows, columns};
  }

 private:
  Buffer<std::byte> copy_;
  std::span<const std::byte> bytes_;
};

/// A symmetric l x l matrix. Tile (I, J), I >= J, has the number I (I + 1) / 2 + J and holds the entries of rows I
/// order .. and columns J order ..; tiles on the diagonal are stored whole, those at the lower edge have fewer rows.
/// Tile t belongs to rank t mod ranks, which keeps it in memory (l² / 2 entries over all ranks) or in a ledger on disk,
/// from which every access reads it. Tiles on disk: main thread only. Move-only.
class SymmetricTiles {
 public:
  SymmetricTiles() = default;
  /// @param order    rows of a tile; default_order(size) unless a test wants another
  /// @param storage  keeps this rank's tiles; null: memory does
  /// @throws Error(resource) if this rank lacks memory for its tiles (not collective)
  SymmetricTiles(Index size, Index order, TileNumber number, int ranks, int rank,
                 std::shared_ptr<TileLedger> storage = nullptr);

  /// 1024, or less if there would be fewer than 64 tiles; depends on the size alone.
  [[nodiscard]] static Index default_order(Index size);

  [[nodiscard]] Index size() const { return size_; }
  [[nodiscard]] Index order() const { return order_; }
  [[nodiscard]] TileNumber number() const { return number_; }
  [[nodiscard]] bool in_memory() const { return storage_ == nullptr; }
  /// Number of tiles of the lower triangle, on all ranks.
  [[nodiscard]] Index tiles() const;
  [[nodiscard]] int owner(Index tile) const { return static_cast<int>(tile % ranks_); }
  [[nodiscard]] bool mine(Index tile) const { return owner(tile) == rank_; }
  /// Rows and columns of a tile.
  struct Place {
    Range rows, columns;
  };
  [[nodiscard]] Place place(Index tile) const;
  [[nodiscard]] Index tile_of(Index row, Index column) const;
  /// Bytes of a tile, and of all tiles of this rank.
  [[nodiscard]] Index bytes_of_tile(Index tile) const;
  [[nodiscard]] Index own_bytes() const;

  /// The stored bytes of an own tile, row-major, rows x columns of place(tile).
  /// @throws Error(input) or Error(resource) if they cannot be read
  [[nodiscard]] TileValues read(Index tile) const;
  /// Converts values into an own tile. @throws Error(numeric) for a value that the number type cannot hold
  void store(Index tile, MatrixView<const double> values);
  /// Writes an own tile as doubles: out is rows x columns of place(tile).
  void load(Index tile, MatrixView<double> out) const;

 private:
  friend class OpenTiles;
  void require_mine(Index tile) const;
  [[nodiscard]] std::span<const std::byte> held(Index tile) const;
  [[nodiscard]] std::span<std::byte> held(Index tile);
  [[nodiscard]] Range place_in_memory(Index tile) const;

  Index size_ = 0;
  Index order_ = 1;
  TileNumber number_ = TileNumber::float64;
  int ranks_ = 1;
  int rank_ = 0;
  std::vector<Index> offsets_;  // in memory: offsets of own tiles, by tile / ranks
  Buffer<std::byte> values_;
  std::shared_ptr<TileLedger> storage_;
};

/// Creates the storage for `bytes` of tiles of this rank; null if memory keeps them. Collective.
using TileStorage = std::function<std::shared_ptr<TileLedger>(Index bytes)>;

/// A matrix of zeros, stored as `storage` decides. @throws Error(resource). Collective.
[[nodiscard]] SymmetricTiles make_tiles(const Communicator& communicator, Index size, Index order, TileNumber number,
                                        const TileStorage& storage = {});

/// Own tiles that are written piece by piece: the matrix' own if it is in memory, else copies until close(). Tiles that
/// were never stored are zeros. Memory: on disk, that of the open tiles. Local.
class OpenTiles {
 public:
  explicit OpenTiles(SymmetricTiles& matrix) : matrix_(matrix) {}
  /// Row-major, rows x columns of its place. @throws Error(resource)
  [[nodiscard]] std::span<std::byte> bytes(Index tile);
  /// @throws Error(resource) if the disk is full
  void close();

 private:
  SymmetricTiles& matrix_;
  std::map<Index, Buffer<std::byte>> copies_;
};

/// A few sparse vectors of length l, replicated: vector v has entries [starts[v], starts[v + 1]) of indices and values.
struct SparseVectors {
  std::vector<Index> starts = {0};
  std::vector<Index> indices;
  std::vector<double> values;
  [[nodiscard]] Index count() const { return static_cast<Index>(starts.size()) - 1; }
};

/// W X for sparse vectors X (the same on every rank): l x count, row-major, on every rank. Every rank multiplies its
/// own tiles; sums are taken in the order of tiles, so that rank counts agree to rounding.
/// Memory: l x count doubles on every rank.     @throws Error(internal) for indices beyond l. Collective.
[[nodiscard]] Buffer<double> multiply(const Communicator& communicator, const SymmetricTiles& matrix,
                                      const SparseVectors& vectors, int threads);

/// xᵀ W y for the pairs (x of `left`, y of `right`) with the same number, both the same on every rank: one value per
/// pair, on every rank. For chosen entries of P W Pᵀ: a pair takes nonzeros of x times nonzeros of y operations, while
/// multiply takes l times nonzeros. Indices ascend within a vector. @throws Error(internal) for unequal counts.
/// Collective.
[[nodiscard]] std::vector<double> bilinear_forms(const Communicator& communicator, const SymmetricTiles& matrix,
                                                 const SparseVectors& left, const SparseVectors& right, int threads);

/// Entries (rows[a], columns[a]) that this rank requests (lists may differ between ranks). Memory: 40 bytes per
/// requested entry. Collective.
[[nodiscard]] std::vector<double> entries_of(const Communicator& communicator, const SymmetricTiles& matrix,
                                             std::span<const Index> rows, std::span<const Index> columns);

}  // namespace cairn
