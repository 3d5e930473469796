// Sums of exp(-D / epsilon) over all points of a side. Tiles are computed, used and discarded.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cairn/similarity/similarity.hpp"
#include "cairn/task/transport/measure.hpp"

namespace cairn {

/// The distance D of points that a transport minimizes. Local.
template <class T>
class TransportCost {
 public:
  /// @param name  one of costs() @throws Error(usage) for another
  TransportCost(const std::string& name, Index dimension);

  /// squared-euclidean, euclidean, manhattan
  [[nodiscard]] static const std::vector<std::string>& names();
  [[nodiscard]] bool squared_euclidean() const { return name_ == names().front(); }
  /// out(a, b) = D(rows[a], columns[b]). Thread-safe. @throws Error(numeric) if a distance is not finite
  void tile(MatrixView<const T> rows, MatrixView<const T> columns, MatrixView<T> out) const;
  [[nodiscard]] Index evaluations() const { return similarity_->evaluations(); }

 private:
  std::string name_;
  std::unique_ptr<Similarity<T>> similarity_;
};

/// Products with the kernel itself. Points of the other side are broadcast to all ranks block by block: a rank holds
/// its own points and one block. All members except the constructor and set_epsilon are collective.
template <class T>
class ExactSums {
 public:
  /// All arguments must outlive the object.
  ExactSums(const Execution& execution, const TransportCost<T>& cost, double epsilon)
      : execution_(execution), cost_(cost), scale_(-1.0 / epsilon) {}

  /// Local.
  void set_epsilon(double epsilon) { scale_ = -1.0 / epsilon; }

  /// log sum_j exp(logs_j - D_ij / epsilon) for own points `rows`, any number on each rank.
  /// @param guess  of the negative results; a good guess saves the search for the largest terms
  /// @param sums  set to the deviations from the guess: sums[i] = sum_j exp(guess_i + logs_j - D_ij / epsilon)
  [[nodiscard]] std::vector<double> log_sums(MatrixView<const T> rows, std::span<const double> guess,
                                             const Measure<T>& others, std::span<const double> logs,
                                             std::vector<double>* sums = nullptr) const;

  /// out_i = sum_j exp(row_logs_i + logs_j - D_ij / epsilon) z_j, z rows of `columns` numbers.
  [[nodiscard]] std::vector<double> products(MatrixView<const T> rows, std::span<const double> row_logs,
                                             const Measure<T>& others, std::span<const double> logs,
                                             std::span<const double> z, Index columns) const;

  /// sum_ij x_i exp(row_logs_i + logs_j - D_ij / epsilon) y_j D_ij over all ranks; without logs sum_ij x_i y_j D_ij.
  [[nodiscard]] double cost(MatrixView<const T> rows, std::span<const double> x, std::span<const double> row_logs,
                            const Measure<T>& others, std::span<const double> y, std::span<const double> logs) const;

 private:
  // A tile of distances and the data of its columns.
  struct Tile {
    Range rows;
    MatrixView<T> distances;
    const T* logs;                   // of columns, in the precision of the tile
    MatrixView<const double> extra;  // one row per column of the tile
  };
  using Use = std::function<void(const Tile&)>;
  // Calls use(tile) for all tiles of rows x others; tiles of a row one after another in the order of the columns.
  void for_each_tile(MatrixView<const T> rows, const Measure<T>& others, std::span<const double> logs,
                     std::span<const double> extra, Index extra_columns, const Use& use) const;

  const Execution& execution_;
  const TransportCost<T>& cost_;
  double scale_;
};

}  // namespace cairn
