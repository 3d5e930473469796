// The distance that a similarity is a function of.
#pragma once

#include <span>

#include "cairn/base/matrix_view.hpp"
#include "cairn/data/object_set.hpp"

namespace cairn {

/// d of a similarity f(d(x, y)), where d does not depend on the parameters of f: distances that were stored are turned
/// into similarities with other parameters without evaluating d again.
///
/// A similarity that has one derives from this as well, gives itself in base_distance(), and names d in its traits; an
/// object and itself are at distance 0 exactly. The functions are called through Similarity, which checks shapes and
/// counts; they are thread-safe and none communicates.
template <class T>
class BaseDistance {
 public:
  virtual ~BaseDistance() = default;

  /// out(a, b) = d of rows[a] and columns[b]. @throws Error(numeric) that names the pair if a value is not finite.
  /// Local.
  virtual void compute_base_tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const = 0;
  /// out[a] = d of first[a] and second[a], which may not be finite. Local.
  virtual void compute_base_pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const = 0;
  /// f of n distances, in place; false if a result is not finite. A distance itself (wmd-distance) leaves them as they
  /// are. Local.
  virtual bool from_base(T* values, Index n) const = 0;
};

}  // namespace cairn
