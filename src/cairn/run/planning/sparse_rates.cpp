#include "cairn/run/planning/sparse_rates.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "cairn/approximation/approximation.hpp"
#include "cairn/approximation/biharmonic/interpolation_rows.hpp"
#include "cairn/approximation/sparse_products.hpp"
#include "cairn/run/planning/measured_seconds.hpp"

namespace cairn {

namespace {

constexpr Index most_entries = 4'000'000;
constexpr Index most_columns = 4096;
constexpr Index compared_columns = 64;

FactorShape smaller(const FactorShape& shape) {
  FactorShape small;
  small.columns = std::min(shape.columns, most_columns);
  small.row_entries = std::min(shape.row_entries, small.columns);
  small.rows = std::clamp(most_entries / small.row_entries, std::min(small.columns, shape.rows), shape.rows);
  return small;
}

Index landmark_of(const FactorShape& shape, Index column) { return column * shape.rows / shape.columns; }

}  // namespace

SparseRates measure_sparse(const Execution& execution, const FactorShape& shape) {
  const Communicator& communicator = execution.communicator;
  const FactorShape small = smaller(shape);
  const Index kept = std::clamp<Index>(small.rows * small.row_entries / small.columns, 1, small.rows);
  std::vector<Index> landmarks(static_cast<std::size_t>(small.columns));
  for (Index k = 0; k < small.columns; ++k) landmarks[static_cast<std::size_t>(k)] = landmark_of(small, k);
  std::vector<std::int32_t> vertices(static_cast<std::size_t>(small.rows));
  std::iota(vertices.begin(), vertices.end(), 0);
  const std::vector<double> values(vertices.size(), 0.5);
  std::vector<ColumnView> mine;
  const Range own = RowPartition(small.columns, communicator.size()).range(communicator.rank());
  for (Index k = own.begin; k < own.end; ++k) {
    const Index first = std::clamp<Index>(landmark_of(small, k) - kept / 2, 0, small.rows - kept);
    const auto begin = static_cast<std::size_t>(first), size = static_cast<std::size_t>(kept);
    mine.push_back({k, std::span(vertices).subspan(begin, size), std::span(values).subspan(begin, size)});
  }
  SparseRates rates;
  Approximation<double> like;
  const double ranks = communicator.size();
  const double stored = seconds_of(
      communicator, [&] { like.left = rows_of_columns(communicator, landmarks, false, small.rows, mine); }, 1);
  rates.stored = static_cast<double>(kept * small.columns) / ranks / stored;
  like.joining = TilesJoining{SymmetricTiles(small.columns, SymmetricTiles::default_order(small.columns),
                                             TileNumber::float64, communicator.size(), communicator.rank())};
  std::vector<Index> columns(static_cast<std::size_t>(std::min(compared_columns, small.rows)));
  const auto compared = std::ssize(columns);
  for (Index k = 0; k < compared; ++k) columns[static_cast<std::size_t>(k)] = k * small.rows / compared;
  const double multiplied = seconds_of(
      communicator, [&] { static_cast<void>(sparse_columns(execution, like, columns)); }, 1);
  const auto work = static_cast<double>(small.row_entries * (small.rows + small.columns) * compared);
  rates.products = work / ranks / multiplied;
  return rates;
}

}  // namespace cairn
