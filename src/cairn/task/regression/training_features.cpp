#include "cairn/task/regression/training_features.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"
#include "cairn/linalg/tall/tall_views.hpp"
#include "cairn/linalg/tiles/tile_redistribution.hpp"

namespace cairn {

namespace {

/// Size of a panel of an l x l matrix that is replicated on every rank.
constexpr Index panel_bytes = Index{64} << 20;
constexpr Index rows_a_beat = 4096;

Index panel_columns(Index rows) {
  return std::max<Index>(1, panel_bytes / (std::max<Index>(1, rows) * static_cast<Index>(sizeof(double))));
}

template <class Function>
void for_each_panel(Index columns, Function f) {
  const Index width = panel_columns(columns);
  for (Index begin = 0; begin < columns; begin += width) f(Range{begin, std::min(begin + width, columns)});
}

// Copies a matrix to another grid of the same ranks and shape: operations require matrices on the same grid.
BlockCyclicMatrix on_grid(std::shared_ptr<const ProcessGrid> grid, const BlockCyclicMatrix& matrix) {
  BlockCyclicMatrix result(std::move(grid), matrix.rows(), matrix.columns());
  collectively(result.grid().communicator(), [&] {
    if (result.local_rows() == matrix.local_rows() && result.local_columns() == matrix.local_columns()) return;
    throw Error(ErrorKind::internal, "the core matrix is not distributed like the matrices it is multiplied with");
  });
  std::copy_n(matrix.data(), matrix.local_rows() * matrix.local_columns(), result.data());
  return result;
}

// J = V diag(values) Vᵀ.   @throws Error(input) if it is not symmetric
SymmetricEigen decomposed(const BlockCyclicMatrix& core_matrix) {
  constexpr double rounding = 1e-8;
  const BlockCyclicMatrix mirrored = transpose(core_matrix);
  BlockCyclicMatrix mean(core_matrix.shared_grid(), core_matrix.rows(), core_matrix.columns());
  BlockCyclicMatrix difference(core_matrix.shared_grid(), core_matrix.rows(), core_matrix.columns());
  for (Index j = 0; j < mean.local_columns(); ++j) {
    for (Index i = 0; i < mean.local_rows(); ++i) {
      mean.local(i, j) = (core_matrix.local(i, j) + mirrored.local(i, j)) / 2.0;
      difference.local(i, j) = core_matrix.local(i, j) - mirrored.local(i, j);
    }
  }
  if (largest_magnitude(difference) > rounding * largest_magnitude(core_matrix)) {
    throw Error(ErrorKind::input,
                "the core matrix is not symmetric: kernel ridge regression needs a symmetric "
                "kernel; approximate with a symmetric method");
  }
  return eigen_symmetric(std::move(mean));
}

// Features of a dense L, stored in full in double precision.
class DenseFeatures final : public TrainingFeatures {
 public:
  template <class T>
  DenseFeatures(const Execution& execution, std::shared_ptr<const ProcessGrid> grid,
                const Approximation<T>& approximation, std::span<const Index> rows)
      : execution_(execution), grid_(std::move(grid)), rows_(static_cast<Index>(rows.size())) {
    take_core(approximation.core_matrix);
    const TallMatrix<T>& left = approximation.left.tall();
    Buffer<double> taken = collectively(execution.communicator, [&] {
      Buffer<double> values(rows_ * left.columns());
      for (Index i = 0; i < rows_; ++i) {
        double* out = values.data() + i * left.columns();
        left.copy_row(rows[i], out);
        for (Index k = 0; k < left.columns() && !scales_.empty(); ++k) out[k] *= scales_[k];
      }
      return values;
    });
    if (!map_) {
      values_ = std::move(taken);
      return;
    }
    values_ = collectively(execution.communicator, [&] { return Buffer<double>(rows_ * columns()); });
    multiply_tall(MatrixView<const double>(taken.data(), rows_, left.columns()), *map_,
                  MatrixView<double>(values_.data(), rows_, columns()), execution.threads);
  }

  [[nodiscard]] Index columns() const override { return static_cast<Index>(signs_.size()); }
  [[nodiscard]] BlockCyclicMatrix gram() const override {
    return cairn::gram(grid_, view(), view(), execution_.threads);
  }
  [[nodiscard]] BlockCyclicMatrix times(MatrixView<const double> targets) const override {
    return cairn::gram(grid_, view(), targets, execution_.threads);
  }

