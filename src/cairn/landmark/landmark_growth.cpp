#include "cairn/landmark/landmark_growth.hpp"

#include <algorithm>

#include "cairn/base/mpi/collective_guard.hpp"

namespace cairn {

template <class T>
RowBlock<T> LandmarkGrowth<T>::resized(const RowBlock<T>& block, Index held, Index width) const {
  return collectively(execution_.communicator, [&] {
    RowBlock<T> wide(objects_.partition(), execution_.communicator.rank(), width);
    if (held == 0) return wide;  // there may be no block yet
    for (Index x = wide.range().begin; x < wide.range().end; ++x)
      std::copy_n(block.row(x).data(), held, wide.row(x).data());
    return wide;
  });
}

template <class T>
Landmarks<T> LandmarkGrowth<T>::take() {
  if (columns_.columns() > count()) columns_ = resized(columns_, count(), count());
  Landmarks<T> landmarks;
  landmarks.objects = objects_.gather(execution_.communicator, indices_);
  landmarks.indices = indices_;
  landmarks.columns = std::move(columns_);
  return landmarks;
}

template class LandmarkGrowth<float>;
template class LandmarkGrowth<double>;

}  // namespace cairn
