#include "cairn/task/regression/centers/center_tiles.hpp"

#include <omp.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>

#include "cairn/base/buffer.hpp"
#include "cairn/base/each_level.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/base/progress.hpp"
#include "cairn/base/schedule/on_threads.hpp"
#include "cairn/linalg/dense/blas_threads.hpp"
#include "cairn/linalg/dense/row_product.hpp"
#include "cairn/similarity/columns.hpp"

namespace cairn {

namespace {

constexpr Index most_tile_rows = 1024;
constexpr Index product_tile_bytes = Index{1} << 20;  // both products of a tile find it in the cache
constexpr Index gram_tile_bytes = Index{16} << 20;    // a tile with enough rows for GEMM's full rate
constexpr Index evaluated_rows = 64;                  // of a tile of gram(), by one thread
constexpr Index panel_columns = 128;
/// Rows that are no training rows between two of a tile: more are not worth their evaluation.
constexpr Index most_gap = 32;

template <class T>
Index rows_within(Index bytes, Index centers) {
  const Index row_bytes = std::max<Index>(1, centers) * static_cast<Index>(sizeof(T));
  return std::clamp<Index>(bytes / row_bytes, 8, most_tile_rows);
}

template <class T>
std::vector<T> converted(MatrixView<const double> matrix) {
  std::vector<T> values;
  values.reserve(static_cast<std::size_t>(matrix.rows * matrix.columns));
  for (Index i = 0; i < matrix.rows; ++i) {
    for (Index j = 0; j < matrix.columns; ++j) values.push_back(static_cast<T>(matrix(i, j)));
  }
  return values;
}

template <class T>
void add_to(double* sums, const T* more, Index count) {
  for (Index k = 0; k < count; ++k) sums[k] += static_cast<double>(more[k]);
}

/// Up to so many columns these loops, whose sums are in double precision, take less time than GEMM.
constexpr Index few_columns = 8;
constexpr Index rows_at_once = 4;

// Vectors that a tile multiplies: v and y have `count` columns of as many numbers as the tile has columns.
struct FewVectors {
  Index count = 0;
  const double* v = nullptr;  // null: u is given
  double* u = nullptr;        // rows x count: A v
  double* y = nullptr;        // receives Aᵀ u; null: it is not needed
};

template <class T>
[[gnu::always_inline]] inline void multiply_four(const T* const* rows, Index n, const double* v, double* sums) {
  const T *a = rows[0], *b = rows[1], *c = rows[2], *d = rows[3];
  double first = 0.0, second = 0.0, third = 0.0, fourth = 0.0;
#pragma omp simd reduction(+ : first, second, third, fourth)
  for (Index j = 0; j < n; ++j) {
    first += static_cast<double>(a[j]) * v[j];
    second += static_cast<double>(b[j]) * v[j];
    third += static_cast<double>(c[j]) * v[j];
    fourth += static_cast<double>(d[j]) * v[j];
  }
  sums[0] = first, sums[1] = second, sums[2] = third, sums[3] = fourth;
}

template <class T>
[[gnu::always_inline]] inline void add_four(const T* const* rows, Index n, const double* u, double* y) {
  const T *a = rows[0], *b = rows[1], *c = rows[2], *d = rows[3];
  const double e = u[0], f = u[1], g = u[2], h = u[3];
#pragma omp simd
  for (Index j = 0; j < n; ++j) {
    y[j] += (static_cast<double>(a[j]) * e + static_cast<double>(b[j]) * f) +
            (static_cast<double>(c[j]) * g + static_cast<double>(d[j]) * h);
  }
}

// Both products while four rows are in the nearest cache.
template <class T>
[[gnu::always_inline]] inline void multiply_rows(MatrixView<const T> tile, const FewVectors& vectors) {
  for (Index i = 0; i < tile.rows; i += rows_at_once) {
    const Index here = std::min(rows_at_once, tile.rows - i);
    const T* rows[rows_at_once];
    for (Index k = 0; k < rows_at_once; ++k) rows[k] = tile.row(i + std::min(k, here - 1));  // the last one again
    for (Index c = 0; c < vectors.count; ++c) {
      double u[rows_at_once] = {};
      if (vectors.v != nullptr) {
        multiply_four(rows, tile.columns, vectors.v + c * tile.columns, u);
        for (Index k = 0; k < here; ++k) vectors.u[(i + k) * vectors.count + c] = u[k];
        std::fill(u + here, u + rows_at_once, 0.0);
      } else {
        for (Index k = 0; k < here; ++k) u[k] = vectors.u[(i + k) * vectors.count + c];
      }
      if (vectors.y != nullptr) add_four(rows, tile.columns, u, vectors.y + c * tile.columns);
    }
  }
}

// Once for each number type, since target_clones does not support templates.
CAIRN_EACH_LEVEL void multiply_tile_rows(MatrixView<const float> tile, const FewVectors& vectors) {
  multiply_rows(tile, vectors);
}
CAIRN_EACH_LEVEL void multiply_tile_rows(MatrixView<const double> tile, const FewVectors& vectors) {
  multiply_rows(tile, vectors);
}

// Row-major from columns one after the other, or back.
std::vector<double> transposed_numbers(const double* values, Index rows, Index columns) {
  std::vector<double> result(static_cast<std::size_t>(rows * columns));
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < columns; ++j) result[j * rows + i] = values[i * columns + j];
  }
  return result;
}

