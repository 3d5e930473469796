// Factor rows as a function of points.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cairn/base/matrix_view.hpp"
#include "cairn/base/schedule/execution.hpp"
#include "cairn/data/object_arrays.hpp"
#include "cairn/data/points/point_set.hpp"
#include "cairn/linalg/tall/row_block.hpp"

namespace cairn {

/// phi: maps a point of dimension() coordinates to a row of columns() features. It contains all of its data, and is the
/// same on every rank. Features of a point do not depend on other points.
class FeatureMap {
 public:
  virtual ~FeatureMap() = default;
  FeatureMap() = default;
  FeatureMap(const FeatureMap&) = delete;
  FeatureMap& operator=(const FeatureMap&) = delete;

  /// Name in a file, by which read_feature_map() identifies it.
  [[nodiscard]] virtual std::string kind() const = 0;
  [[nodiscard]] virtual Index dimension() const = 0;
  [[nodiscard]] virtual Index columns() const = 0;
  /// out(a, ·) = phi(points(a, ·)), computed on one thread. Thread-safe. Local.
  virtual void apply(MatrixView<const float> points, MatrixView<float> out) const = 0;
  virtual void apply(MatrixView<const double> points, MatrixView<double> out) const = 0;
  /// True if a point is farther away than all those for which the map was chosen: its row may have a large error.
  /// Local.
  [[nodiscard]] virtual bool is_beyond(std::span<const double> /*point*/) const { return false; }
  /// Writes all of its data.
  virtual void write(ArrayWriter& arrays) const = 0;
};

/// phi of all points, n x map.columns(). @throws Error(numeric) that names the first row with a feature that is not
/// finite; Error(internal) for points of a different dimension. Collective.
template <class T>
[[nodiscard]] RowBlock<T> features_of(const Execution& execution, const PointSet<T>& points, const FeatureMap& map);

/// Number of points beyond those for which the map was chosen. Collective.
template <class T>
[[nodiscard]] Index points_beyond(const Communicator& communicator, const PointSet<T>& points, const FeatureMap& map);

/// Digest of all data of the map. Local.
[[nodiscard]] std::uint64_t digest_of(const FeatureMap& map);

/// The map of this kind, read from the data of FeatureMap::write().
/// @throws Error(input) if it is not valid, or of a kind that this program does not know. Local.
[[nodiscard]] std::shared_ptr<const FeatureMap> read_feature_map(const std::string& kind, const ArrayReader& arrays);

}  // namespace cairn
