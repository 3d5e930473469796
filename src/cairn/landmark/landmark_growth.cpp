#include "cairn/landmark/landmark_growth.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/landmark/weighted_draws.hpp"
#include "cairn/similarity/columns.hpp"

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

template <class T>
Landmarks<T> LandmarkGrowth<T>::finish() {
  Landmarks<T> landmarks = take();
  RowBlock<T>* const computed = factor();
  if (computed == nullptr) return landmarks;
  landmarks.factor = std::move(*computed);
  const double whole = trace(), left = sum_of_weights(execution_.communicator, objects_.partition(), residual());
  if (whole > 0.0) landmarks.trace_of_error = left / whole;
  return landmarks;
}

template <class T>
bool ChosenGrowth<T>::grow(Index count) {
  const Index held = this->count();
  if (count <= held) return true;
  std::vector<Index> wider = first(count);
  this->columns_ = this->resized(this->columns_, held, count);
  const auto fresh = this->objects_.gather(this->execution_.communicator, std::span(wider).subspan(held));
  evaluate_columns_into(this->execution_, entries_, this->objects_, *fresh, this->columns_, held, "landmarks",
                        fmt::format("columns-{}-{}", held, count));
  this->indices_ = std::move(wider);
  return true;
}

template class LandmarkGrowth<float>;
template class LandmarkGrowth<double>;
template class ChosenGrowth<float>;
template class ChosenGrowth<double>;

}  // namespace cairn