  [[nodiscard]] std::vector<std::vector<double>> diagonals(
      const BlockCyclicMatrix& a, const std::vector<std::vector<double>>& weights) const override {
    const Index rank = a.columns();
    Buffer<double> rotated = collectively(execution_.communicator, [&] { return Buffer<double>(rows_ * rank); });
    multiply_tall(view(), a, MatrixView<double>(rotated.data(), rows_, rank), execution_.threads);
    std::vector<std::vector<double>> result(weights.size(), std::vector<double>(static_cast<std::size_t>(rows_)));
    for (std::size_t w = 0; w < weights.size(); ++w) {
#pragma omp parallel for num_threads(execution_.threads) schedule(static)
      for (Index i = 0; i < rows_; ++i) {
        const double* row = rotated.data() + i * rank;
        double sum = 0.0;
        for (Index k = 0; k < rank; ++k) sum += row[k] * row[k] * weights[w][k];
        result[w][i] = sum;
      }
      Watchdog::beat();
    }
    return result;
  }

  void multiply(const BlockCyclicMatrix& x, MatrixView<double> out) const override {
    multiply_tall(view(), x, out, execution_.threads);
  }

  [[nodiscard]] BlockCyclicMatrix times_middle(const BlockCyclicMatrix& x) const override {
    return with_scaled_rows(x.copy(), signs_);
  }
  [[nodiscard]] bool middle_is_identity() const override {
    return std::all_of(signs_.begin(), signs_.end(), [](double sign) { return sign > 0.0; });
  }
  [[nodiscard]] BlockCyclicMatrix to_left(BlockCyclicMatrix x) const override {
    if (map_) return cairn::multiply(*map_, false, x, false);
    return scales_.empty() ? std::move(x) : with_scaled_rows(std::move(x), scales_);
  }

 private:
  [[nodiscard]] MatrixView<const double> view() const { return {values_.data(), rows_, columns()}; }

  static BlockCyclicMatrix with_scaled_rows(BlockCyclicMatrix x, const std::vector<double>& scales) {
    for (Index j = 0; j < x.local_columns(); ++j) {
      for (Index i = 0; i < x.local_rows(); ++i) {
        x.local(i, j) *= scales[x.global_row(i)];
      }
    }
    return x;
  }

  // Signs and square roots of magnitudes; the value 0 gives a column of zeros.
  static void split(const std::vector<double>& values, std::vector<double>& signs, std::vector<double>& roots) {
    for (const double value : values) {
      signs.push_back(value < 0.0 ? -1.0 : 1.0);
      roots.push_back(std::sqrt(std::abs(value)));
    }
  }

  void take_core(const CoreMatrix& core_matrix) {
    if (const auto* identity = std::get_if<IdentityCore>(&core_matrix)) {
      signs_.assign(identity->size, 1.0);
    } else if (const auto* diagonal = std::get_if<DiagonalCore>(&core_matrix)) {
      split(diagonal->values, signs_, scales_);
      if (std::all_of(scales_.begin(), scales_.end(), [](double scale) { return scale == 1.0; })) scales_.clear();
    } else if (const auto* dense = std::get_if<DenseCore>(&core_matrix)) {
      const SymmetricEigen eigen = decomposed(on_grid(grid_, dense->matrix));
      std::vector<double> roots;
      split(eigen.values, signs_, roots);
      std::vector<Index> all(signs_.size());
      for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<Index>(k);
      map_ = scale_columns(eigen.vectors, all, roots);
    } else {
      throw Error(ErrorKind::internal, "a dense factor stands beside a core matrix in tiles");
    }
  }

  const Execution& execution_;
  std::shared_ptr<const ProcessGrid> grid_;
  Index rows_;
  std::vector<double> signs_;             // B
  std::vector<double> scales_;            // M if it is diagonal and not the identity
  std::optional<BlockCyclicMatrix> map_;  // M if J is dense
  Buffer<double> values_;                 // F
};

// Features of a sparse L: its own rows.
template <class T>
class SparseFeatures final : public TrainingFeatures {
 public:
  SparseFeatures(const Execution& execution, std::shared_ptr<const ProcessGrid> grid,
                 const Approximation<T>& approximation, std::span<const Index> rows)
      : execution_(execution),
        grid_(std::move(grid)),
        left_(approximation.left.sparse()),
        rows_(rows.begin(), rows.end()),
        core_matrix_(core_of(grid_, approximation)) {}

