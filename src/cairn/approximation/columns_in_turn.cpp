#include "cairn/approximation/columns_in_turn.hpp"

#include <algorithm>
#include <span>

#include "cairn/approximation/sparse_products.hpp"
#include "cairn/base/mpi/collective_guard.hpp"

namespace cairn {

template <class T>
RowBlock<double> ColumnsInTurn<T>::next(Index count) {
  const auto part = [&](Index begin, Index size) { return std::span<const Index>(columns_).subspan(begin, size); };
  const Index begin = next_;
  next_ += count;
  const auto* tiles = std::get_if<TiledCore>(&approximation_.core_matrix);
  if (tiles == nullptr || tiles->matrix.in_memory()) {
    return approximate_columns(execution_, approximation_, part(begin, count));
  }
  if (next_ > held_.end) {
    const Index size =
        std::min(std::max(columns_held_in_turn / count * count, count), static_cast<Index>(columns_.size()) - begin);
    products_ = {};
    products_ = sparse_column_products(execution_, approximation_, part(begin, size));
    held_ = {begin, begin + size};
  }
  const Index width = held_.size();
  return sparse_columns_of(
      execution_, approximation_, part(begin, count),
      MatrixView<const double>(products_.data() + begin - held_.begin, tiles->matrix.size(), count, width));
}

template class ColumnsInTurn<float>;
template class ColumnsInTurn<double>;

}  // namespace cairn
