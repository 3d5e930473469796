#include "cairn/task/transport/exact_sums.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <numeric>

#include "cairn/base/error.hpp"
#include "cairn/base/joined.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/data/points/point_set.hpp"
#include "cairn/linalg/dense/blas_threads.hpp"
#include "cairn/similarity/points/point_similarities.hpp"
#include "cairn/similarity/vector_math.hpp"

namespace cairn {

namespace {

// Half a megabyte in double precision: fits in a second-level cache.
constexpr Index tile_rows = 64, tile_columns = 1024;
// Sums below this, or above its inverse, are recomputed relative to their largest terms.
template <class T>
constexpr double least_sum = sizeof(T) == 8 ? 1e-200 : 1e-25;

template <class T>
PointBlock<T> block_of(MatrixView<const T> points) {
  PointBlock<T> block;
  block.ids.resize(points.rows);
  std::iota(block.ids.begin(), block.ids.end(), Index{0});
  block.coordinates = points;
  return block;
}

}  // namespace

template <class T>
const std::vector<std::string>& TransportCost<T>::names() {
  static const std::vector<std::string> all{"squared-euclidean", euclidean_similarity().name, "manhattan"};
  return all;
}

// Squared Euclidean and absolute distances are computed by a Euclidean and a Laplacian similarity.
template <class T>
TransportCost<T>::TransportCost(const std::string& name, Index dimension) : name_(name) {
  if (!contains(names(), name)) {
    throw Error(ErrorKind::usage,
                fmt::format("no cost of transport is called '{}'; there are {}", name, joined(names(), ", ")));
  }
  similarity_ = name == "manhattan" ? make_laplacian<T>(dimension, 1.0) : make_euclidean<T>(dimension);
}

template <class T>
void TransportCost<T>::tile(MatrixView<const T> rows, MatrixView<const T> columns, MatrixView<T> out) const {
  const PointBlock<T> first = block_of(rows), second = block_of(columns);
  try {
    if (name_ == euclidean_similarity().name) {
      similarity_->tile(first, second, out);
    } else {
      similarity_->base_tile(first, second, out);
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::numeric) throw;
    throw Error(ErrorKind::numeric,
                fmt::format("a {} distance of a source and a target is not finite: coordinates are too "
                            "large for numbers of {} bits",
                            name_, 8 * sizeof(T)));
  }
}

template <class T>
void ExactSums<T>::for_each_tile(MatrixView<const T> rows, const Measure<T>& others, std::span<const double> logs,
                                 std::span<const double> extra, Index extra_columns, const Use& use) const {
  const Communicator& communicator = execution_.communicator;
  const BlasThreads one(1);  // row tiles are assigned to threads
  const std::vector<Index> counts = communicator.all_gather_one(others.own.size());
  std::vector<T> points, column_logs;
  std::vector<double> column_extra;
  for (int rank = 0; rank < communicator.size(); ++rank) {
    const Index count = counts[rank];
    if (count == 0) continue;
    collectively(communicator, [&] {
      const auto size = static_cast<std::size_t>(count);
      points.resize(size * static_cast<std::size_t>(others.dimension));
      column_logs.resize(size);
      column_extra.resize(size * static_cast<std::size_t>(extra_columns));
      if (rank != communicator.rank()) return;
      std::ranges::copy(others.coordinates, points.begin());
      std::ranges::transform(logs, column_logs.begin(), [](double value) { return static_cast<T>(value); });
      std::ranges::copy(extra, column_extra.begin());
    });
    communicator.broadcast(std::span(points), rank);
    communicator.broadcast(std::span(column_logs), rank);
    if (extra_columns > 0) communicator.broadcast(std::span(column_extra), rank);
    collectively(communicator, [&] {
      std::exception_ptr error;
#pragma omp parallel for num_threads(execution_.threads) schedule(dynamic, 1)
      for (Index begin = 0; begin < rows.rows; begin += tile_rows) {
        try {
          Buffer<T> distances(tile_rows * tile_columns);
          const Range own{begin, std::min(begin + tile_rows, rows.rows)};
          for (Index first = 0; first < count; first += tile_columns) {
            const Index width = std::min(tile_columns, count - first);
            const MatrixView<T> out(distances.data(), own.size(), width);
            cost_.tile({rows.row(begin), own.size(), rows.columns, rows.stride},
                       {points.data() + first * others.dimension, width, others.dimension}, out);
            use({own,
                 out,
                 column_logs.data() + first,
                 {column_extra.data() + first * extra_columns, width, extra_columns}});
          }
          Watchdog::beat();
        } catch (...) {
#pragma omp critical(cairn_exact_sums)
          error = std::current_exception();
        }
      }
      if (error) std::rethrow_exception(error);
    });
  }
}

template <class T>
std::vector<double> ExactSums<T>::log_sums(MatrixView<const T> rows, std::span<const double> guess,
                                           const Measure<T>& others, std::span<const double> logs,
                                           std::vector<double>* sums) const {
  const auto n = static_cast<std::size_t>(rows.rows);
  // Rounded to the precision of the tiles, so that exactly the added value is subtracted from the sums again.
  const auto rounded = [](double value) { return static_cast<double>(static_cast<T>(value)); };
  std::vector<double> totals, shifts;
  collectively(execution_.communicator, [&] {
    totals.resize(n);
    shifts.resize(n);
    std::ranges::transform(guess, shifts.begin(), rounded);
  });
  const auto add_up = [&](const Tile& tile) {
    for (Index a = 0; a < tile.distances.rows; ++a) {
      const auto row = static_cast<std::size_t>(tile.rows.begin + a);
      totals[row] += vector_math::sum_exp(static_cast<T>(shifts[row]), tile.logs, static_cast<T>(scale_),
                                          tile.distances.row(a), tile.distances.columns);
    }
  };
  for_each_tile(rows, others, logs, {}, 0, add_up);
  if (sums != nullptr) collectively(execution_.communicator, [&] { *sums = totals; });
  const auto good = [](double total) { return total > least_sum<T> && total < 1 / least_sum<T>; };
  if (execution_.communicator.maximum(std::ranges::all_of(totals, good) ? 0 : 1) > 0) {
    std::vector<double> largest = collectively(
        execution_.communicator, [&] { return std::vector<double>(n, -std::numeric_limits<double>::infinity()); });
    for_each_tile(rows, others, logs, {}, 0, [&](const Tile& tile) {
      for (Index a = 0; a < tile.distances.rows; ++a) {
        const auto row = static_cast<std::size_t>(tile.rows.begin + a);
        const T* distances = tile.distances.row(a);
        for (Index b = 0; b < tile.distances.columns; ++b) {
          largest[row] =
              std::max(largest[row], static_cast<double>(tile.logs[b]) + scale_ * static_cast<double>(distances[b]));
        }
      }
    });
    for (std::size_t i = 0; i < n; ++i) shifts[i] = rounded(-largest[i]);
    std::ranges::fill(totals, 0.0);
    for_each_tile(rows, others, logs, {}, 0, add_up);
  }
  for (std::size_t i = 0; i < n; ++i) totals[i] = std::log(totals[i]) - shifts[i];
  return totals;
}

template <class T>
std::vector<double> ExactSums<T>::products(MatrixView<const T> rows, std::span<const double> row_logs,
                                           const Measure<T>& others, std::span<const double> logs,
                                           std::span<const double> z, Index columns) const {
  const auto width = static_cast<std::size_t>(columns);
  std::vector<double> out = collectively(
      execution_.communicator, [&] { return std::vector<double>(static_cast<std::size_t>(rows.rows) * width); });
  for_each_tile(rows, others, logs, z, columns, [&](const Tile& tile) {
    for (Index a = 0; a < tile.distances.rows; ++a) {
      const auto row = static_cast<std::size_t>(tile.rows.begin + a);
      T* values = tile.distances.row(a);
      vector_math::exponentials(static_cast<T>(row_logs[row]), tile.logs, static_cast<T>(scale_), values,
                                tile.distances.columns);
      double* sum = out.data() + row * width;
      for (Index b = 0; b < tile.distances.columns; ++b) {
        const double value = static_cast<double>(values[b]);
        const double* from = tile.extra.row(b);
        for (std::size_t c = 0; c < width; ++c) sum[c] += value * from[c];
      }
    }
  });
  return out;
}

template <class T>
double ExactSums<T>::cost(MatrixView<const T> rows, std::span<const double> x, std::span<const double> row_logs,
                          const Measure<T>& others, std::span<const double> y, std::span<const double> logs) const {
  const bool plan = execution_.communicator.maximum(static_cast<Index>(std::max(row_logs.size(), logs.size()))) > 0;
  std::vector<double> totals, none;
  collectively(execution_.communicator, [&] {
    totals.resize(x.size());
    none.resize(plan ? 0 : y.size());
  });
  for_each_tile(rows, others, plan ? logs : none, y, 1, [&](const Tile& tile) {
    for (Index a = 0; a < tile.distances.rows; ++a) {
      const auto row = static_cast<std::size_t>(tile.rows.begin + a);
      const T* distances = tile.distances.row(a);
      double sum = 0.0;
      for (Index b = 0; b < tile.distances.columns; ++b) {
        const double distance = static_cast<double>(distances[b]);
        const double share =
            plan ? std::exp(row_logs[row] + static_cast<double>(tile.logs[b]) + scale_ * distance) : 1.0;
        sum += share * tile.extra(b, 0) * distance;
      }
      totals[row] += x[row] * sum;
    }
  });
  return execution_.communicator.sum(std::accumulate(totals.begin(), totals.end(), 0.0));
}

template class TransportCost<float>;
template class TransportCost<double>;
template class ExactSums<float>;
template class ExactSums<double>;

}  // namespace cairn
