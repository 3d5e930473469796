// W X for sparse vectors X and a symmetric matrix in tiles.
#include <algorithm>
#include <type_traits>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/linalg/dense/blas_threads.hpp"
#include "cairn/linalg/dense/local_blas.hpp"
#include "cairn/linalg/tiles/symmetric_tiles.hpp"
#include "cairn/linalg/tiles/tile_numbers.hpp"

namespace cairn {

namespace {

constexpr Index chunk_columns = 128;  // of a tile; their products stay in cache until they are added

constexpr Index dense_share = 8;  // of a block of rows: from an eighth on, zeros cost less than positions of entries

struct Entry {
  Index vector;
  Index at;  // within its block of rows
  double value;
};

// The entries of all vectors in a block of rows.
struct Block {
  std::vector<Entry> entries;  // by vector; none if they are in `dense`
  Buffer<double> dense;        // rows x vectors, row-major, if there are many
  [[nodiscard]] bool is_empty() const { return entries.empty() && dense.size() == 0; }
};

void check(const SymmetricTiles& matrix, const SparseVectors& vectors) {
  if (vectors.indices.size() != vectors.values.size() ||
      vectors.starts.back() != static_cast<Index>(vectors.indices.size())) {
    throw Error(ErrorKind::internal, "starts, indices and values of sparse vectors do not fit together");
  }
  for (const Index at : vectors.indices) {
    if (at >= 0 && at < matrix.size()) continue;
    throw Error(ErrorKind::internal, "a sparse vector has an entry beyond the matrix that it is multiplied by");
  }
}

// The entries of all vectors, by block of rows; by vector within a block.
std::vector<Block> entries_by_block(const SymmetricTiles& matrix, const SparseVectors& vectors) {
  const Index order = matrix.order();
  std::vector<Block> blocks((matrix.size() + order - 1) / order);
  check(matrix, vectors);
  std::vector<Index> counts(blocks.size(), 0);
  for (const Index at : vectors.indices) ++counts[at / order];
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const Index rows = std::min(order, matrix.size() - static_cast<Index>(b) * order);
    if (counts[b] * dense_share < rows * vectors.count()) continue;
    blocks[b].dense = Buffer<double>(rows * vectors.count());
    std::fill_n(blocks[b].dense.data(), blocks[b].dense.size(), 0.0);
  }
  for (Index v = 0; v < vectors.count(); ++v) {
    for (Index e = vectors.starts[v]; e < vectors.starts[static_cast<std::size_t>(v) + 1]; ++e) {
      const Index at = vectors.indices[e];
      const double value = vectors.values[e];
      Block& block = blocks[at / order];
      if (block.dense.size() > 0) {
        block.dense[at % order * vectors.count() + v] += value;
      } else {
        block.entries.push_back({v, at % order, value});
      }
    }
  }
  return blocks;
}

// The numbers of a tile in the form that BLAS takes: themselves, or a copy.
class DenseTile {
 public:
  template <class Number>
  explicit DenseTile(MatrixView<const Number> tile) {
    if constexpr (std::is_same_v<Number, double>) {
      values_ = tile;
    } else {
      copy_ = Buffer<double>(tile.rows * tile.columns);
      for (Index r = 0; r < tile.rows; ++r) {
        std::transform(tile.row(r), tile.row(r) + tile.columns, copy_.data() + r * tile.columns,
                       [](Number value) { return static_cast<double>(value); });
      }
      values_ = {copy_.data(), tile.rows, tile.columns};
    }
  }
  // out += tile * x, or tileᵀ * x. Row-major Y = A X is column-major Yᵀ = Xᵀ Aᵀ.
  void add_product(bool transposed, const double* x, MatrixView<double> out) const {
    const int columns = static_cast<int>(out.columns), rows = static_cast<int>(out.rows);
    const int inner = static_cast<int>(transposed ? values_.rows : values_.columns);
    blas::gemm('N', transposed ? 'T' : 'N', columns, rows, inner, 1.0, x, columns, values_.data,
               static_cast<int>(values_.stride), 1.0, out.data, static_cast<int>(out.stride));
  }

