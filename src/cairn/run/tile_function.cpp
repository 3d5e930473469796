#include "cairn/run/tile_function.hpp"

#include "cairn/similarity/points/gram_similarity.hpp"
#include "cairn/similarity/vector_math.hpp"

namespace cairn {

template <class T>
void FunctionOfPoints<T>::compute_tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const {
  const MatrixView<const T> left = points_of<T>(rows, dimension_).coordinates;
  const MatrixView<const T> right = points_of<T>(columns, dimension_).coordinates;
  function_(left, right, out);
  for (Index a = 0; a < out.rows; ++a) {
    if (vector_math::finite(out.row(a), out.columns)) continue;
    this->report_not_finite(rows.ids[static_cast<std::size_t>(a)], columns.ids, out.row(a));
  }
}

template <class T>
void FunctionOfPoints<T>::compute_pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const {
  const MatrixView<const T> left = points_of<T>(first, dimension_).coordinates;
  const MatrixView<const T> right = points_of<T>(second, dimension_).coordinates;
  for (Index a = 0; a < left.rows; ++a) {
    function_({left.row(a), 1, dimension_}, {right.row(a), 1, dimension_}, {out.data() + a, 1, 1});
  }
}

template class FunctionOfPoints<float>;
template class FunctionOfPoints<double>;

}  // namespace cairn