// sums += op(A) B in double precision; products in T. `scratch` has the size of `sums`.
template <class T>
void accumulate(const Operand<T>& a, const Operand<T>& b, MatrixView<double> sums, Buffer<T>& scratch) {
  if constexpr (std::is_same_v<T, double>) {
    multiply_add(1.0, a, b, 1.0, sums);
  } else {
    multiply(a, b, MatrixView<T>(scratch.data(), sums.rows, sums.columns));
    add_to(sums.data, scratch.data(), sums.rows * sums.columns);
  }
}

}  // namespace

template <class T>
CenterTiles<T>::CenterTiles(const Execution& execution, const Similarity<T>& similarity, const ObjectSet& objects,
                            std::shared_ptr<const ObjectBlock> centers)
    : execution_(execution), similarity_(similarity), objects_(objects), centers_(std::move(centers)) {}

template <class T>
CenterTiles<T>::CenterTiles(const Execution& execution, const Similarity<T>& similarity, const ObjectSet& objects,
                            std::vector<Index> centers)
    : CenterTiles(execution, similarity, objects, objects.gather(execution.communicator, centers)) {
  const Communicator& communicator = execution.communicator;
  const Index m = size(), ranks = communicator.size(), most = rows_of_tile();
  const Index share = (m + ranks - 1) / ranks;
  first_center_ = std::min(m, share * communicator.rank());
  const Index end = std::min(m, first_center_ + share);
  for (Index begin = 0; begin < share; begin += most) {  // the same number of steps on every rank
    const Range own{std::min(end, first_center_ + begin), std::min(end, first_center_ + begin + most)};
    auto block = objects.gather(communicator, std::span(centers).subspan(own.begin, own.size()));
    if (!own.empty()) own_centers_.push_back(std::move(block));
  }
}

template <class T>
Index CenterTiles<T>::rows_of_tile() const {
  const Index allowed = similarity_.traits().most_entries_in_tile / std::max<Index>(1, size());
  return std::max<Index>(1, std::min(rows_within<T>(product_tile_bytes, size()), allowed));
}

template <class T>
auto CenterTiles<T>::pieces_of(std::span<const Index> rows, Index most) -> std::vector<Piece> {
  std::vector<Piece> pieces;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const bool goes_on =
        !pieces.empty() && rows[k] - rows[pieces.back().begin] < most && rows[k] - rows[k - 1] <= most_gap;
    if (!goes_on) pieces.push_back({k, k});
    pieces.back().end = k + 1;
  }
  return pieces;
}

