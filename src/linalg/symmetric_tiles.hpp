// Large symmetric matrices, half stored in square tiles.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/buffer.hpp"
#include "base/communicator.hpp"
#include "base/matrix_view.hpp"

namespace cairn {

/// How an entry of a tile is stored: path lengths fit into 16 or 32 bits without a sign.
enum class TileNumber { uint16, uint32, float32, float64 };

[[nodiscard]] Index bytes_of(TileNumber number);
/// "uint16", "uint32", "float32", "float64".
[[nodiscard]] const char* name_of(TileNumber number);

/// A symmetric l x l matrix. Tile (I, J), I >= J, has the number I (I + 1) / 2 + J and holds the entries of rows
/// I order .. and columns J order ..; those on the diagonal are stored whole, those at the lower edge have fewer rows.
/// Tile t belongs to rank t mod ranks. Memory: l² / 2 entries over all ranks.
class SymmetricTiles {
 public:
  SymmetricTiles() = default;
  /// @param order  rows of a tile; default_order(size) unless a test wants another
  /// @throws Error(resource) if this rank has no room for its tiles (not collective)
  SymmetricTiles(Index size, Index order, TileNumber number, int ranks, int rank);

  /// 1024, less where there would be fewer than 64 tiles; depends on the size alone.
  [[nodiscard]] static Index default_order(Index size);

  [[nodiscard]] Index size() const { return size_; }
  [[nodiscard]] Index order() const { return order_; }
  [[nodiscard]] TileNumber number() const { return number_; }
  /// Tiles of the lower triangle, on all ranks.
  [[nodiscard]] Index tiles() const;
  [[nodiscard]] int owner(Index tile) const { return static_cast<int>(tile % ranks_); }
  [[nodiscard]] bool mine(Index tile) const { return owner(tile) == rank_; }
  /// Rows and columns of a tile.
  struct Place {
    Range rows, columns;
  };
  [[nodiscard]] Place place(Index tile) const;
  [[nodiscard]] Index tile_of(Index row, Index column) const;

  /// The stored bytes of an own tile, row-major, rows x columns of place(tile).
  [[nodiscard]] std::span<std::byte> bytes(Index tile);
  [[nodiscard]] std::span<const std::byte> bytes(Index tile) const;
  /// Converts values into an own tile. @throws Error(numeric) for a value that the number type cannot hold
  void store(Index tile, MatrixView<const double> values);
  /// An own tile as doubles: out is rows x columns of place(tile).
  void load(Index tile, MatrixView<double> out) const;

 private:
  Index size_ = 0;
  Index order_ = 1;
  TileNumber number_ = TileNumber::float64;
  int ranks_ = 1;
  int rank_ = 0;
  std::vector<Index> offsets_;  // of own tiles, by tile / ranks
  Buffer<std::byte> values_;
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

/// xᵀ W y for the pairs (x of `left`, y of `right`) with the same number, both the same on every rank: one value a
/// pair, on every rank. Takes nonzeros of x times nonzeros of y operations a pair, where multiply takes l times
/// nonzeros: for chosen entries of P W Pᵀ. Indices ascend within a vector. @throws Error(internal) for unequal counts.
/// Collective.
[[nodiscard]] std::vector<double> bilinear_forms(const Communicator& communicator, const SymmetricTiles& matrix,
                                                 const SparseVectors& left, const SparseVectors& right, int threads);

/// Entries (rows[a], columns[a]) that this rank asks for (another list on every rank). Memory: 40 bytes an entry asked
/// for. Collective.
[[nodiscard]] std::vector<double> entries_of(const Communicator& communicator, const SymmetricTiles& matrix,
                                             std::span<const Index> rows, std::span<const Index> columns);

}  // namespace cairn
