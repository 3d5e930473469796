#include "cairn/approximation/sparse_products.hpp"

#include <algorithm>
#include <cmath>

#include "cairn/approximation/tree_rows.hpp"
#include "cairn/base/each_level.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/octet.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/linalg/dense/blas_threads.hpp"
#include "cairn/linalg/dense/row_product.hpp"

namespace cairn {

namespace {

constexpr Index product_bytes = Index{64} << 20;  // of W X on a rank
constexpr Index most_columns = 256;               // of W X
constexpr Index panel_columns = product_panel_columns;
constexpr Index dense_share = 8;                     // share of a dense P, as in products with tiles
constexpr Index least_dense_columns = 8;             // of the matrix that such a P is multiplied by
constexpr Index dense_bytes = Index{8} << 20;        // of rows of P that are expanded with their zeros
constexpr Index replicated_bytes = Index{32} << 20;  // of rows of P on every rank

// The factors of K~, after checks.
template <class T>
struct Parts {
  const SparseRows<T>& factor;
  const SymmetricTiles& tiles;
};

template <class T>
Parts<T> parts_of(const Approximation<T>& approximation) {
  const auto* tiles = std::get_if<TiledCore>(&approximation.core_matrix);
  if (tiles == nullptr || approximation.right || tiles->matrix.size() != approximation.left.columns()) {
    throw Error(ErrorKind::internal, "a sparse factor stands on both sides of a core matrix in tiles, of its size");
  }
  return {approximation.left.sparse(), tiles->matrix};
}

double transformed(Transform transform, double value) {
  return transform == Transform::sqrt ? std::sqrt(std::max(0.0, value)) : value;
}

// Columns [begin, begin + panel_columns) of a row-major matrix, row-major, padded with zeros.
Buffer<double> panel_of(MatrixView<const double> matrix, Index begin) {
  const Index count = std::min(panel_columns, matrix.columns - begin);
  Buffer<double> panel(matrix.rows * panel_columns);
  for (Index i = 0; i < matrix.rows; ++i) {
    double* row = panel.data() + i * panel_columns;
    std::fill(std::copy_n(matrix.row(i) + begin, count, row), row + panel_columns, 0.0);
  }
  return panel;
}

// A row of P times a panel, both ends aligned to 64 bytes; the sums stay in registers.
template <class T>
[[gnu::always_inline]] inline void multiply_row(SparseRow<T> row, const double* panel, double* out) {
  using Sums = Octet<double>;
  static_assert(panel_columns == 32);
  Sums sum0, sum1, sum2, sum3;
  for (std::size_t e = 0; e < row.columns.size(); ++e) {
    const auto value = static_cast<double>(row.values[e]);
    const double* const products = panel + row.columns[e] * panel_columns;
    sum0 += value * Sums::load(products);
    sum1 += value * Sums::load(products + 8);
    sum2 += value * Sums::load(products + 16);
    sum3 += value * Sums::load(products + 24);
  }
  sum0.store(out), sum1.store(out + 8), sum2.store(out + 16), sum3.store(out + 24);
}

// One overload per number type, because target_clones does not support templates.
CAIRN_EACH_LEVEL void multiply_row_by(SparseRow<double> row, const double* panel, double* sums) {
  multiply_row(row, panel, sums);
}
CAIRN_EACH_LEVEL void multiply_row_by(SparseRow<float> row, const double* panel, double* sums) {
  multiply_row(row, panel, sums);
}

// The same if at least an eighth of the entries are stored: rows are expanded with their zeros, and multiplied by BLAS.
template <class T>
void multiply_dense_rows(const SparseRows<T>& factor, MatrixView<const double> matrix, MatrixView<double> out,
                         int threads) {
  const BlasThreads of_blas(threads);
  const Index l = matrix.rows,
              at_once = std::clamp<Index>(dense_bytes / (l * static_cast<Index>(sizeof(double))), 1, out.rows);
  Buffer<double> rows(at_once * l);
  for (Index begin = 0; begin < out.rows; begin += at_once) {
    const Index count = std::min(at_once, out.rows - begin);
    std::fill_n(rows.data(), count * l, 0.0);
    for (Index i = 0; i < count; ++i) {
      const SparseRow<T> row = factor.row(factor.range().begin + begin + i);
      for (std::size_t e = 0; e < row.columns.size(); ++e) {
        rows[i * l + static_cast<Index>(row.columns[e])] = static_cast<double>(row.values[e]);
      }
    }
    multiply<double>({rows.data(), count, l}, matrix, {out.row(begin), count, out.columns, out.stride});
    Watchdog::beat();
  }
}

// out = g(own rows of P * matrix). Local.
template <class T>
void multiply_own_rows(const SparseRows<T>& factor, MatrixView<const double> matrix, MatrixView<double> out,
                       Transform transform, int threads) {
  if (out.rows > 0 && out.columns >= least_dense_columns &&
      factor.own_entries() * dense_share >= out.rows * matrix.rows) {
    multiply_dense_rows(factor, matrix, out, threads);
    for (Index i = 0; i < out.rows && transform != Transform::none; ++i) {
      for (Index c = 0; c < out.columns; ++c) out(i, c) = transformed(transform, out(i, c));
    }
    return;
  }
  for (Index begin = 0; begin < matrix.columns; begin += panel_columns) {
    const Index count = std::min(panel_columns, matrix.columns - begin);
    const Buffer<double> panel = panel_of(matrix, begin);
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1024)
    for (Index i = 0; i < out.rows; ++i) {
      alignas(64) double sums[panel_columns];
      multiply_row_by(factor.row(factor.range().begin + i), panel.data(), sums);
      for (Index c = 0; c < count; ++c) out(i, begin + c) = transformed(transform, sums[c]);
    }
    Watchdog::beat();
  }
}

std::vector<Index> distinct(std::vector<Index> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

// The distinct values of all ranks' lists, on every rank. Collective.
std::vector<Index> distinct_over_ranks(const Communicator& communicator, std::span<const Index> mine) {
  return distinct(communicator.all_gather(distinct({mine.begin(), mine.end()})));
}

struct Entry {
  Index source;  // row of P in W P_sourceᵀ
  Index row;     // row of P by which it is multiplied
};

// Routes entries to the owners of their rows of P, and values back.
class RoutedEntries {
 public:
  // Collective.
  RoutedEntries(const Communicator& communicator, const RowPartition& partition, std::span<const Index> sources,
                std::span<const Index> rows)
      : communicator_(communicator), places_(static_cast<std::size_t>(communicator.size())) {
    std::vector<std::vector<Entry>> send(places_.size());
    for (std::size_t e = 0; e < rows.size(); ++e) {
      const auto owner = static_cast<std::size_t>(partition.owner(rows[e]));
      send[owner].push_back({sources[e], rows[e]});
      places_[owner].push_back(e);
    }
    received_ = communicator.exchange(send);
    for (std::size_t r = 0; r < received_.size(); ++r) {
      values_.emplace_back(received_[r].size());
      for (std::size_t k = 0; k < received_[r].size(); ++k) order_.push_back({received_[r][k], &values_[r][k]});
    }
    std::stable_sort(order_.begin(), order_.end(), [](const Asked& a, const Asked& b) {
      return a.entry.source != b.entry.source ? a.entry.source < b.entry.source : a.entry.row < b.entry.row;
    });
  }

  struct Asked {
    Entry entry;
    double* value;
  };
  // Entries whose rows this rank owns, by source.
  [[nodiscard]] std::span<const Asked> asked() const { return order_; }

  // Returns the values to the ranks that requested them. Collective.
  [[nodiscard]] std::vector<double> answers() const {
    const auto returned = communicator_.exchange(values_);
    std::size_t count = 0;
    for (const auto& list : places_) count += list.size();
    std::vector<double> result(count);
    for (std::size_t r = 0; r < places_.size(); ++r) {
      for (std::size_t k = 0; k < places_[r].size(); ++k) result[places_[r][k]] = returned[r][k];
    }
    return result;
  }

 private:
  const Communicator& communicator_;
  std::vector<std::vector<std::size_t>> places_;
  std::vector<std::vector<Entry>> received_;
  std::vector<std::vector<double>> values_;
  std::vector<Asked> order_;
};

// Σ P_row,b (W P_sourceᵀ)_b, W P_sourceᵀ for all `sources` (sorted, the same on every rank). Collective.
template <class T>
std::vector<double> entries_by_source(const Execution& execution, const Parts<T>& parts,
                                      const std::vector<Index>& sources, std::span<const Index> from,
                                      std::span<const Index> rows) {
  const RoutedEntries routed(execution.communicator, parts.factor.partition(), from, rows);
  const auto asked = routed.asked();
  const auto batch = static_cast<std::size_t>(columns_a_batch(parts.tiles.size()));
  std::size_t next = 0;
  for (std::size_t begin = 0; begin < sources.size(); begin += batch) {
    const auto ids = std::span(sources).subspan(begin, std::min(batch, sources.size() - begin));
    const SparseVectors vectors = replicate_rows(execution.communicator, parts.factor, ids);
    const Buffer<double> products = multiply(execution.communicator, parts.tiles, vectors, execution.threads);
    const std::size_t first = next;
    while (next < asked.size() && asked[next].entry.source <= ids.back()) ++next;
    const auto count = static_cast<Index>(ids.size());
#pragma omp parallel for num_threads(execution.threads) schedule(static)
    for (std::size_t e = first; e < next; ++e) {
      const Entry entry = asked[e].entry;
      const auto column = std::lower_bound(ids.begin(), ids.end(), entry.source) - ids.begin();
      const SparseRow<T> row = parts.factor.row(entry.row);
      double sum = 0.0;
      for (std::size_t k = 0; k < row.columns.size(); ++k) {
        sum += static_cast<double>(row.values[k]) * products[row.columns[k] * count + column];
      }
      *asked[e].value = sum;
    }
    Watchdog::beat();
  }
  return routed.answers();
}

// P_i W P_jᵀ for scattered pairs: in each round every rank contributes a part of its list. Collective.
template <class T>
std::vector<double> entries_by_pair(const Execution& execution, const Parts<T>& parts, double entries_a_row,
                                    std::span<const Index> rows, std::span<const Index> columns) {
  const Communicator& communicator = execution.communicator;
  const double bytes_a_pair = 2.0 * (entries_a_row + 1.0) * static_cast<double>(sizeof(Index) + sizeof(double));
  const auto most = static_cast<std::size_t>(
      std::max(1.0, static_cast<double>(replicated_bytes) / bytes_a_pair / communicator.size()));
  const Index rounds = communicator.maximum(static_cast<Index>((rows.size() + most - 1) / most));
  std::vector<double> result;
  result.reserve(rows.size());
  for (Index round = 0; round < rounds; ++round) {
    const std::size_t begin = std::min(static_cast<std::size_t>(round) * most, rows.size());
    const std::size_t count = std::min(most, rows.size() - begin);
    const std::vector<Index> all_rows = communicator.all_gather(rows.subspan(begin, count));
    const std::vector<Index> all_columns = communicator.all_gather(columns.subspan(begin, count));
    const SparseVectors left = replicate_rows(communicator, parts.factor, all_rows);
    const SparseVectors right = replicate_rows(communicator, parts.factor, all_columns);
    const std::vector<double> forms = bilinear_forms(communicator, parts.tiles, left, right, execution.threads);
    const std::vector<Index> counts = communicator.all_gather_one(static_cast<Index>(count));
    std::ptrdiff_t mine = 0;
    for (int r = 0; r < communicator.rank(); ++r) mine += counts[r];
    result.insert(result.end(), forms.begin() + mine, forms.begin() + mine + static_cast<std::ptrdiff_t>(count));
    Watchdog::beat();
  }
  return result;
}

}  // namespace

Index columns_a_batch(Index l) {
  const Index fitting = product_bytes / (std::max<Index>(1, l) * static_cast<Index>(sizeof(double)));
  const Index panels = std::clamp<Index>(fitting, 1, most_columns) / panel_columns;
  return panels > 0 ? panels * panel_columns : std::max<Index>(1, fitting);
}

template <class T>
SparseVectors replicate_rows(const Communicator& communicator, const SparseRows<T>& matrix,
                             std::span<const Index> ids) {
  std::vector<Index> sizes, indices;
  std::vector<double> values;
  for (const Index id : ids) {
    if (!matrix.range().contains(id)) continue;
    const SparseRow<T> row = matrix.row(id);
    sizes.push_back(static_cast<Index>(row.columns.size()));
    indices.insert(indices.end(), row.columns.begin(), row.columns.end());
    values.insert(values.end(), row.values.begin(), row.values.end());
  }
  const std::vector<Index> row_counts = communicator.all_gather_one(static_cast<Index>(sizes.size()));
  const std::vector<Index> entry_counts = communicator.all_gather_one(static_cast<Index>(indices.size()));
  sizes = communicator.all_gather(sizes);
  indices = communicator.all_gather(indices);
  values = communicator.all_gather(values);

  // The next row and the next entry of every rank: ranks have packed their rows in the order of `ids`.
  std::vector<std::ptrdiff_t> row_at(row_counts.size(), 0), entry_at(row_counts.size(), 0);
  for (std::size_t r = 1; r < row_counts.size(); ++r) {
    row_at[r] = row_at[r - 1] + row_counts[r - 1];
    entry_at[r] = entry_at[r - 1] + entry_counts[r - 1];
  }
  SparseVectors rows;
  rows.indices.reserve(indices.size());
  rows.values.reserve(values.size());
  for (const Index id : ids) {
    const auto owner = static_cast<std::size_t>(matrix.partition().owner(id));
    const auto size = sizes[row_at[owner]++];
    const auto from = entry_at[owner];
    rows.indices.insert(rows.indices.end(), indices.begin() + from, indices.begin() + from + size);
    rows.values.insert(rows.values.end(), values.begin() + from, values.begin() + from + size);
    entry_at[owner] += size;
    rows.starts.push_back(static_cast<Index>(rows.indices.size()));
  }
  return rows;
}

template <class T>
std::vector<double> sparse_entries(const Execution& execution, const Approximation<T>& approximation,
                                   std::span<const Index> rows, std::span<const Index> columns) {
  const Communicator& communicator = execution.communicator;
  const Parts<T> parts = parts_of(approximation);
  const std::vector<Index> all_rows = distinct_over_ranks(communicator, rows);
  const std::vector<Index> all_columns = distinct_over_ranks(communicator, columns);
  const auto pairs = static_cast<double>(communicator.sum(static_cast<Index>(rows.size())));
  const auto entries = static_cast<double>(communicator.sum(parts.factor.own_entries()));
  const double entries_a_row = entries / static_cast<double>(std::max<Index>(1, parts.factor.rows()));
  // K~ is symmetric: either side may be multiplied by W.
  const bool by_rows = all_rows.size() <= all_columns.size();
  const std::vector<Index>& sources = by_rows ? all_rows : all_columns;
  const double product_work = static_cast<double>(sources.size()) * static_cast<double>(parts.tiles.size());
  std::vector<double> values =
      product_work <= pairs * entries_a_row
          ? entries_by_source(execution, parts, sources, by_rows ? rows : columns, by_rows ? columns : rows)
          : entries_by_pair(execution, parts, entries_a_row, rows, columns);
  for (double& value : values) value = transformed(approximation.transform, value);
  if (approximation.trees != nullptr) {
    for (std::size_t e = 0; e < values.size(); ++e) {
      values[e] -= 2.0 * approximation.trees->common_height(rows[e], columns[e]);
    }
  }
  return values;
}

template <class T>
Buffer<double> sparse_column_products(const Execution& execution, const Approximation<T>& approximation,
                                      std::span<const Index> columns) {
  const Parts<T> parts = parts_of(approximation);
  const SparseVectors vectors = replicate_rows(execution.communicator, parts.factor, columns);
  return multiply(execution.communicator, parts.tiles, vectors, execution.threads);
}

template <class T>
RowBlock<double> sparse_columns_of(const Execution& execution, const Approximation<T>& approximation,
                                   std::span<const Index> columns, MatrixView<const double> products) {
  const Parts<T> parts = parts_of(approximation);
  return collectively(execution.communicator, [&] {
    RowBlock<double> result(parts.factor.partition(), execution.communicator.rank(), products.columns);
    multiply_own_rows(parts.factor, products, result.local(), approximation.transform, execution.threads);
    if (approximation.trees != nullptr) {
      subtract_common_heights(*approximation.trees, result.range(), columns, result.local());
    }
    return result;
  });
}

template <class T>
RowBlock<double> sparse_columns(const Execution& execution, const Approximation<T>& approximation,
                                std::span<const Index> columns) {
  const Communicator& communicator = execution.communicator;
  const Parts<T> parts = parts_of(approximation);
  const auto count = static_cast<Index>(columns.size());
  auto result = collectively(communicator,
                             [&] { return RowBlock<double>(parts.factor.partition(), communicator.rank(), count); });
  const Index batch = columns_a_batch(parts.tiles.size());
  for (Index begin = 0; begin < count; begin += batch) {
    const Index width = std::min(batch, count - begin);
    const Buffer<double> products = sparse_column_products(execution, approximation, columns.subspan(begin, width));
    const MatrixView<double> out = result.local();
    collectively(communicator, [&] {
      multiply_own_rows(parts.factor, MatrixView<const double>(products.data(), parts.tiles.size(), width),
                        MatrixView<double>(out.data + begin, out.rows, width, out.stride), approximation.transform,
                        execution.threads);
    });
  }
  if (approximation.trees != nullptr) {
    subtract_common_heights(*approximation.trees, result.range(), columns, result.local());
  }
  return result;
}

#define CAIRN_SPARSE_PRODUCTS(T)                                                                                     \
  template SparseVectors replicate_rows(const Communicator&, const SparseRows<T>&, std::span<const Index>);          \
  template std::vector<double> sparse_entries(const Execution&, const Approximation<T>&, std::span<const Index>,     \
                                              std::span<const Index>);                                               \
  template Buffer<double> sparse_column_products(const Execution&, const Approximation<T>&, std::span<const Index>); \
  template RowBlock<double> sparse_columns_of(const Execution&, const Approximation<T>&, std::span<const Index>,     \
                                              MatrixView<const double>);                                             \
  template RowBlock<double> sparse_columns(const Execution&, const Approximation<T>&, std::span<const Index>)
CAIRN_SPARSE_PRODUCTS(float);
CAIRN_SPARSE_PRODUCTS(double);
#undef CAIRN_SPARSE_PRODUCTS

}  // namespace cairn
