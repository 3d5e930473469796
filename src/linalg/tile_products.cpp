// W X for sparse vectors X and a symmetric matrix in tiles.
#include <algorithm>

#include "base/collective_guard.hpp"
#include "base/error.hpp"
#include "base/watchdog.hpp"
#include "linalg/symmetric_tiles.hpp"
#include "linalg/tile_numbers.hpp"

namespace cairn {

namespace {

constexpr Index chunk_columns = 128;  // of a tile, whose products stay in cache until they are added

struct Entry {
  Index vector;
  Index at;  // within its block of rows
  double value;
};

// The entries of all vectors, by the block of rows that they fall into; by vector within a block.
std::vector<std::vector<Entry>> entries_by_block(const SymmetricTiles& matrix, const SparseVectors& vectors) {
  std::vector<std::vector<Entry>> blocks(
      static_cast<std::size_t>((matrix.size() + matrix.order() - 1) / matrix.order()));
  if (vectors.indices.size() != vectors.values.size() ||
      vectors.starts.back() != static_cast<Index>(vectors.indices.size())) {
    throw Error(ErrorKind::internal, "starts, indices and values of sparse vectors do not fit together");
  }
  for (Index v = 0; v < vectors.count(); ++v) {
    for (Index e = vectors.starts[static_cast<std::size_t>(v)]; e < vectors.starts[static_cast<std::size_t>(v) + 1];
         ++e) {
      const Index at = vectors.indices[static_cast<std::size_t>(e)];
      if (at < 0 || at >= matrix.size()) {
        throw Error(ErrorKind::internal, "a sparse vector has an entry beyond the matrix that it is multiplied by");
      }
      blocks[static_cast<std::size_t>(at / matrix.order())].push_back(
          {v, at % matrix.order(), vectors.values[static_cast<std::size_t>(e)]});
    }
  }
  return blocks;
}

// out = rows of the block row of a tile: out += tile * (entries in its columns).
template <class Number>
void add_tile(MatrixView<const Number> tile, const std::vector<Entry>& entries, MatrixView<double> out, int threads) {
  if (entries.empty()) return;
#pragma omp parallel for num_threads(threads) schedule(static)
  for (Index r = 0; r < tile.rows; ++r) {
    const Number* row = tile.row(r);
    double* sums = out.row(r);
    for (const Entry& entry : entries) sums[entry.vector] += entry.value * static_cast<double>(row[entry.at]);
  }
}

// out = rows of the block column of a tile: out += tileᵀ * (entries in its rows).
template <class Number>
void add_transposed_tile(MatrixView<const Number> tile, const std::vector<Entry>& entries, MatrixView<double> out,
                         int threads) {
  if (entries.empty()) return;
#pragma omp parallel for num_threads(threads) schedule(static)
  for (Index begin = 0; begin < tile.columns; begin += chunk_columns) {
    const Index width = std::min(chunk_columns, tile.columns - begin);
    double sums[chunk_columns];
    for (std::size_t e = 0; e < entries.size();) {
      const Index vector = entries[e].vector;
      std::fill_n(sums, width, 0.0);
      for (; e < entries.size() && entries[e].vector == vector; ++e) {
        const Number* row = tile.row(entries[e].at) + begin;
        const double value = entries[e].value;
#pragma omp simd
        for (Index c = 0; c < width; ++c) sums[c] += value * static_cast<double>(row[c]);
      }
      for (Index c = 0; c < width; ++c) out(begin + c, vector) += sums[c];
    }
  }
}

// The products of this rank's tiles, in their order.
void add_own_tiles(const Communicator& communicator, const SymmetricTiles& matrix,
                   const std::vector<std::vector<Entry>>& blocks, MatrixView<double> out, int threads) {
  for (Index tile = communicator.rank(); tile < matrix.tiles(); tile += communicator.size()) {
    const SymmetricTiles::Place at = matrix.place(tile);
    const auto& in_rows = blocks[static_cast<std::size_t>(at.rows.begin / matrix.order())];
    const auto& in_columns = blocks[static_cast<std::size_t>(at.columns.begin / matrix.order())];
    const auto part = [&](Range rows) { return MatrixView<double>(out.row(rows.begin), rows.size(), out.columns); };
    with_number(matrix.number(), [&](auto zero) {
      using Number = decltype(zero);
      const MatrixView<const Number> values(reinterpret_cast<const Number*>(matrix.bytes(tile).data()), at.rows.size(),
                                            at.columns.size());
      add_tile(values, in_columns, part(at.rows), threads);
      if (at.rows.begin != at.columns.begin) add_transposed_tile(values, in_rows, part(at.columns), threads);
    });
    Watchdog::beat();
  }
}

}  // namespace

Buffer<double> multiply(const Communicator& communicator, const SymmetricTiles& matrix, const SparseVectors& vectors,
                        int threads) {
  auto product = collectively(communicator, [&] {
    const auto blocks = entries_by_block(matrix, vectors);
    Buffer<double> sums(matrix.size() * vectors.count());
    std::fill_n(sums.data(), sums.size(), 0.0);
    add_own_tiles(communicator, matrix, blocks, {sums.data(), matrix.size(), vectors.count()}, threads);
    return sums;
  });
  communicator.sum(product.span());
  return product;
}

}  // namespace cairn
