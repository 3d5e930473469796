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

/// A panel of an l x l matrix that every rank holds.
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

// A copy on another grid of the same ranks, which is of the same shape: matrices meet on one grid alone.
BlockCyclicMatrix on_grid(std::shared_ptr<const ProcessGrid> grid, const BlockCyclicMatrix& matrix) {
  BlockCyclicMatrix result(std::move(grid), matrix.rows(), matrix.columns());
  collectively(result.grid().communicator(), [&] {
    if (result.local_rows() == matrix.local_rows() && result.local_columns() == matrix.local_columns()) return;
    throw Error(ErrorKind::internal, "a joining matrix is dealt to other ranks than those that compute with it");
  });
  std::copy_n(matrix.data(), matrix.local_rows() * matrix.local_columns(), result.data());
  return result;
}

// J = V diag(values) Vᵀ.   @throws Error(input) if it is not symmetric
SymmetricEigen decomposed(const BlockCyclicMatrix& joining) {
  constexpr double rounding = 1e-8;
  const BlockCyclicMatrix mirrored = transpose(joining);
  BlockCyclicMatrix mean(joining.shared_grid(), joining.rows(), joining.columns());
  BlockCyclicMatrix difference(joining.shared_grid(), joining.rows(), joining.columns());
  for (Index j = 0; j < mean.local_columns(); ++j) {
    for (Index i = 0; i < mean.local_rows(); ++i) {
      mean.local(i, j) = (joining.local(i, j) + mirrored.local(i, j)) / 2.0;
      difference.local(i, j) = joining.local(i, j) - mirrored.local(i, j);
    }
  }
  if (largest_magnitude(difference) > rounding * largest_magnitude(joining)) {
    throw Error(ErrorKind::input,
                "the joining matrix is not symmetric: kernel ridge regression needs a symmetric "
                "kernel; approximate with a symmetric method");
  }
  return eigen_symmetric(std::move(mean));
}