// The rows of a piece (one tile), without those between them that are not in the list.
template <class T>
void CenterTiles<T>::evaluate(std::span<const Index> rows, T* tile, int threads) const {
  const Index m = size();
  const Range all{rows.front(), rows.back() + 1};
  const Index step = std::min(rows_of_tile(), evaluated_rows);
  const auto evaluate_part = [&](Index part) {
    const Range own{all.begin + part * step, std::min(all.end, all.begin + (part + 1) * step)};
    similarity_.tile(*objects_.block(own), *centers_, {tile + (own.begin - all.begin) * m, own.size(), m});
  };
  const Index parts = (all.size() + step - 1) / step;
  on_threads(threads, parts, evaluate_part);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const Index from = rows[k] - all.begin;
    if (from != static_cast<Index>(k)) std::copy_n(tile + from * m, m, tile + static_cast<Index>(k) * m);
  }
}

template <class T>
Index CenterTiles<T>::among_entries(Index centers) {
  constexpr Index fewest = Index{1} << 24, slabs = 16;
  return std::min(centers * centers, std::max(fewest, centers * centers / slabs));
}

template <class T>
Index CenterTiles<T>::among_bytes(Index centers, int ranks) {
  return 2 * among_entries(centers) / ranks * static_cast<Index>(sizeof(T) + sizeof(double));
}

template <class T>
void CenterTiles<T>::fill_among_centers(BlockCyclicMatrix& matrix) const {
  MemoryLedger nothing;  // a step of an iteration evaluates more: a checkpoint need not hold this
  const Execution unkept{execution_.communicator, execution_.phases, nothing, execution_.threads, execution_.seed};
  const std::span<const Index> all = centers_->ids;
  // A slab begins with the first row of the grid, so that its rows are together on each rank.
  const Index m = size(), grid_rows = matrix.grid().rows(), unit = BlockCyclicMatrix::block * grid_rows;
  const Index step = std::max<Index>(1, among_entries(m) / std::max<Index>(1, m) / unit) * unit;
  for (Index begin = 0; begin < m; begin += step) {
    const BlockCyclicMatrix slab =
        to_block_cyclic(matrix.shared_grid(),
                        evaluate_submatrix(unkept, similarity_, objects_, all.subspan(begin, std::min(step, m - begin)),
                                           all, "similarities of centers", "centers"));
    for (Index j = 0; j < slab.local_columns(); ++j) {
      std::copy_n(slab.data() + j * slab.leading(), slab.local_rows(),
                  matrix.data() + j * matrix.leading() + begin / grid_rows);
    }
  }
}

// One pass with thin matrices: U = C V or given, then Cᵀ U.
template <class T>
class CenterTiles<T>::ThinProduct {
 public:
  ThinProduct(const CenterTiles& tiles, std::span<const Index> rows, Index columns)
      : tiles_(tiles), rows_(rows), columns_(columns) {}

  void multiply_by(MatrixView<const double> v) {
    if (few()) {
      few_right_ = transposed_numbers(v.data, v.rows, v.columns);
    } else {
      right_ = converted<T>(v);
    }
  }
  void take(MatrixView<const double> u) { given_ = u; }
  /// U, a row for each of the rows.
  std::vector<double> keep_rows() {
    run(true, {});
    return std::move(kept_);
  }
  /// Cᵀ U + K(centers, centers) V diag(ridges), summed over ranks.
  std::vector<double> sum(std::span<const double> ridges) {
    run(false, ridges);
    tiles_.execution_.communicator.sum(std::span(sums_));
    return std::move(sums_);
  }

 private:
  // What a thread holds.
  struct Own {
    Buffer<T> tile, rows, scratch;
    Buffer<double> few_rows;
    std::vector<double> sums;  // of few columns one after the other, else row-major
  };

  [[nodiscard]] bool few() const { return columns_ <= few_columns; }