 private:
  Buffer<double> copy_;
  MatrixView<const double> values_{nullptr, 0, 0};
};

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
void add_own_tiles(const Communicator& communicator, const SymmetricTiles& matrix, const std::vector<Block>& blocks,
                   MatrixView<double> out, int threads) {
  const BlasThreads of_blas(threads);
  for (Index tile = communicator.rank(); tile < matrix.tiles(); tile += communicator.size()) {
    const SymmetricTiles::Place at = matrix.place(tile);
    const auto& in_rows = blocks[at.rows.begin / matrix.order()];
    const auto& in_columns = blocks[at.columns.begin / matrix.order()];
    if (in_rows.is_empty() && in_columns.is_empty()) continue;
    const TileValues held = matrix.read(tile);
    const auto part = [&](Range rows) { return MatrixView<double>(out.row(rows.begin), rows.size(), out.columns); };
    with_number(matrix.number(), [&](auto zero) {
      const auto values = held.as<decltype(zero)>(at.rows.size(), at.columns.size());
      const bool off_diagonal = at.rows.begin != at.columns.begin;
      add_tile(values, in_columns.entries, part(at.rows), threads);
      if (off_diagonal) add_transposed_tile(values, in_rows.entries, part(at.columns), threads);
      if (in_columns.dense.size() == 0 && (in_rows.dense.size() == 0 || !off_diagonal)) return;
      const DenseTile dense(values);
      if (in_columns.dense.size() > 0) dense.add_product(false, in_columns.dense.data(), part(at.rows));
      if (off_diagonal && in_rows.dense.size() > 0) dense.add_product(true, in_rows.dense.data(), part(at.columns));
    });
    Watchdog::beat();
  }
}

// Entries [begin, end) of a vector that fall into one block of rows.
struct Run {
  Index vector = 0;
  Index begin = 0, end = 0;
};

// Runs by block of rows; by vector within a block.
std::vector<std::vector<Run>> runs_by_block(const SymmetricTiles& matrix, const SparseVectors& vectors) {
  std::vector<std::vector<Run>> blocks((matrix.size() + matrix.order() - 1) / matrix.order());
  for (Index v = 0; v < vectors.count(); ++v) {
    const Index end = vectors.starts[static_cast<std::size_t>(v) + 1];
    for (Index e = vectors.starts[v]; e < end; ++e) {
      auto& runs = blocks[vectors.indices[e] / matrix.order()];
      if (runs.empty() || runs.back().vector != v) runs.push_back({v, e, e});
      runs.back().end = e + 1;
    }
  }
  return blocks;
}

// A pair of vectors with the same number: entries of one in a tile's rows, of the other in its columns.
struct Meeting {
  Run rows, columns;
};

std::vector<Meeting> meetings_of(const std::vector<Run>& in_rows, const std::vector<Run>& in_columns) {
  std::vector<Meeting> meetings;
  for (auto x = in_rows.begin(), y = in_columns.begin(); x != in_rows.end() && y != in_columns.end();) {
    if (x->vector == y->vector)
      meetings.push_back({*x++, *y++});
    else if (x->vector < y->vector)
      ++x;
    else
      ++y;
  }
  return meetings;
}

// Contribution of one tile: x of its rows, y of its columns.
template <class Number>
double form_of_tile(MatrixView<const Number> tile, SymmetricTiles::Place at, const SparseVectors& x, Run rows,
                    const SparseVectors& y, Run columns) {
  double sum = 0.0;
  for (Index a = rows.begin; a < rows.end; ++a) {
    const Number* row = tile.row(x.indices[a] - at.rows.begin);
    double product = 0.0;
    for (Index b = columns.begin; b < columns.end; ++b) {
      const auto e = static_cast<std::size_t>(b);
      product += y.values[e] * static_cast<double>(row[y.indices[e] - at.columns.begin]);
    }
    sum += x.values[a] * product;
  }
  return sum;
}

// Contributions of a tile to xᵀ W y for the pairs that meet in it: x in its rows, y in its columns.
void add_forms(const SymmetricTiles& matrix, Index tile, const TileValues& held, const std::vector<Meeting>& meetings,
               const SparseVectors& x, const SparseVectors& y, std::span<double> sums, int threads) {
  constexpr std::size_t worth_threads = 64;  // meetings
  const SymmetricTiles::Place at = matrix.place(tile);
  with_number(matrix.number(), [&](auto zero) {
    const auto values = held.as<decltype(zero)>(at.rows.size(), at.columns.size());
#pragma omp parallel for num_threads(threads) schedule(dynamic, 16) if (meetings.size() > worth_threads)
    for (std::size_t m = 0; m < meetings.size(); ++m) {
      sums[meetings[m].rows.vector] += form_of_tile(values, at, x, meetings[m].rows, y, meetings[m].columns);
    }
  });
}

// Contributions of this rank's tiles, each of which is read once.
void add_own_forms(const Communicator& communicator, const SymmetricTiles& matrix, const SparseVectors& left,
                   const SparseVectors& right, std::span<double> sums, int threads) {
  const auto left_runs = runs_by_block(matrix, left), right_runs = runs_by_block(matrix, right);
  for (Index tile = communicator.rank(); tile < matrix.tiles(); tile += communicator.size()) {
    const SymmetricTiles::Place at = matrix.place(tile);
    const auto row = static_cast<std::size_t>(at.rows.begin / matrix.order());
    const auto column = static_cast<std::size_t>(at.columns.begin / matrix.order());
    const auto meetings = meetings_of(left_runs[row], right_runs[column]);
    const auto mirrored = row == column ? std::vector<Meeting>() : meetings_of(right_runs[row], left_runs[column]);
    if (meetings.empty() && mirrored.empty()) continue;
    const TileValues held = matrix.read(tile);
    add_forms(matrix, tile, held, meetings, left, right, sums, threads);
    add_forms(matrix, tile, held, mirrored, right, left, sums, threads);
    Watchdog::beat();
  }
}

}  // namespace

std::vector<double> bilinear_forms(const Communicator& communicator, const SymmetricTiles& matrix,
                                   const SparseVectors& left, const SparseVectors& right, int threads) {
  auto forms = collectively(communicator, [&] {
    check(matrix, left);
    check(matrix, right);
    if (left.count() != right.count()) {
      throw Error(ErrorKind::internal, "bilinear forms need as many left vectors as right ones");
    }
    std::vector<double> sums(left.count());
    add_own_forms(communicator, matrix, left, right, sums, threads);
    return sums;
  });
  communicator.sum(std::span(forms));
  return forms;
}

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