  [[nodiscard]] Index columns() const override { return left_.columns(); }

  // Each rank adds up the contributions of its rows to a panel of columns; threads divide the columns of a panel.
  [[nodiscard]] BlockCyclicMatrix gram() const override {
    BlockCyclicMatrix result(grid_, columns(), columns());
    for_each_panel(columns(), [&](Range panel) {
      Buffer<double> sums = zeros(panel.size() * columns());
      const int threads = execution_.threads;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
      for (int t = 0; t < threads; ++t) {
        const Index width = (panel.size() + threads - 1) / threads;
        const Range part{std::min(panel.begin + t * width, panel.end),
                         std::min(panel.begin + (t + 1) * width, panel.end)};
        for (const Index i : rows_) add_row(left_.row(i), part, sums.data() + (part.begin - panel.begin) * columns());
      }
      execution_.communicator.sum(sums.span());
      set_columns(result, panel, sums);
      Watchdog::beat();
    });
    return result;
  }

  [[nodiscard]] BlockCyclicMatrix times(MatrixView<const double> targets) const override {
    BlockCyclicMatrix result(grid_, columns(), targets.columns);
    Buffer<double> sums = zeros(columns() * targets.columns);
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const SparseRow<T> row = left_.row(rows_[r]);
      const double* values = targets.row(static_cast<Index>(r));
      for (std::size_t e = 0; e < row.columns.size(); ++e) {
        for (Index t = 0; t < targets.columns; ++t) {
          sums[t * columns() + row.columns[e]] += static_cast<double>(row.values[e]) * values[t];
        }
      }
    }
    execution_.communicator.sum(sums.span());
    set_columns(result, {0, targets.columns}, sums);
    return result;
  }

  // Computes the entries of A diag(w) Aᵀ; a row uses only those at its nonzeros.
  [[nodiscard]] std::vector<std::vector<double>> diagonals(
      const BlockCyclicMatrix& a, const std::vector<std::vector<double>>& weights) const override {
    std::vector<Index> all(a.columns());
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<Index>(k);
    std::vector<std::vector<double>> result;
    for (const std::vector<double>& w : weights) {
      const BlockCyclicMatrix product = cairn::multiply(scale_columns(a, all, w), false, a, true);
      std::vector<double>& sums = result.emplace_back(rows_.size(), 0.0);
      for_each_panel(columns(), [&](Range panel) {
        const Buffer<double> replicated = replicate_columns(product, panel);
        add_forms({replicated.data(), columns(), panel.size()}, panel, sums);
      });
    }
    return result;
  }

  void multiply(const BlockCyclicMatrix& x, MatrixView<double> out) const override {
    const Buffer<double> whole = replicate_columns(x, {0, x.columns()});
#pragma omp parallel for num_threads(execution_.threads) schedule(static)
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      double* const to = out.row(static_cast<Index>(r));
      std::fill_n(to, out.columns, 0.0);
      const SparseRow<T> row = left_.row(rows_[r]);
      for (std::size_t e = 0; e < row.columns.size(); ++e) {
        const double* const from = whole.data() + row.columns[e] * out.columns;
        for (Index c = 0; c < out.columns; ++c) to[c] += static_cast<double>(row.values[e]) * from[c];
      }
    }
    Watchdog::beat();
  }

  [[nodiscard]] BlockCyclicMatrix times_middle(const BlockCyclicMatrix& x) const override {
    return cairn::multiply(core_matrix_, false, x, false);
  }
  [[nodiscard]] bool middle_is_identity() const override { return false; }
  [[nodiscard]] BlockCyclicMatrix to_left(BlockCyclicMatrix x) const override { return x; }