  void run(bool keep, std::span<const double> ridges) {
    const Execution& execution = tiles_.execution_;
    auto phase = execution.phases.enter("tiles");
    const Index before = tiles_.similarity_.evaluations();
    collectively(execution.communicator, [&] {
      const std::vector<Piece> pieces = pieces_of(rows_, tiles_.rows_of_tile());
      if (keep) kept_.resize(rows_.size() * static_cast<std::size_t>(columns_));
      const auto count = static_cast<Index>(pieces.size());
      const Index center_pieces = ridges.empty() ? 0 : std::ssize(tiles_.own_centers_);
      std::vector<Own> threads(static_cast<std::size_t>(execution.threads));
      std::vector<Index> first_centers = {tiles_.first_center_};
      for (const auto& block : tiles_.own_centers_) first_centers.push_back(first_centers.back() + block->size());
      const BlasThreads serial(1);
      on_threads(execution.threads, count + center_pieces, [&](Index i) {
        Own& own = threads[omp_get_thread_num()];
        prepare(own, keep);
        if (i < count) {
          add_piece(pieces[i], own, keep);
        } else {
          add_centers(*tiles_.own_centers_[i - count], first_centers[i - count], ridges, own);
        }
      });
      if (keep) return;
      sums_.assign(static_cast<std::size_t>(tiles_.size() * columns_), 0.0);
      for (const Own& one : threads) add_to(sums_.data(), one.sums.data(), std::ssize(one.sums));
      if (few()) sums_ = transposed_numbers(sums_.data(), columns_, tiles_.size());
    });
    phase.count_evaluations(tiles_.similarity_.evaluations() - before);
  }

  void prepare(Own& own, bool keep) const {
    if (own.tile.size() > 0) return;
    const Index m = tiles_.size(), rows = tiles_.rows_of_tile();
    own.tile = Buffer<T>(rows * m);
    if (few()) {
      own.few_rows = Buffer<double>(rows * columns_);
    } else {
      own.rows = Buffer<T>(rows * columns_);
    }
    if (keep) return;
    if (!few() && !std::is_same_v<T, double>) own.scratch = Buffer<T>(m * columns_);
    own.sums.assign(static_cast<std::size_t>(m * columns_), 0.0);
  }

  void add_piece(const Piece& piece, Own& own, bool keep) {
    const auto rows = rows_.subspan(piece.begin, piece.end - piece.begin);
    const auto count = static_cast<Index>(rows.size());
    const Index m = tiles_.size();
    tiles_.evaluate(rows, own.tile.data(), 1);
    const MatrixView<const T> tile(own.tile.data(), count, m);
    const auto first = static_cast<Index>(piece.begin);
    if (few()) {
      const MatrixView<double> u(own.few_rows.data(), count, columns_);
      if (few_right_.empty()) copy_given(first, u);
      multiply_tile_rows(tile, {.count = columns_,
                                .v = few_right_.empty() ? nullptr : few_right_.data(),
                                .u = u.data,
                                .y = keep ? nullptr : own.sums.data()});
      if (keep) std::copy_n(u.data, count * columns_, kept_.data() + first * columns_);
      return;
    }
    const MatrixView<T> u(own.rows.data(), count, columns_);
    if (right_.empty()) {
      copy_given(first, u);
    } else {
      multiply(Operand<T>(tile), Operand<T>(right_.data(), m, columns_), u);
    }
    if (keep) {
      std::copy_n(u.data, count * columns_, kept_.data() + first * columns_);
      return;
    }
    accumulate(transposed(Operand<T>(tile)), Operand<T>(u), {own.sums.data(), m, columns_}, own.scratch);
  }

  template <class N>
  void copy_given(Index first, MatrixView<N> u) const {
    for (Index i = 0; i < u.rows; ++i) {
      for (Index c = 0; c < columns_; ++c) u(i, c) = static_cast<N>(given_(first + i, c));
    }
  }

