#include "cairn/task/regression/centers/center_tiles.hpp"

#include <omp.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>

#include "cairn/base/buffer.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/base/progress.hpp"
#include "cairn/base/schedule/on_threads.hpp"
#include "cairn/linalg/dense/blas_threads.hpp"
#include "cairn/linalg/dense/row_product.hpp"
#include "cairn/linalg/tiles/tile_times_vectors.hpp"
#include "cairn/similarity/columns.hpp"

namespace cairn {

namespace {

constexpr Index most_tile_rows = 1024;
constexpr Index product_tile_bytes = Index{2} << 20;  // both products of a tile find it in a cache
constexpr Index fewest_product_rows = 24;  // fewer are multiplied in less time than columns are brought for them
constexpr Index gram_tile_bytes = Index{16} << 20;  // a tile with enough rows for GEMM's full rate
constexpr Index evaluated_rows = 64;                // of a tile of gram(), by one thread
constexpr Index part_centers = 2048;                // columns of a tile that are multiplied at once: V and Y stay in L1
constexpr Index panel_columns = 128;
/// Rows that are no training rows between two of a tile: more are not worth their evaluation.
constexpr Index most_gap = 32;

template <class T>
Index rows_within(Index bytes, Index centers) {
  const Index row_bytes = std::max<Index>(1, centers) * static_cast<Index>(sizeof(T));
  return std::clamp(bytes / row_bytes, fewest_product_rows, most_tile_rows);
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

/// Up to so many columns multiply_tile(), whose sums are in double precision, takes less time than GEMM.
constexpr Index few_columns = 8;

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
    : execution_(execution), similarity_(similarity), objects_(objects), numbers_(centers->ids) {
  parts_.push_back({{0, size()}, std::move(centers)});
}

template <class T>
CenterTiles<T>::CenterTiles(const Execution& execution, const Similarity<T>& similarity, const ObjectSet& objects,
                            std::vector<Index> centers)
    : execution_(execution), similarity_(similarity), objects_(objects), numbers_(std::move(centers)) {
  const Communicator& communicator = execution.communicator;
  const Index m = size(), ranks = communicator.size(), most = rows_of_tile();
  const auto gathered = [&](Range part) {
    return objects.gather(communicator, std::span<const Index>(numbers_).subspan(part.begin, part.size()));
  };
  for (Index begin = 0; begin < m; begin += part_centers) {
    const Range part{begin, std::min(m, begin + part_centers)};
    parts_.push_back({part, gathered(part)});
  }
  const Index share = (m + ranks - 1) / ranks;
  first_center_ = std::min(m, share * communicator.rank());
  const Index end = std::min(m, first_center_ + share);
  for (Index begin = 0; begin < share; begin += most) {  // the same number of steps on every rank
    const Range own{std::min(end, first_center_ + begin), std::min(end, first_center_ + begin + most)};
    auto block = gathered(own);
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

template <class T>
void CenterTiles<T>::evaluate_part(const ObjectBlock& rows, const Part& part, T* tile) const {
  similarity_.tile(rows, *part.centers, {tile + part.columns.begin, rows.size(), part.columns.size(), size()});
}

// Moves some columns of the rows of a piece to its first rows, over those between them that are not in the list.
template <class T>
void CenterTiles<T>::close_gaps(std::span<const Index> rows, Range columns, T* tile) const {
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const Index from = rows[k] - rows.front(), to = static_cast<Index>(k);
    if (from == to) continue;
    std::copy_n(tile + from * size() + columns.begin, columns.size(), tile + to * size() + columns.begin);
  }
}

// The rows of a piece (one tile).
template <class T>
void CenterTiles<T>::evaluate(std::span<const Index> rows, T* tile, int threads) const {
  const Range all{rows.front(), rows.back() + 1};
  const Index step = std::min(rows_of_tile(), evaluated_rows);
  on_threads(threads, (all.size() + step - 1) / step, [&](Index i) {
    const Range own{all.begin + i * step, std::min(all.end, all.begin + (i + 1) * step)};
    const auto block = objects_.block(own);
    for (const Part& part : parts_) evaluate_part(*block, part, tile + (own.begin - all.begin) * size());
  });
  close_gaps(rows, {0, size()}, tile);
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
  const std::span<const Index> all = numbers_;
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
    const auto first = static_cast<Index>(piece.begin);
    if (few()) {
      add_few(rows, first, own, keep);
      return;
    }
    tiles_.evaluate(rows, own.tile.data(), 1);
    const MatrixView<const T> tile(own.tile.data(), count, m);
    const MatrixView<T> u(own.rows.data(), count, columns_);
    if (right_.empty()) {
      for (Index i = 0; i < count; ++i) {
        for (Index c = 0; c < columns_; ++c) u(i, c) = static_cast<T>(given_(first + i, c));
      }
    } else {
      multiply(Operand<T>(tile), Operand<T>(right_.data(), m, columns_), u);
    }
    if (keep) {
      std::copy_n(u.data, count * columns_, kept_.data() + first * columns_);
      return;
    }
    accumulate(transposed(Operand<T>(tile)), Operand<T>(u), {own.sums.data(), m, columns_}, own.scratch);
  }

  // Each part of the columns is multiplied by V while it is in the cache, and by U once all parts have been.
  void add_few(std::span<const Index> rows, Index first, Own& own, bool keep) {
    const auto count = static_cast<Index>(rows.size());
    const MatrixView<double> u(own.few_rows.data(), columns_, count);  // a row for each column of U
    const bool given = few_right_.empty();
    if (given) {
      for (Index i = 0; i < count; ++i) {
        for (Index c = 0; c < columns_; ++c) u(c, i) = given_(first + i, c);
      }
    } else {
      std::fill_n(u.data, count * columns_, 0.0);
    }
    const auto block = tiles_.objects_.block({rows.front(), rows.back() + 1});
    for (const Part& part : tiles_.parts_) {
      tiles_.evaluate_part(*block, part, own.tile.data());
      tiles_.close_gaps(rows, part.columns, own.tile.data());
      given ? add_transposed(part, u, own) : add_product(part, u, own);
    }
    if (keep) {
      for (Index i = 0; i < count; ++i) {
        for (Index c = 0; c < columns_; ++c) kept_[(first + i) * columns_ + c] = u(c, i);
      }
    } else if (!given) {
      for (const Part& part : tiles_.parts_) add_transposed(part, u, own);
    }
  }

  [[nodiscard]] MatrixView<const T> columns_of(const Part& part, const Own& own, Index rows) const {
    return {own.tile.data() + part.columns.begin, rows, part.columns.size(), tiles_.size()};
  }
  // The columns of a part of vectors one after the other.
  template <class N>
  [[nodiscard]] MatrixView<N> of_part(N* vectors, const Part& part) const {
    return {vectors + part.columns.begin, columns_, part.columns.size(), tiles_.size()};
  }
  // U += C V for the columns of a part.
  void add_product(const Part& part, MatrixView<double> u, const Own& own) const {
    multiply_tile(columns_of(part, own, u.columns), {.x_of_columns = of_part(few_right_.data(), part), .y_of_rows = u});
  }
  // The sums of a thread += Cᵀ U.
  void add_transposed(const Part& part, MatrixView<double> u, Own& own) const {
    multiply_tile(columns_of(part, own, u.columns),
                  {.x_of_rows = {u.data, u.rows, u.columns, u.stride}, .y_of_columns = of_part(own.sums.data(), part)});
  }

  // Rows of K(centers, centers) V diag(ridges).
  void add_centers(const ObjectBlock& block, Index first, std::span<const double> ridges, Own& own) const {
    const Index m = tiles_.size();
    if (few()) {
      const MatrixView<double> u(own.few_rows.data(), columns_, block.size());
      std::fill_n(u.data, block.size() * columns_, 0.0);
      for (const Part& part : tiles_.parts_) {
        tiles_.evaluate_part(block, part, own.tile.data());
        add_product(part, u, own);
      }
      for (Index c = 0; c < columns_; ++c) {
        for (Index i = 0; i < block.size(); ++i) own.sums[c * m + first + i] += ridges[c] * u(c, i);
      }
      return;
    }
    for (const Part& part : tiles_.parts_) tiles_.evaluate_part(block, part, own.tile.data());
    const MatrixView<const T> tile(own.tile.data(), block.size(), m);
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