 private:
  static BlockCyclicMatrix core_of(const std::shared_ptr<const ProcessGrid>& grid,
                                   const Approximation<T>& approximation) {
    const auto* tiles = std::get_if<TiledCore>(&approximation.core_matrix);
    if (tiles == nullptr || tiles->matrix.size() != approximation.left.columns()) {
      throw Error(ErrorKind::internal, "a sparse factor stands beside a core matrix in tiles, of its size");
    }
    return to_block_cyclic(grid, tiles->matrix);
  }

  [[nodiscard]] Buffer<double> zeros(Index size) const {
    auto values = collectively(execution_.communicator, [&] { return Buffer<double>(size); });
    std::fill_n(values.data(), size, 0.0);
    return values;
  }

  // Sets columns `panel` of a matrix, stored one after the other in `values` on every rank.
  static void set_columns(BlockCyclicMatrix& matrix, Range panel, const Buffer<double>& values) {
    for (Index j = 0; j < matrix.local_columns(); ++j) {
      const Index column = matrix.global_column(j);
      if (!panel.contains(column)) continue;
      const double* from = values.data() + (column - panel.begin) * matrix.rows();
      for (Index i = 0; i < matrix.local_rows(); ++i) matrix.local(i, j) = from[matrix.global_row(i)];
    }
  }

  // The entries of a row whose columns are in `part`.
  static Range entries_in(SparseRow<T> row, Range part) {
    const auto begin = std::lower_bound(row.columns.begin(), row.columns.end(), part.begin);
    const auto end = std::lower_bound(begin, row.columns.end(), part.end);
    return {begin - row.columns.begin(), end - row.columns.begin()};
  }

  // sums(column of part, any column) += value * value.
  void add_row(SparseRow<T> row, Range part, double* sums) const {
    const Range own = entries_in(row, part);
    for (Index e = own.begin; e < own.end; ++e) {
      const auto value = static_cast<double>(row.values[e]);
      double* out = sums + (row.columns[e] - part.begin) * columns();
      for (std::size_t f = 0; f < row.columns.size(); ++f) {
        out[row.columns[f]] += value * static_cast<double>(row.values[f]);
      }
    }
  }

  // sums[r] += P_r X P_r,panelᵀ for the columns `panel` of a matrix, l x panel row-major.
  void add_forms(MatrixView<const double> x, Range panel, std::vector<double>& sums) const {
    const auto count = static_cast<Index>(rows_.size());
    for (Index begin = 0; begin < count; begin += rows_a_beat) {
#pragma omp parallel for num_threads(execution_.threads) schedule(dynamic, 64)
      for (Index r = begin; r < std::min(begin + rows_a_beat, count); ++r) {
        const SparseRow<T> row = left_.row(rows_[r]);
        const Range own = entries_in(row, panel);
        double sum = 0.0;
        for (std::size_t f = 0; f < row.columns.size(); ++f) {
          const double* from = x.row(row.columns[f]);
          double product = 0.0;
          for (Index e = own.begin; e < own.end; ++e) {
            const auto at = static_cast<std::size_t>(e);
            product += static_cast<double>(row.values[at]) * from[row.columns[at] - panel.begin];
          }
          sum += static_cast<double>(row.values[f]) * product;
        }
        sums[r] += sum;
      }
      Watchdog::beat();
    }
  }

  const Execution& execution_;
  std::shared_ptr<const ProcessGrid> grid_;
  const SparseRows<T>& left_;
  std::vector<Index> rows_;
  BlockCyclicMatrix core_matrix_;
};

}  // namespace

template <class T>
std::unique_ptr<TrainingFeatures> make_training_features(const Execution& execution,
                                                         std::shared_ptr<const ProcessGrid> grid,
                                                         const Approximation<T>& approximation,
                                                         std::span<const Index> rows) {
  if (approximation.left.is_sparse()) {
    return std::make_unique<SparseFeatures<T>>(execution, std::move(grid), approximation, rows);
  }
  return std::make_unique<DenseFeatures>(execution, std::move(grid), approximation, rows);
}

template std::unique_ptr<TrainingFeatures> make_training_features(const Execution&, std::shared_ptr<const ProcessGrid>,
                                                                  const Approximation<float>&, std::span<const Index>);
template std::unique_ptr<TrainingFeatures> make_training_features(const Execution&, std::shared_ptr<const ProcessGrid>,
                                                                  const Approximation<double>&, std::span<const Index>);

}  // namespace cairn