  // Rows of K(centers, centers) V diag(ridges).
  void add_centers(const ObjectBlock& block, Index first, std::span<const double> ridges, Own& own) const {
    const Index m = tiles_.size();
    tiles_.similarity_.tile(block, *tiles_.centers_, {own.tile.data(), block.size(), m});
    const MatrixView<const T> tile(own.tile.data(), block.size(), m);
    if (few()) {
      multiply_tile_rows(tile, {.count = columns_, .v = few_right_.data(), .u = own.few_rows.data()});
      for (Index i = 0; i < block.size(); ++i) {
        for (Index c = 0; c < columns_; ++c) own.sums[c * m + first + i] += ridges[c] * own.few_rows[i * columns_ + c];
      }
      return;
    }
    const MatrixView<T> u(own.rows.data(), block.size(), columns_);
    multiply(Operand<T>(tile), Operand<T>(right_.data(), m, columns_), u);
    for (Index i = 0; i < block.size(); ++i) {
      double* const sums = own.sums.data() + (first + i) * columns_;
      for (Index c = 0; c < columns_; ++c) sums[c] += ridges[c] * static_cast<double>(u(i, c));
    }
  }

  const CenterTiles& tiles_;
  std::span<const Index> rows_;
  Index columns_;
  std::vector<T> right_;              // V
  std::vector<double> few_right_;     // V, if it has few columns: one after the other
  MatrixView<const double> given_{};  // U
  std::vector<double> kept_, sums_;
};

template <class T>
std::vector<double> CenterTiles<T>::times(std::span<const Index> rows, MatrixView<const double> v) const {
  ThinProduct product(*this, rows, v.columns);
  product.multiply_by(v);
  return product.keep_rows();
}

template <class T>
std::vector<double> CenterTiles<T>::transposed_times(std::span<const Index> rows, MatrixView<const double> u) const {
  ThinProduct product(*this, rows, u.columns);
  product.take(u);
  return product.sum({});
}

template <class T>
std::vector<double> CenterTiles<T>::normal_times(std::span<const Index> rows, MatrixView<const double> v,
                                                 std::span<const double> ridges) const {
  ThinProduct product(*this, rows, v.columns);
  product.multiply_by(v);
  return product.sum(ridges);
}

template <class T>
std::vector<double> CenterTiles<T>::diagonal_less(std::span<const Index> rows, MatrixView<const double> v) const {
  // What a thread holds.
  struct Own {
    Buffer<T> tile, diagonal;
    Buffer<double> wide, product;
  };
  auto phase = execution_.phases.enter("tiles");
  const Index before = similarity_.evaluations(), m = size();
  const Index most = std::min(rows_of_tile(), evaluated_rows);
  std::vector<double> values(rows.size());
  collectively(execution_.communicator, [&] {
    const std::vector<Piece> pieces = pieces_of(rows, most);
    std::vector<Own> threads(static_cast<std::size_t>(execution_.threads));
    const BlasThreads serial(1);
    on_threads(execution_.threads, std::ssize(pieces), [&](Index i) {
      Own& own = threads[omp_get_thread_num()];
      if (own.tile.size() == 0)
        own = {Buffer<T>(most * m), Buffer<T>(most), Buffer<double>(most * m), Buffer<double>(most * v.columns)};
      const auto its = rows.subspan(pieces[i].begin, pieces[i].end - pieces[i].begin);
      const Index count = std::ssize(its);
      const Range all{its.front(), its.back() + 1};
      evaluate(its, own.tile.data(), 1);
      const auto block = objects_.block(all);
      similarity_.pairs(*block, *block, own.diagonal.span().first(static_cast<std::size_t>(all.size())));
      std::copy_n(own.tile.data(), count * m, own.wide.data());
      multiply(Operand<double>(own.wide.data(), count, m), Operand<double>(v),
               MatrixView<double>(own.product.data(), count, v.columns));
      for (Index k = 0; k < count; ++k) {
        const double* const row = own.product.data() + k * v.columns;
        const double squares = std::inner_product(row, row + v.columns, row, 0.0);
        values[pieces[i].begin + static_cast<std::size_t>(k)] =
            static_cast<double>(own.diagonal[its[static_cast<std::size_t>(k)] - all.begin]) - squares;
      }
    });
  });
  phase.count_evaluations(similarity_.evaluations() - before);
  return values;
}

