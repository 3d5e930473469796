// Similarities that are a function of a distance, which is kept apart from the function.
#pragma once

#include "cairn/similarity/similarity.hpp"

namespace cairn {

/// f(d(x, y)), where d does not depend on the parameters of f: distances that were stored are turned into similarities
/// with other parameters without evaluating d again.
///
/// A similarity that derives from it implements base_name(), from_base() (f, entry by entry, in place), and d in
/// compute_base_tile() and compute_base_pairs(); an object and itself are at distance 0 exactly. A distance itself
/// (wmd-distance) has from_base() leave the values as they are.
template <class T>
class FunctionOfDistance : public Similarity<T> {
 public:
  [[nodiscard]] std::string base_name() const override = 0;
  bool from_base(T* values, Index n) const override = 0;

 protected:
  void compute_base_tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const override = 0;
  void compute_base_pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const override = 0;

  void compute_tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const final {
    compute_base_tile(rows, columns, out);
    for (Index a = 0; a < out.rows; ++a) {
      if (!from_base(out.row(a), out.columns)) {
        this->report_not_finite(rows.ids[static_cast<std::size_t>(a)], columns.ids, out.row(a));
      }
    }
  }
  void compute_pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const final {
    compute_base_pairs(first, second, out);
    from_base(out.data(), static_cast<Index>(out.size()));
  }
};

}  // namespace cairn