// Features of a dense L, held whole in double precision.
class DenseFeatures final : public TrainingFeatures {
 public:
  template <class T>
  DenseFeatures(const Execution& execution, std::shared_ptr<const ProcessGrid> grid,
                const Approximation<T>& approximation, std::span<const Index> rows)
      : execution_(execution), grid_(std::move(grid)), rows_(static_cast<Index>(rows.size())) {
    take_joining(approximation.joining);
    const RowBlock<T>& left = approximation.left.dense();
    Buffer<double> taken = collectively(execution.communicator, [&] {
      Buffer<double> values(rows_ * left.columns());
      for (Index i = 0; i < rows_; ++i) {
        const std::span<const T> row = left.row(rows[static_cast<std::size_t>(i)]);
        double* out = values.data() + i * left.columns();
        for (Index k = 0; k < left.columns(); ++k) {
          const double scale = scales_.empty() ? 1.0 : scales_[static_cast<std::size_t>(k)];
          out[k] = scale * static_cast<double>(row[static_cast<std::size_t>(k)]);
        }
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
        for (Index k = 0; k < rank; ++k) sum += row[k] * row[k] * weights[w][static_cast<std::size_t>(k)];
        result[w][static_cast<std::size_t>(i)] = sum;
      }
      Watchdog::beat();
    }
    return result;
  }

  [[nodiscard]] BlockCyclicMatrix times_middle(const BlockCyclicMatrix& x) const override {
    return with_scaled_rows(x.copy(), signs_);
  }
  [[nodiscard]] bool middle_is_identity() const override {
    return std::all_of(signs_.begin(), signs_.end(), [](double sign) { return sign > 0.0; });
  }
  [[nodiscard]] BlockCyclicMatrix to_left(BlockCyclicMatrix x) const override {
    if (map_) return multiply(*map_, false, x, false);
    return scales_.empty() ? std::move(x) : with_scaled_rows(std::move(x), scales_);
  }

 private:
  [[nodiscard]] MatrixView<const double> view() const { return {values_.data(), rows_, columns()}; }

  static BlockCyclicMatrix with_scaled_rows(BlockCyclicMatrix x, const std::vector<double>& scales) {
    for (Index j = 0; j < x.local_columns(); ++j) {
      for (Index i = 0; i < x.local_rows(); ++i) {
        x.local(i, j) *= scales[static_cast<std::size_t>(x.global_row(i))];
      }
    }
    return x;
  }

  // Signs and square roots of magnitudes; those of value 0 keep a column of zeros.
  static void split(const std::vector<double>& values, std::vector<double>& signs, std::vector<double>& roots) {
    for (const double value : values) {
      signs.push_back(value < 0.0 ? -1.0 : 1.0);
      roots.push_back(std::sqrt(std::abs(value)));
    }
  }

  void take_joining(const Joining& joining) {
    if (const auto* identity = std::get_if<IdentityJoining>(&joining)) {
      signs_.assign(static_cast<std::size_t>(identity->size), 1.0);
    } else if (const auto* diagonal = std::get_if<DiagonalJoining>(&joining)) {
      split(diagonal->values, signs_, scales_);
      if (std::all_of(scales_.begin(), scales_.end(), [](double scale) { return scale == 1.0; })) scales_.clear();
    } else if (const auto* dense = std::get_if<DenseJoining>(&joining)) {
      const SymmetricEigen eigen = decomposed(on_grid(grid_, dense->matrix));
      std::vector<double> roots;
      split(eigen.values, signs_, roots);
      std::vector<Index> all(signs_.size());
      for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<Index>(k);
      map_ = scale_columns(eigen.vectors, all, roots);
    } else {
      throw Error(ErrorKind::internal, "a dense factor stands beside a joining matrix in tiles");
    }
  }

  const Execution& execution_;
  std::shared_ptr<const ProcessGrid> grid_;
  Index rows_;
  std::vector<double> signs_;             // B
  std::vector<double> scales_;            // M where it is diagonal and not the identity
  std::optional<BlockCyclicMatrix> map_;  // M where J is dense
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
        joining_(joining_of(grid_, approximation)) {}

  [[nodiscard]] Index columns() const override { return left_.columns(); }

  // Each rank adds up its rows' share of a panel of columns; threads share out the columns of a panel.
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

  // Entry by entry of A diag(w) Aᵀ, of which a row needs those that its nonzeros meet.
  [[nodiscard]] std::vector<std::vector<double>> diagonals(
      const BlockCyclicMatrix& a, const std::vector<std::vector<double>>& weights) const override {
    std::vector<Index> all(static_cast<std::size_t>(a.columns()));
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<Index>(k);
    std::vector<std::vector<double>> result;
    for (const std::vector<double>& w : weights) {
      const BlockCyclicMatrix product = multiply(scale_columns(a, all, w), false, a, true);
      std::vector<double>& sums = result.emplace_back(rows_.size(), 0.0);
      for_each_panel(columns(), [&](Range panel) {
        const Buffer<double> replicated = replicate_columns(product, panel);
        add_forms({replicated.data(), columns(), panel.size()}, panel, sums);
      });
    }
    return result;
  }

  [[nodiscard]] BlockCyclicMatrix times_middle(const BlockCyclicMatrix& x) const override {
    return multiply(joining_, false, x, false);
  }
  [[nodiscard]] bool middle_is_identity() const override { return false; }
  [[nodiscard]] BlockCyclicMatrix to_left(BlockCyclicMatrix x) const override { return x; }

 private:
  static BlockCyclicMatrix joining_of(const std::shared_ptr<const ProcessGrid>& grid,
                                      const Approximation<T>& approximation) {
    const auto* tiles = std::get_if<TilesJoining>(&approximation.joining);
    if (tiles == nullptr || tiles->matrix.size() != approximation.left.columns()) {
      throw Error(ErrorKind::internal, "a sparse factor stands beside a joining matrix in tiles, of its size");
    }
    return to_block_cyclic(grid, tiles->matrix);
  }

  [[nodiscard]] Buffer<double> zeros(Index size) const {
    auto values = collectively(execution_.communicator, [&] { return Buffer<double>(size); });
    std::fill_n(values.data(), size, 0.0);
    return values;
  }

  // Columns `panel` of a matrix, one after the other in `values` on every rank.
  static void set_columns(BlockCyclicMatrix& matrix, Range panel, const Buffer<double>& values) {
    for (Index j = 0; j < matrix.local_columns(); ++j) {
      const Index column = matrix.global_column(j);
      if (!panel.contains(column)) continue;
      const double* from = values.data() + (column - panel.begin) * matrix.rows();
      for (Index i = 0; i < matrix.local_rows(); ++i) matrix.local(i, j) = from[matrix.global_row(i)];
    }
  }

  // The entries of a row whose columns fall into `part`.
  static Range entries_in(SparseRow<T> row, Range part) {
    const auto begin = std::lower_bound(row.columns.begin(), row.columns.end(), part.begin);
    const auto end = std::lower_bound(begin, row.columns.end(), part.end);
    return {begin - row.columns.begin(), end - row.columns.begin()};
  }

  // sums(column of part, any column) += value * value.
  void add_row(SparseRow<T> row, Range part, double* sums) const {
    const Range own = entries_in(row, part);
    for (Index e = own.begin; e < own.end; ++e) {
      const auto value = static_cast<double>(row.values[static_cast<std::size_t>(e)]);
      double* out = sums + (row.columns[static_cast<std::size_t>(e)] - part.begin) * columns();
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
        const SparseRow<T> row = left_.row(rows_[static_cast<std::size_t>(r)]);
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
        sums[static_cast<std::size_t>(r)] += sum;
      }
      Watchdog::beat();
    }
  }

  const Execution& execution_;
  std::shared_ptr<const ProcessGrid> grid_;
  const SparseRows<T>& left_;
  std::vector<Index> rows_;
  BlockCyclicMatrix joining_;
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