// The lower triangle of CᵀC in panels of columns from the diagonal down, and CᵀU, of one fold.
template <class T>
class CenterTiles<T>::GramSums {
 public:
  GramSums(Index m, Index columns) : m_(m), columns_(columns) {
    for (Index begin = 0; begin < m; begin += panel_columns) {
      const Index size = (m - begin) * std::min(panel_columns, m - begin);
      panels_.emplace_back(size);
      std::fill_n(panels_.back().data(), size, 0.0);
    }
    right_.assign(static_cast<std::size_t>(m * columns), 0.0);
  }

  /// Number of parts that different threads may add.
  [[nodiscard]] Index parts() const { return std::ssize(panels_) + 1; }

  template <class N>
  void add(Index part, const N* tile, const N* u, Index rows, Buffer<N>& scratch) {
    const auto of_columns = [&](Index begin, Index width) {
      return Operand<N>(MatrixView<const N>(tile + begin, rows, width, m_));
    };
    if (part == std::ssize(panels_)) {
      accumulate(transposed(of_columns(0, m_)), Operand<N>(u, rows, columns_), {right_.data(), m_, columns_}, scratch);
      return;
    }
    const Index begin = part * panel_columns, width = std::min(panel_columns, m_ - begin);
    accumulate(transposed(of_columns(begin, m_ - begin)), of_columns(begin, width),
               {panels_[part].data(), m_ - begin, width}, scratch);
  }

  /// Sums over ranks. Collective.
  FoldProducts finish(const std::shared_ptr<const ProcessGrid>& grid) {
    const Communicator& communicator = grid->communicator();
    communicator.sum(std::span(right_));
    BlockCyclicMatrix gram(grid, m_, m_);
    for (std::size_t p = 0; p < panels_.size(); ++p) {
      communicator.sum(panels_[p].span());
      take_panel(gram, static_cast<Index>(p) * panel_columns, panels_[p]);
      panels_[p] = {};
      Watchdog::beat();
    }
    return {std::move(gram), std::move(right_)};
  }

 private:
  // Own entries of the columns of a panel from its diagonal down, and of the rows that equal them.
  void take_panel(BlockCyclicMatrix& gram, Index begin, const Buffer<double>& panel) const {
    const Index width = std::min(panel_columns, m_ - begin), end = begin + width;
    for (Index j = 0; j < gram.local_columns(); ++j) {
      const Index column = gram.global_column(j);
      if (column < begin) continue;
      for (Index i = 0; i < gram.local_rows(); ++i) {
        const Index row = gram.global_row(i), low = std::max(row, column), high = std::min(row, column);
        if (high < begin || high >= end) continue;
        gram.local(i, j) = panel[(low - begin) * width + high - begin];
      }
    }
  }

  Index m_, columns_;
  std::vector<Buffer<double>> panels_;  // rows begin .. m, row-major
  std::vector<double> right_;
};

