// Base distance d of a similarity f(d).
#pragma once

#include <span>

#include "cairn/base/matrix_view.hpp"
#include "cairn/data/object_set.hpp"

namespace cairn {

/// d of a similarity f(d(x, y)), where d does not depend on the parameters of f. Stored distances are turned into
/// similarities with other parameters without evaluating d again.
///
/// A similarity with a base distance also derives from this class, returns itself from base_distance() and names d in
/// its traits. The distance of an object to itself is exactly 0. These functions are called through Similarity, which
/// checks shapes and counts evaluations. They are thread-safe and do not communicate.
template <class T>
class BaseDistance {
 public:
  virtual ~BaseDistance() = default;

  /// out(a, b) = d of rows[a] and columns[b]. @throws Error(numeric) that names the pair if a value is not finite.
  /// Local.
  virtual void compute_base_tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const = 0;
  /// out[a] = d of first[a] and second[a]; it need not be finite. Local.
  virtual void compute_base_pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const = 0;
  /// Applies f to n distances in place; false if a result is not finite. If the similarity is the distance itself
  /// (wmd-distance), f is the identity. Local.
  virtual bool from_base(T* values, Index n) const = 0;
};

}  // namespace cairn
