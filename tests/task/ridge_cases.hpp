// Factors of every form whose products are known, targets, and ridge regressions on them by elimination.
#pragma once

#include <cmath>

#include "../approximation/method_run.hpp"
#include "cairn/task/regression/kernel_ridge.hpp"

namespace cairn::test::ridge {

inline constexpr Index n = 90, l = 23, q = 2;

enum class Kind { identity, signs, values, core_matrix, tiles };

inline double dense_entry(Index i, Index k) {
  return Random(1, Stream::test).normal(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(k));
}
// Landmarks are every third row, as in interpolation: P is 1 there; about a quarter of the others is kept.
inline double sparse_entry(Index i, Index k) {
  if (i % 3 == 0 && i / 3 < l) return i / 3 == k ? 1.0 : 0.0;
  return (i * 7 + k * 3) % 4 == 0 ? 0.3 * dense_entry(i, k) : 0.0;
}
inline double sign_of(Index k) { return k % 4 == 1 ? -1.0 : 1.0; }
inline double value_of(Index k) { return sign_of(k) * (0.1 + static_cast<double>(k % 5)); }
// Symmetric, indefinite; integers, so that every number type holds them.
inline double core_entry(Index a, Index b) {
  return static_cast<double>((std::max(a, b) * 13 + std::min(a, b) * 5) % 11) + (a == b ? 9.0 : 0.0);
}
inline double target(Index i, Index t) {
  return std::cos(0.13 * static_cast<double>(i * (t + 1))) + static_cast<double>(t);
}

inline double left_entry(Kind kind, Index i, Index k) {
  return kind == Kind::tiles ? sparse_entry(i, k) : dense_entry(i, k);
}
inline double middle_entry(Kind kind, Index a, Index b) {
  if (kind == Kind::core_matrix || kind == Kind::tiles) return core_entry(a, b);
  if (a != b) return 0.0;
  return kind == Kind::identity ? 1.0 : kind == Kind::signs ? sign_of(a) : value_of(a);
}

template <class T>
Factor<T> make_left(Kind kind, const Communicator& ranks) {
  const RowPartition partition(n, ranks.size());
  const Range own = partition.range(ranks.rank());
  RowBlock<T> rows(partition, ranks.rank(), l);
  std::vector<Index> starts = {0}, indices;
  std::vector<T> values;
  for (Index i = own.begin; i < own.end; ++i) {
    for (Index k = 0; k < l; ++k) {
      const auto value = static_cast<T>(left_entry(kind, i, k));
      rows.row(i)[k] = value;
      if (value == T{0}) continue;
      indices.push_back(k);
      values.push_back(value);
    }
    starts.push_back(static_cast<Index>(indices.size()));
  }
  if (kind != Kind::tiles) return rows;
  return SparseRows<T>(partition, ranks.rank(), l, std::move(starts), std::move(indices), std::move(values));
}

inline SymmetricTiles make_tiles(double scale, const Communicator& ranks) {
  SymmetricTiles tiles(l, 5, TileNumber::float64, ranks.size(), ranks.rank());
  for (Index tile = ranks.rank(); tile < tiles.tiles(); tile += ranks.size()) {
    const auto at = tiles.place(tile);
    const Dense values = dense(at.rows.size(), at.columns.size(), [&](Index i, Index j) {
      return scale * core_entry(at.rows.begin + i, at.columns.begin + j);
    });
    tiles.store(tile, {values.values.data(), values.rows, values.columns});
  }
  return tiles;
}

template <class T = double>
Approximation<T> make(Kind kind, double scale = 1.0, const Communicator& ranks = world()) {
  Approximation<T> approximation;
  approximation.left = make_left<T>(kind, ranks);
  if (kind == Kind::identity) approximation.core_matrix = IdentityCore{l};
  if (kind == Kind::tiles) approximation.core_matrix = TiledCore{make_tiles(scale, ranks)};
  if (kind == Kind::signs || kind == Kind::values) {
    DiagonalCore diagonal;
    for (Index k = 0; k < l; ++k) diagonal.values.push_back(middle_entry(kind, k, k));
    approximation.core_matrix = std::move(diagonal);
  }
  if (kind == Kind::core_matrix) {
    BlockCyclicMatrix matrix(std::make_shared<const ProcessGrid>(ranks), l, l);
    matrix.fill([](Index a, Index b) { return core_entry(a, b); });
    approximation.core_matrix = DenseCore{std::move(matrix)};
  }
  approximation.report.method = "sample";
  return approximation;
}

inline Dense kernel(Kind kind, double scale = 1.0) {
  const Dense left = dense(n, l, [&](Index i, Index k) { return left_entry(kind, i, k); });
  const Dense middle = dense(l, l, [&](Index a, Index b) { return scale * middle_entry(kind, a, b); });
  return test::product(test::product(left, middle), test::transposed(left));
}

inline std::vector<Index> every(Index step, Index first = 0) {
  std::vector<Index> rows;
  for (Index i = first; i < n; i += step) rows.push_back(i);
  return rows;
}

inline TrainingSet training_set(const std::vector<Index>& rows) {
  TrainingSet set;
  set.targets = q;
  const Range own = RowPartition(n, world().size()).range(world().rank());
  for (const Index i : rows) {
    if (!own.contains(i)) continue;
    set.rows.push_back(i);
    for (Index t = 0; t < q; ++t) set.values.push_back(target(i, t));
  }
  return set;
}

// K~(all, rows) (lambda I + K~(rows, rows))⁻¹ Y(rows), n x q.
inline Dense reference(const Dense& k, const std::vector<Index>& rows, double lambda) {
  const auto m = static_cast<Index>(rows.size());
  const auto at = [&](Index i) { return rows[i]; };
  const Dense system = dense(m, m, [&](Index i, Index j) { return k(at(i), at(j)) + (i == j ? lambda : 0.0); });
  const Dense y = dense(m, q, [&](Index i, Index t) { return target(at(i), t); });
  const Dense across = dense(n, m, [&](Index i, Index j) { return k(i, at(j)); });
  return test::product(across, test::product(test::inverse(system), y));
}

// Predictions at all rows, replicated.
template <class T>
Dense predicted(const Approximation<T>& approximation, const RidgeModel& model) {
  Context context;
  std::vector<Index> own;
  for (Index i = approximation.left.range().begin; i < approximation.left.range().end; ++i) own.push_back(i);
  auto mine = predict(context.execution, approximation.left, model.coefficients, model.targets, own);
  add_intercepts(mine, model.intercepts);
  return {n, q, world().all_gather(mine)};
}

template <class T = double>
RidgeModel train(const Approximation<T>& approximation, const std::vector<Index>& rows, RidgeOptions options) {
  Context context;
  RidgeTrainer trainer(context.execution, training_set(rows), std::move(options));
  return trainer.train(approximation);
}

}  // namespace cairn::test::ridge