template <class T>
auto CenterTiles<T>::gram(const std::shared_ptr<const ProcessGrid>& grid, std::span<const Index> rows,
                          std::span<const char> folds, int fold_count, MatrixView<const double> u, bool wide) const
    -> Gram {
  auto phase = execution_.phases.enter("gram");
  const Index before = similarity_.evaluations(), m = size();
  const int threads = execution_.threads;
  std::vector<GramSums> sums;
  Index tiles = 0;
  collectively(execution_.communicator, [&] {
    const Index most = gram_rows(m);
    const std::vector<Piece> pieces = pieces_of(rows, most);
    tiles = std::ssize(pieces);
    for (int f = 0; f < fold_count; ++f) sums.emplace_back(m, u.columns);
    Buffer<T> tile(most * m), targets(most * u.columns);
    const bool converts = wide && !std::is_same_v<T, double>;
    Buffer<double> wide_tile(converts ? most * m : 0), wide_targets(converts ? most * u.columns : 0);
    std::vector<Buffer<T>> scratch(static_cast<std::size_t>(threads));  // of each thread
    if (!wide && !std::is_same_v<T, double>) {
      for (auto& one : scratch) one = Buffer<T>(m * std::max(panel_columns, u.columns));
    }
    const Index parts = fold_count * sums.front().parts();
    std::vector<std::size_t> order;
    Progress progress("gram", std::ssize(rows), execution_.communicator.is_root(), "rows/s a rank");
    for (const Piece& piece : pieces) {
      const auto own = rows.subspan(piece.begin, piece.end - piece.begin);
      const BlasThreads serial(1);
      evaluate(own, tile.data(), threads);
      order.resize(own.size());
      std::iota(order.begin(), order.end(), piece.begin);
      // The rows of fold 0 first; there are two folds at most.
      Index first = 0;
      for (Index last = std::ssize(order); first < last;) {
        if (folds[order[first]] == 0) {
          ++first;
          continue;
        }
        --last;
        std::swap(order[first], order[last]);
        std::swap_ranges(tile.data() + first * m, tile.data() + (first + 1) * m, tile.data() + last * m);
      }
      for (std::size_t k = 0; k < order.size(); ++k) {
        for (Index c = 0; c < u.columns; ++c) {
          targets[static_cast<Index>(k) * u.columns + c] = static_cast<T>(u(static_cast<Index>(order[k]), c));
          if (converts) wide_targets[static_cast<Index>(k) * u.columns + c] = u(static_cast<Index>(order[k]), c);
        }
      }
      const Range of_fold[2] = {{0, first}, {first, std::ssize(order)}};
      const auto add = [&]<class N>(const N* values, const N* sides, Index part, Buffer<N>& of_thread) {
        const Index fold = part % fold_count;
        const Range its = of_fold[fold];
        if (its.empty()) return;
        sums[fold].add(part / fold_count, values + its.begin * m, sides + its.begin * u.columns, its.size(), of_thread);
      };
      if (converts) {
        on_threads(threads, std::ssize(order), [&](Index i) {
          for (Index k = i * m; k < (i + 1) * m; ++k) wide_tile[k] = static_cast<double>(tile[k]);
        });
        on_threads(threads, parts, [&](Index part) {
          Buffer<double> none;
          add(wide_tile.data(), wide_targets.data(), part, none);
        });
      } else {
        on_threads(threads, parts,
                   [&](Index part) { add(tile.data(), targets.data(), part, scratch[omp_get_thread_num()]); });
      }
      progress.advance(std::ssize(own));
      Watchdog::beat();
    }
  });
  phase.count_evaluations(similarity_.evaluations() - before);
  Gram result;
  for (GramSums& one : sums) result.folds.push_back(one.finish(grid));
  result.tiles = execution_.communicator.sum(tiles);
  return result;
}

template <class T>
Index CenterTiles<T>::gram_rows(Index centers) {
  return std::max<Index>(64, rows_within<T>(gram_tile_bytes, centers));
}

template <class T>
Index CenterTiles<T>::product_bytes(Index centers, Index columns, int threads) {
  const Index rows = rows_within<T>(product_tile_bytes, centers);
  const Index of_thread = (rows * (centers + columns) + centers * columns) * static_cast<Index>(sizeof(T)) +
                          centers * columns * static_cast<Index>(sizeof(double));
  return threads * of_thread + 2 * centers * columns * static_cast<Index>(sizeof(double));
}

template <class T>
Index CenterTiles<T>::gram_bytes(Index centers, int fold_count, int ranks) {
  constexpr Index number = sizeof(double);
  const Index triangle = centers * (centers + panel_columns) / 2;
  return gram_rows(centers) * centers * (static_cast<Index>(sizeof(T)) + number) +
         fold_count * (triangle + centers * centers / ranks) * number;
}

template <class T>
Index CenterTiles<T>::diagonal_bytes(Index centers, Index columns, int threads) {
  constexpr Index number = sizeof(double);
  return threads * evaluated_rows * (centers * (static_cast<Index>(sizeof(T)) + number) + columns * number);
}

template <class T>
double CenterTiles<T>::product_roundoff(Index columns) {
  const double unit = columns <= few_columns ? std::numeric_limits<double>::epsilon()
                                             : static_cast<double>(std::numeric_limits<T>::epsilon());
  return unit / 2;
}

template class CenterTiles<float>;
template class CenterTiles<double>;

}  // namespace cairn
